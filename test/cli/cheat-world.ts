import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { makeWorld, projectRoot, type RunEnd, type World } from "./arrange.ts";

/** What `run --json` prints, as far as these tests look at it. */
export interface PassReport {
  readonly verdict: string | null;
  readonly from: string | null;
  readonly proposed: string | null;
  readonly to: string | null;
  readonly reason: string;
  readonly exit_code: number;
  readonly overridden: readonly string[];
  readonly tickets: readonly { readonly source: string; readonly name: string; readonly text: string }[];
}

export interface PassOptions {
  readonly task?: string;
  /** AGENT_* variables for the agent, and anything else for the runner. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** A world with a repo, a task T-1 at intake, an honest model and one that cheats. */
export interface CheatWorld extends World {
  /** One pass of the agent of this name: `honest`, or a file of test/agents/cheats. */
  pass(agent: string, options?: PassOptions): Promise<PassReport>;
  /** The same, where the end of the process itself is looked at. */
  runPass(agent: string, options?: PassOptions): Promise<RunEnd>;
  /** Honest passes until the task is in this phase. */
  until(phase: string): Promise<void>;
  addTask(id: string, dependsOn?: string): Promise<void>;
  state(): string;
  /** The files under T-1 that hold this. */
  grepTask(pattern: RegExp): string[];
}

export const protectedFile = "test/acceptance/answer.test.mjs";
const check = `import assert from "node:assert/strict";\nimport { answer } from "../src/answer.mjs";\nassert.equal(answer, 42);\n`;
const agents = path.join(projectRoot, "test", "agents");
const cheats = readdirSync(path.join(agents, "cheats")).map((name) => path.basename(name, ".mjs"));
const passedOn = ["BROKEN", "TO", "PROTECTED", "OTHER", "TARGET", "TEST", "DELAY", "STAY", "TRACKED", "BIN", "WHERE"];
const moreNames = ["MEGABYTES", "SECRET", "IN"];

export async function makeCheatWorld(t: TestContext): Promise<CheatWorld> {
  const world = makeWorld(t);
  world.initRepo({
    "src/kept.mjs": "export const kept = true;\n",
    "test/answer.test.mjs": check,
    [protectedFile]: check.replace("../src", "../../src"),
  });
  world.write("tasks/task-phase.yaml", writeConfig());
  const runPass = (agent: string, { task = "T-1", env = {}, args = [] }: PassOptions = {}) => {
    const argv = ["--task-dir", world.path("tasks", task), "--model", agent, "--json", ...args];
    return world.run("task-phase-run", argv, { env });
  };
  const pass = async (agent: string, options: PassOptions = {}) => {
    const end = await runPass(agent, options);
    const report = end.json() as unknown as PassReport;
    assert.equal(end.code, report.exit_code, end.stderr);
    return report;
  };
  const addTask = async (id: string, dependsOn?: string) => {
    world.write(`tasks/${id}/README.md`, writeBrief(id, dependsOn));
    const end = await world.run("task-phase-init", ["--task-dir", world.path("tasks", id), "--id", id]);
    assert.equal(end.code, 0, end.stderr);
  };
  await addTask("T-1");
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
    grepTask: (pattern) => grep(world.path("tasks", "T-1"), pattern),
  };
}

/** The cheat was found out: STATE.md is as it was, the journal is whole, and nothing of the agent's lives. */
export async function assertUntouched(world: CheatWorld, stateBefore: string): Promise<void> {
  assert.equal(world.state(), stateBefore);
  await assertWhole(world);
}

/** What is recorded still holds: every file reads, the chain of the journal and every verdict decided again. */
export async function assertWhole(world: CheatWorld): Promise<void> {
  assert.doesNotMatch(world.read("tasks/T-1/artifacts/journal.jsonl"), /"to":"done"/);
  const end = await world.run("task-phase", ["check", "--task-dir", world.path("tasks", "T-1")]);
  assert.equal(end.code, 0, end.stdout + end.stderr);
  assert.deepEqual(findLiving(world.folder), []);
}

/** The command lines of live processes that belong to this world by their words or their environment. */
export function findLiving(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => !readProc(pid, "stat").includes(") Z "))
    .filter((pid) => readProc(pid, "cmdline").includes(folder) || readProc(pid, "environ").includes(folder))
    .map((pid) => readProc(pid, "cmdline").replaceAll("\0", " "));
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(path.join("/proc", pid, name), "latin1");
  } catch {
    return "";
  }
}

function writeConfig(): string {
  const names = [...passedOn, ...moreNames].map((name) => `AGENT_${name}`).join(", ");
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

function writeBrief(id: string, dependsOn?: string): string {
  return [
    "---",
    `id: ${id}`,
    "title: Export the answer",
    ...(dependsOn === undefined ? [] : [`depends_on: [${dependsOn}]`]),
    "repo: ../../repo",
    "validators:",
    "  - { name: tests, command: [node, test/answer.test.mjs], timeout: 30s }",
    'protected: ["test/acceptance/**"]',
    "---",
    "",
    "# Export the answer",
    "",
  ].join("\n");
}

function grep(folder: string, pattern: RegExp): string[] {
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort();
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return files.filter((name) => pattern.test(readFileSync(path.join(folder, name), "latin1")));
}
