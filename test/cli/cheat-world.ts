import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, renameSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { checkTask } from "../../lib/queue/actions/check-task.ts";
import { anchorFolder } from "../../lib/task/records/anchor.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import { locateTask } from "../../lib/task/records/task-place.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { findLeft } from "../process/find-living.ts";
import { makeWorld, projectRoot, type RunEnd, type RunOptions, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";

import type { Report } from "./task-world.ts";

export interface PassOptions {
  readonly task?: string;
  /** AGENT_* variables for the agent, and anything else for the runner. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly onStart?: NonNullable<RunOptions["onStart"]>;
}

/** A world with a repo, a task T-1 at intake, an honest model and one that cheats. */
export interface CheatWorld extends World {
  /** One pass of the agent of this name: `honest`, or a file of test/fake-agents/cheats. */
  pass(agent: string, options?: PassOptions): Promise<Report>;
  /** The same, where the end of the process itself is looked at. */
  runPass(agent: string, options?: PassOptions): Promise<RunEnd>;
  /** Honest passes until the task is in this phase. */
  until(phase: string): Promise<void>;
  addTask(id: string, dependsOn?: string): Promise<void>;
  state(): string;
}

export const protectedFile = "test/acceptance/answer.test.mjs";
/** Protected too, and git does not know it. */
export const ignoredFile = "local/settings.txt";
const check = `import assert from "node:assert/strict";\nimport { answer } from "../src/answer.mjs";\nassert.equal(answer, 42);\n`;
const agents = path.join(projectRoot, "test", "fake-agents");
const cheats = readdirSync(path.join(agents, "cheats")).map((name) => path.basename(name, ".mjs"));
const passedOn = ["PROTECTED", "OTHER", "TARGET", "TEST", "DELAY", "STAY", "BIN", "MEGABYTES", "HOW", "TEXT"];

/** The way of an honest task. */
const way = ["intake", "shape", "implement", "verify", "review"] as const;
export type WorkingPhase = (typeof way)[number];

/**
 * A world whose task T-1 stands in this phase after honest passes only. They are made once a file: each test works on
 * a copy.
 */
export async function makeCheatWorld(t: TestContext, phase: WorkingPhase = "intake"): Promise<CheatWorld> {
  const world = makeWorld(t);
  copyWorld(await honestWorld(phase), world.folder);
  world.write("tasks/task-phase.yaml", writeConfig());
  return armWorld(world);
}

function armWorld(world: World): CheatWorld {
  const runPass = (agent: string, { task = "T-1", env = {}, args = [], onStart }: PassOptions = {}) => {
    const argv = ["--task-dir", world.path("tasks", task), "--model", agent, "--json", ...args];
    // What is done to the runner itself must be done to a process of its own.
    if (onStart !== undefined) return world.run("task-phase-run", argv, { env, onStart });
    if (agent === "kills-the-runner") return world.run("task-phase-run", argv, { env });
    return world.call("task-phase-run", argv, { env });
  };
  const pass = async (agent: string, options: PassOptions = {}) => {
    const end = await runPass(agent, options);
    const report = end.json() as unknown as Report;
    assert.equal(end.code, report.exit_code, end.stderr);
    return report;
  };
  const addTask = async (id: string, dependsOn?: string) => {
    world.write(`tasks/${id}/README.md`, writeBrief(id, dependsOn));
    const end = await world.call("task-phase-init", ["--task-dir", world.path("tasks", id), "--id", id]);
    assert.equal(end.code, 0, end.stderr);
  };
  const state = () => world.read("tasks/T-1/STATE.md");
  const until = async (phase: string) => {
    for (let count = 0; !state().includes(`- Phase: ${phase}\n`); count += 1) {
      const report = await pass("honest");
      assert.equal(report.verdict, "accepted", report.reason);
      assert(count < 10, `an honest agent does not get to ${phase}`);
    }
  };
  return {
    ...world,
    pass,
    runPass,
    until,
    addTask,
    state,
  };
}

const honestWorlds = new Map<WorkingPhase, Promise<string>>();

function honestWorld(phase: WorkingPhase): Promise<string> {
  const made = honestWorlds.get(phase) ?? makeHonestWorld(phase);
  honestWorlds.set(phase, made);
  return made;
}

async function makeHonestWorld(phase: WorkingPhase): Promise<string> {
  const before = way[way.indexOf(phase) - 1];
  // It outlives the test that asked for it first.
  const world = makeWorld({ after: (remove: () => void) => process.once("exit", remove) } as unknown as TestContext);
  const armed = armWorld(world);
  if (before === undefined) {
    world.initRepo({
      ".gitignore": "local/\n",
      "src/kept.mjs": "export const kept = true;\n",
      "test/answer.test.mjs": check,
      [protectedFile]: check.replace("../src", "../../src"),
      [ignoredFile]: "the same for all\n",
    });
    world.write("tasks/task-phase.yaml", writeConfig());
    await armed.addTask("T-1");
  } else {
    copyWorld(await honestWorld(before), world.folder);
    await armed.until(phase);
  }
  return world.folder;
}

/** The runner knows a task by the path of its folder, and so its own records move along. */
function copyWorld(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const records = (world: string) =>
    anchorFolder(path.join(world, "tasks", "T-1"), { env: { XDG_STATE_HOME: path.join(to, "state") }, home: to });
  if (existsSync(records(from))) renameSync(records(from), records(to));
}

/** The cheat was found out: STATE.md is as it was, the journal is whole, and nothing of the agent's lives. */
export async function assertUntouched(world: CheatWorld, stateBefore: string): Promise<void> {
  assert.equal(world.state(), stateBefore);
  await assertWhole(world);
}

/** What is recorded still holds: every file reads, the chain of the journal and every verdict decided again. */
export async function assertWhole(world: CheatWorld): Promise<void> {
  assert.doesNotMatch(world.read("tasks/T-1/artifacts/journal.jsonl"), /"to":"done"/);
  const { env } = world;
  const ports: PassPorts = {
    env,
    home: env.HOME ?? "",
    cwd: world.folder,
    now: () => new Date(),
    redactor: createRedactor({}),
    signal: new AbortController().signal,
    tell: () => {},
  };
  const { findings } = await checkTask(locateTask(world.path("tasks", "T-1"), world.folder), null, null, ports);
  assert.deepEqual(findings, []);
  assert.deepEqual(findLeft(world.folder), []);
}

function writeConfig(): string {
  const names = passedOn.map((name) => `AGENT_${name}`).join(", ");
  const models = [["honest", path.join(agents, "honest.mjs")], ...cheats.map((name) => [name, cheatPath(name)])];
  const items = models.map(
    ([name, file]) =>
      `  - { name: ${name}, adapter: command, command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(file)}], env: [${names}] }\n`,
  );
  return `model_selection: priority\nmodels:\n${items.join("")}`;
}

function cheatPath(name: string): string {
  return path.join(agents, "cheats", `${name}.mjs`);
}

/** The contract of T-1, from which a test may leave a line out. */
export function writeBrief(id: string, dependsOn?: string): string {
  const lines = [
    `id: ${id}`,
    "title: Export the answer",
    ...(dependsOn === undefined ? [] : [`depends_on: [${dependsOn}]`]),
    "repo: ../../repo",
    "validators:",
    "  - { name: tests, command: [node, test/answer.test.mjs], timeout: 30s }",
    'protected: ["test/acceptance/**", "local/**"]',
  ];
  return briefFile(lines, "Export the answer");
}
