import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import type { CommandName } from "../../lib/cli/command-table.ts";
import { type Io, noInput, processIo } from "../../lib/cli/io.ts";
import { runCli } from "../../lib/cli/run-cli.ts";
import { endOrphansWord } from "../../lib/process/orphan-guard.ts";
import { makeWorld, programWords, projectRoot, type RunEnd, readEnd, type World } from "../cli/arrange.ts";
import { wish } from "../cli/brief-file.ts";
import { patienceMs } from "../patience.ts";
import { findLiving } from "../process/find-living.ts";

/** One pass to be cut off: which agent works in which phase, and what its verdict is where it is not cut off. */
export interface Scenario {
  readonly name: string;
  /** Where the task stands before. */
  readonly phase: string;
  readonly agent: string;
  readonly env: Readonly<Record<string, string>>;
  readonly verdict: string;
  /** How many calls changed the disk when this was written: far fewer mean that the counter sees less. */
  readonly calls: number;
}

/** A pass of each kind of end. */
export const scenarios: readonly Scenario[] = [
  { name: "first", phase: "intake", agent: "honest", env: {}, verdict: "accepted", calls: 424 },
  { name: "rejected", phase: "shape", agent: "honest", env: { AGENT_TO: "done" }, verdict: "rejected", calls: 280 },
  { name: "tampering", phase: "shape", agent: "edits-brief", env: {}, verdict: "rejected", calls: 313 },
  { name: "before", phase: "implement", agent: "honest", env: { AGENT_BROKEN: "1" }, verdict: "accepted", calls: 449 },
  { name: "redirected", phase: "verify", agent: "honest", env: {}, verdict: "redirected", calls: 405 },
  { name: "done", phase: "review", agent: "honest", env: {}, verdict: "accepted", calls: 406 },
];

/** Where a run is killed: before the `at`th call that changes the disk, or in the middle of it where it writes. */
export interface Moment {
  readonly at: number;
  readonly half: boolean;
}

/** A world that can be put back to where it stood when it was prepared. */
export interface CrashWorld extends World {
  state(): string;
  addTask(id: string): Promise<void>;
  /** Honest passes, in this process, until T-1 is in this phase; with `broken` the candidate is wrong. */
  until(phase: string, broken?: boolean): Promise<void>;
  /** Notes how the world stands, for `reset`. */
  keep(): void;
  reset(): void;
  /** `run` of this model, as the machine would start it; killed at the moment where one is given. */
  start(model: string, options?: StartOptions): Promise<RunEnd>;
  /** The calls of such a run that change the disk, in order. */
  count(model: string, options?: StartOptions): Promise<string[]>;
  /** The same command in this process: half the time, and nothing can kill it. */
  inside(
    command: CommandName,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    task?: string,
  ): Promise<CallEnd>;
  /** The folder that holds the runner's own copies of T-1. */
  anchor(): string;
  journal(): Record<string, unknown>[];
}

export interface CallEnd {
  readonly code: number;
  readonly output: string;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly moment?: Moment;
  readonly args?: readonly string[];
  /** T-1 without it. */
  readonly task?: string;
  /** Words before the runner's own, as `strace …`. */
  readonly wrap?: readonly string[];
  readonly onStart?: (child: ChildProcess) => void;
}

const preload = pathToFileURL(path.join(import.meta.dirname, "kill-before.js")).href;

