import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandName } from "../../lib/cli/command-table.ts";
import type { Io } from "../../lib/cli/io.ts";
import { runCli } from "../../lib/cli/run-cli.ts";
import { at } from "../cli/task-states.ts";
import type { TaskCase, TaskWorld } from "../cli/task-world.ts";
import { recordOps, type Trace } from "./record-ops.ts";

/** A task, the call during which the power goes, and how the task stood before and after it. */
export interface Stage extends StageSpec {
  readonly trace: Trace;
  readonly before: Standing;
  readonly after: Standing;
  /** The next call, which finishes or undoes what the one before left. */
  recover(): Promise<CallEnd>;
  check(): Promise<CallEnd>;
}

export interface StageSpec {
  readonly world: TaskWorld;
  readonly task: TaskCase;
  /** What the agent wrote into STATE.md and nothing else has: it is never lost. Null: it wrote nothing. */
  readonly words: string | null;
}

/** What is left of a task to judge it by. A file that is not there is empty. */
export interface Standing {
  readonly state: string;
  readonly journal: string;
  readonly log: string;
  readonly progress: string;
}

export interface CallEnd {
  readonly code: number;
  readonly output: string;
}

type Words = readonly [CommandName, ...string[]];

/** A model that is not there: the run recovers, and begins no pass. */
const recovering = ["run", "--model", "nobody"] as const;

/** Records one pass. */
export async function makeStage(spec: StageSpec): Promise<Stage> {
  const before = readStanding(spec.task);
  const trace = await record(spec, ["run"], [0, 20]);
  return { ...spec, ...calls(spec), trace, before, after: readStanding(spec.task) };
}

/** Records the recovery of what is there now. A task stands afterwards as it did before the pass, or after it. */
export async function makeRecoveryStage(stage: Stage): Promise<Stage> {
  const trace = await record(stage, recovering, [64]);
  return { ...stage, trace, after: readStanding(stage.task) };
}

/** A verdict counts as told from the first word of it. */
async function record(spec: StageSpec, words: Words, codes: readonly number[]): Promise<Trace> {
  return await recordOps(spec.world.folder, async (tell) => {
    const end = await call(spec, words, (text) => {
      if (/\b(?:accepted|redirected|rejected|interrupted)\b/.test(text)) tell();
    });
    assert.ok(codes.includes(end.code), end.output);
  });
}

function calls(spec: StageSpec): Pick<Stage, "recover" | "check"> {
  return { recover: () => call(spec, recovering), check: () => call(spec, ["check"]) };
}

async function call(
  { world, task }: StageSpec,
  [command, ...args]: Words,
  heard?: (text: string) => void,
): Promise<CallEnd> {
  // All times are equal, so that equal tasks are equal to the byte.
  const around = { env: world.env, cwd: world.folder, now: () => new Date(at) };
  return await callProgram([command, "--task-dir", task.taskDir, ...args], around, heard);
}

/** A command that is answered in this process. `heard` gets what it says, as it says it. */
export async function callProgram(
  [command, ...args]: Words,
  around: Pick<Io, "env" | "cwd" | "now">,
  heard: (text: string) => void = () => undefined,
): Promise<CallEnd> {
  let output = "";
  const write = (text: string): void => {
    output += text;
    heard(text);
  };
  const streams = { stdout: { write }, stderr: { write }, sleep: async () => undefined };
  return { code: await runCli(command, args, { ...streams, ...around }), output };
}

export function readStanding({ taskDir }: Pick<TaskCase, "taskDir">): Standing {
  const read = (name: string): string => {
    const path = join(taskDir, name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  return {
    state: read("STATE.md"),
    journal: read("artifacts/journal.jsonl"),
    log: read("log.txt"),
    progress: read("progress.txt"),
  };
}