export async function makeCrashWorld(t: Pick<TestContext, "after">): Promise<CrashWorld> {
  const world = makeWorld(t as TestContext);
  const kept = `${world.folder}.kept`;
  t.after(() => rmSync(kept, { recursive: true, force: true }));
  mkdirSync(world.path("tmp"));
  // Read by os.tmpdir(), here and in what is started.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = world.path("tmp");
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const inside: CrashWorld["inside"] = async (command, args, env = {}, task = "T-1") => {
    let output = "";
    const write = (text: string) => {
      output += text;
    };
    const io: Io = {
      ...processIo(),
      stdin: noInput,
      env: { ...world.env, TMPDIR: world.path("tmp"), ...env },
      cwd: world.folder,
      stdout: { write },
      stderr: { write },
    };
    const code = await runCli(command, ["--task-dir", world.path("tasks", task), ...args], io);
    return { code, output };
  };
  world.initRepo({
    "src/kept.mjs": "export const kept = true;\n",
    "test/answer.test.mjs": check,
    "test/acceptance/kept.txt": "kept\n",
  });
  world.write("tasks/task-phase.yaml", writeConfig());
  const addTask = async (id: string) => {
    world.write(`tasks/${id}/README.md`, brief(id));
    const end = await inside("init", ["--id", id], {}, id);
    assert.equal(end.code, 0, end.output);
    rmSync(world.path("tasks", id, "TASKS.md"), { force: true });
  };
  await addTask("T-1");
  const state = () => world.read("tasks/T-1/STATE.md");
  const launch = (model: string, options: StartOptions, query: string): Promise<RunEnd> => {
    const loads = query === "" ? [] : ["--import", `${preload}?${query}`];
    const task = world.path("tasks", options.task ?? "T-1");
    const words = ["--task-dir", task, "--model", model, "--json", ...(options.args ?? [])];
    const argv = [...(options.wrap ?? []), process.execPath, ...loads, ...programWords("task-phase-run"), ...words];
    return finish(argv, { ...world.env, TMPDIR: world.path("tmp"), ...options.env }, world.folder, (child) => {
      world.watch(child);
      options.onStart?.(child);
    });
  };
  return {
    ...world,
    keep() {
      rmSync(kept, { recursive: true, force: true });
      cpSync(world.folder, kept, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    },
    reset() {
      rmSync(world.folder, { recursive: true, force: true });
      cpSync(kept, world.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    },
    start(model, options = {}) {
      const { moment } = options;
      return launch(model, options, moment === undefined ? "" : `at=${moment.at}${moment.half ? "&half" : ""}`);
    },
    async count(model, options = {}) {
      const list = world.path("tmp", "calls.txt");
      const end = await launch(model, options, `at=0&list=${encodeURIComponent(list)}`);
      assert.equal(end.signal, null);
      const calls = readFileSync(list, "utf8").trimEnd().split("\n");
      rmSync(list);
      return calls;
    },
    inside,
    state,
    addTask,
    async until(phase, broken = false) {
      for (let count = 0; !state().includes(`- Phase: ${phase}\n`); count += 1) {
        const end = await inside("run", ["--model", "honest"], broken ? { AGENT_BROKEN: "1" } : {});
        assert.equal(end.code, 0, end.output);
        assert(count < 10, `an honest agent does not get to ${phase}`);
      }
    },
    anchor() {
      const tasks = world.path("state", "task-phase", "tasks");
      const names = existsSync(tasks) ? readdirSync(tasks) : [];

      assert(names.length <= 1, "one task has one anchor");
      return path.join(tasks, names[0] ?? "none");
    },
    journal() {
      const file = world.path("tasks/T-1/artifacts/journal.jsonl");
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    },
  };
}

async function finish(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  onStart: StartOptions["onStart"],
): Promise<RunEnd> {
  const [program = "", ...words] = argv;
  const options = { cwd, env, extendEnv: false, stdin: "ignore", stripFinalNewline: false, reject: false } as const;
  const child = execa(program, words, options);
  onStart?.(child);
  return readEnd(await child);
}

/** How a task stood before a run that was cut off, to judge what stands after the next one. */
export interface Standing {
  readonly state: string;
  readonly journal: string;
}

export function lookAtTask(world: CrashWorld): Standing {
  const file = "tasks/T-1/artifacts/journal.jsonl";
  return { state: world.state(), journal: world.exists(file) ? world.read(file) : "" };
}

/**
 * A run that calls no model recovers the task; then everything must hold: STATE.md is the one that was accepted last,
 * byte for byte, the journal goes on from where it was, nothing of the agent lives, and nothing is left over.
 */
export async function assertRecovered(world: CrashWorld, before: Standing, verdicts: readonly string[]): Promise<void> {
  const end = await world.inside("run", ["--model", "nobody"]);
  assert([0, 64].includes(end.code), `the recovering run ended with ${end.code}\n${end.output}`);
  await assertSound(world, before, verdicts);
}

export async function assertSound(world: CrashWorld, before: Standing, verdicts: readonly string[]): Promise<void> {
  const after = lookAtTask(world);
  assert(after.journal.startsWith(before.journal), "the journal goes on from where it was");
  const events = world.journal();
  const fresh = events.slice(before.journal.split("\n").length - 1);
  const accepted = fresh.findLast((event) => typeof event.state === "string" && event.state !== before.state);
  assert.equal(after.state, accepted === undefined ? before.state : accepted.state, "STATE.md is the accepted one");
  for (const event of fresh.filter(({ type }) => type === "verdict")) {
    assert(verdicts.includes(String(event.verdict)), `an unexpected verdict: ${event.verdict}`);
  }
  const open = fresh.filter(({ type }) => type === "pass_started").length;
  assert.equal(fresh.filter(({ type }) => type === "verdict").length, open, "each pass that began has its verdict");
  const all = events.filter(({ type }) => type === "verdict").length;
  const lines = world.exists("tasks/T-1/log.txt") ? world.read("tasks/T-1/log.txt").split("\n").length - 1 : 0;
  assert.equal(lines, all, "one line of log.txt a verdict");
  const living = findLiving(world.folder).filter((line) => !line.includes(` ${endOrphansWord} `));
  assert.deepEqual(living, [], "no process of the agent is alive");
  // The guard of a run that was killed comes a moment later to the same end.
  await until(() => findLiving(world.folder).length === 0, "the guard ends");
  assert.deepEqual(listLeft(world), [], "nothing is left over");
  const check = await world.inside("check", []);
  assert.equal(check.code, 0, check.output);
  assert.doesNotMatch(check.output, /error|warning/);
}

/** What only a run that is in progress may have: records in the anchor, temporary files, work folders. */
function listLeft(world: CrashWorld): string[] {
  const records = ["current.json", "commit.json", "process.json"].filter((name) =>
    existsSync(path.join(world.anchor(), name)),
  );
  const names = readdirSync(world.folder, { recursive: true }) as string[];
  // What was seen of a repo is shared by its tasks: the daily sweep clears that folder.
  const temporary = names.filter(
    (name) => /(^|\/)\.tp-[0-9a-f]+\.tmp$/.test(name) && !name.startsWith("state/task-phase/seen/"),
  );
  return [...records, ...temporary, ...readdirSync(world.path("tmp")).map((name) => `tmp/${name}`)];
}

/** Honest runs, each of which must be accepted or redirected, until the task is done. */
export async function assertReachesDone(world: CrashWorld): Promise<void> {
  await world.until("done");
  const check = await world.inside("check", []);
  assert.equal(check.code, 0, check.output);
}

/** Resolves when it holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let count = 0; !holds(); count += 1) {
    assert(count < patienceMs / 10, `waited in vain: ${what}`);
    await setTimeout(10);
  }
}

/** The repo's test. CHECK_READY: a file that it makes, and then waits. CHECK_KILLS: it kills the runner. */
const check = `import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
if (process.env.CHECK_READY !== undefined) {
  writeFileSync(process.env.CHECK_READY, "");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}
if (process.env.CHECK_KILLS !== undefined) process.kill(process.ppid, "SIGKILL");
const { answer } = await import("../src/answer.mjs");
assert.equal(answer, 42);
`;

const brief = (id: string): string => `---
id: ${id}
title: Export the answer
repo: ../../repo
validators:
  - { name: tests, command: [node, test/answer.test.mjs], timeout: 90s }
protected: ["test/acceptance/**"]
advance: never
---

# Export the answer

${wish}
`;

/** The model of each name, and the program of test/fake-agents that it is. */
const models = {
  honest: "honest.mjs",
  "edits-brief": "cheats/edits-brief.mjs",
  hangs: "cheats/hangs.mjs",
  "kills-at-once": "crash/kills-at-once.mjs",
  "deletes-the-lock": "crash/deletes-the-lock.mjs",
  stays: "crash/stays.mjs",
  escapes: "crash/escapes.sh",
  "escapes-late": "crash/escapes.sh",
};
/** Its time is up while it works. */
const timeOf = (name: string) => (name === "escapes-late" ? ", timeout: 4s" : "");

function writeConfig(): string {
  const env = ["AGENT_TO", "AGENT_BROKEN", "AGENT_READY", "AGENT_HOW"].join(", ");
  const items = Object.entries(models).map(([name, file]) => {
    const program = file.endsWith(".sh") ? "/bin/sh" : process.execPath;
    const command = JSON.stringify([program, path.join(projectRoot, "test", "fake-agents", file)]);
    return `  - { name: ${name}, adapter: command, command: ${command}, env: [${env}]${timeOf(name)} }\n`;
  });
  return `model_selection: priority\nmodels:\n${items.join("")}`;
}
