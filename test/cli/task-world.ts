import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { RunReport } from "../../lib/rules/shapes/reports/run.ts";
import { formatEvent } from "../../lib/store/journal.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { makeWorld, type RunEnd, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { at, eventsAt, type StateSpec, stateFile, withFields } from "./task-states.ts";

/** What one pass of the prepared model leaves behind: files by path, and what it says. */
export interface Proposal {
  readonly task?: Readonly<Record<string, string>>;
  readonly repo?: Readonly<Record<string, string>>;
  readonly output?: string;
  /** What it reports to have cost, in US dollars. */
  readonly costUsd?: number;
  /** And to have used: input, output. */
  readonly tokens?: readonly [number, number];
  /** Seconds that it sleeps before it speaks. */
  readonly sleep?: string;
  /** It works until the test calls `go`. */
  readonly waits?: true;
}

export interface TaskSpec {
  /** Lines of the brief's front matter beside id, title and repo; the validator stands among them by default. */
  readonly contract?: readonly string[];
  /** The first STATE.md; the events may bring others. */
  readonly state: StateSpec | string;
  /** Files of the task folder beside README.md and STATE.md. */
  readonly files?: Readonly<Record<string, string>>;
  readonly repo?: Readonly<Record<string, string>>;
  /** Made from the bytes of STATE.md and of the brief; null makes no journal. */
  readonly events?:
    | ((place: {
        state: string;
        contract: string;
        repo: string;
      }) => readonly TaskEvent[] | Promise<readonly TaskEvent[]>)
    | null;
  /** Lines under the one model of task-phase.yaml. */
  readonly model?: string;
}

/** One task with a repo, a tasks root and a model of its own, so that cases of one world do not meet. */
export interface TaskCase {
  readonly folder: string;
  readonly taskDir: string;
  run(...args: readonly string[]): Promise<RunEnd>;
  command(...args: readonly string[]): Promise<RunEnd>;
  /** What `run --json` prints, its exit code held against that of the process. */
  pass(...args: readonly string[]): Promise<Report>;
  propose(proposal: Proposal, pass?: number | "any"): void;
  state(): string;
  write(name: string, text: string): void;
  read(name: string): string;
  exists(name: string): boolean;
  /** Replaces the values of `- Label: value` lines of STATE.md, as a person would in an editor. */
  edit(values: Readonly<Record<string, string>>): void;
  /** Lets a model that `waits` go on. */
  go(): void;
  /** How often the model was called. */
  calls(): number;
  events(): TaskEvent[];
}

/** What `run --json` prints; these tests look at passes with a reason. */
export type Report = RunReport & { readonly reason: string };

/** The check of the repo passes as long as good.txt is there. */
export const goodRepo = { "good.txt": "good\n" };
export const validator = "validators: [{ name: tests, command: [test, -f, good.txt], timeout: 30s }]";
export const proof = { "artifacts/report.md": "# Report\n\nIt works.\n" };

export interface TaskWorld extends World {
  makeTask(name: string, spec: TaskSpec): Promise<TaskCase>;
  /** A task that got to the phase by accepted passes. */
  taskAt(name: string, phase: Phase, spec?: Partial<TaskSpec>): Promise<TaskCase>;
}

export function makeTaskWorld(t: TestContext): TaskWorld {
  const world = makeWorld(t);
  return {
    ...world,
    makeTask: (name, spec) => makeTask(world, name, spec),
    taskAt: (name, phase, spec = {}) =>
      makeTask(world, name, { state: { phase }, events: (place) => eventsAt(phase, place), ...spec }),
  };
}

/** Subtests that run side by side, each in a folder of its own; the test ends with `await Promise.all(cases)`. */
export function makeCases(t: TestContext) {
  const cases: Promise<void>[] = [];
  const it = (name: string, body: (folder: string) => Promise<void>): void => {
    const folder = `case-${cases.length}`;
    cases.push(t.test(name, () => body(folder)));
  };
  return { cases, it };
}

/** The ports of a pass that is called in this process. */
export function portsOf({ env, folder }: Pick<World, "env" | "folder">, now = () => new Date()): PassPorts {
  return {
    env,
    home: env.HOME ?? "",
    cwd: folder,
    now,
    redactor: createRedactor(env),
    signal: new AbortController().signal,
    tell: () => undefined,
  };
}

async function makeTask(world: World, name: string, spec: TaskSpec): Promise<TaskCase> {
  const folder = path.join("cases", name);
  const inTask = (file: string) => path.join(folder, "tasks", "T-1", file);
  const proposals = world.path(folder, "proposals");
  const state = typeof spec.state === "string" ? spec.state : stateFile(spec.state);
  mkdirSync(world.path(folder, "repo"), { recursive: true });
  mkdirSync(proposals, { recursive: true });
  for (const [file, text] of Object.entries(spec.repo ?? goodRepo)) world.write(path.join(folder, "repo", file), text);
  for (const [file, text] of Object.entries({ ...proof, ...spec.files })) world.write(inTask(file), text);
  world.write(
    inTask("README.md"),
    briefFile(
      ["id: T-1", "title: Export the answer", "repo: ../../repo", ...(spec.contract ?? [validator])],
      "Export the answer",
    ),
  );
  world.write(inTask("STATE.md"), state);
  world.write(path.join(folder, "tasks", "task-phase.yaml"), configFile(proposals, spec.model ?? ""));
  if (spec.events !== null) {
    const place = { state, contract: sha256(world.read(inTask("README.md"))), repo: world.path(folder, "repo") };
    const events = await (spec.events ?? adopted)(place);
    world.write(inTask("artifacts/journal.jsonl"), journalFile(events));
    const last = events.flatMap((event) => ("state" in event && event.state !== null ? [event.state] : [])).at(-1);
    if (last !== undefined) world.write(inTask("STATE.md"), last);
  }
  const taskDir = world.path(folder, "tasks", "T-1");
  const run = (...args: readonly string[]) => world.call("task-phase-run", ["--task-dir", taskDir, ...args]);
  return {
    folder: world.path(folder),
    taskDir,
    run,
    command: (word = "", ...args) => world.call("task-phase", [word, "--task-dir", taskDir, ...args]),
    pass: async (...args) => {
      const end = await run("--json", ...args);
      const report = end.json() as unknown as Report;
      assert.equal(end.code, report.exit_code, end.stderr);
      return report;
    },
    propose: (proposal, pass = "any") => {
      const into = path.join(proposals, String(pass));
      rmSync(into, { recursive: true, force: true });
      mkdirSync(into, { recursive: true });
      for (const part of ["task", "repo"] as const) {
        for (const [file, text] of Object.entries(proposal[part] ?? {})) writeFile(path.join(into, part, file), text);
      }
      writeFile(path.join(into, "output.txt"), proposal.output ?? "did what was asked\n<promise>COMPLETE</promise>\n");
      const [input_tokens, output_tokens] = proposal.tokens ?? [];
      const usage = { cost_usd: proposal.costUsd, input_tokens, output_tokens };
      if (Object.values(usage).some((amount) => amount !== undefined))
        writeFile(path.join(into, "usage.json"), JSON.stringify(usage));
      if (proposal.sleep !== undefined) writeFile(path.join(into, "sleep.txt"), proposal.sleep);
      if (proposal.waits === true) writeFile(path.join(into, "waits"), "");
    },
    go: () => writeFile(path.join(proposals, "go"), ""),
    state: () => world.read(inTask("STATE.md")),
    write: (file, text) => void world.write(inTask(file), text),
    read: (file) => world.read(inTask(file)),
    exists: (file) => world.exists(inTask(file)),
    edit: (values) => void world.write(inTask("STATE.md"), withFields(world.read(inTask("STATE.md")), values)),
    calls: () => {
      const file = path.join(proposals, "calls");
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
    },
    events: () =>
      world
        .read(inTask("artifacts/journal.jsonl"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as TaskEvent),
  };
}

/** The file as `resume` takes it over where there is no journal. */
function adopted({ state, contract }: { state: string; contract: string }): TaskEvent[] {
  const phase = /^- Phase: (\w+)$/m.exec(state)?.[1] as Extract<TaskEvent, { type: "adopted" }>["phase"];
  return [{ type: "adopted", at, phase, state, contract_sha256: contract }];
}

/** The journal of a task that was taken over in the phase of this STATE.md. */
export function adoptedJournal(state: string, readme: string): string {
  return journalFile(adopted({ state, contract: sha256(readme) }));
}

/** The bytes of a journal of these events, chained. */
export function journalFile(events: readonly TaskEvent[]): string {
  let head: string | null = null;
  return events
    .map((event, index) => {
      const next = formatEvent(head, index + 1, event as TaskEvent & { readonly [key: string]: unknown });
      head = next.head;
      return `${next.line}\n`;
    })
    .join("");
}

function configFile(proposals: string, model: string): string {
  const command = ["/bin/sh", agentPath("lays-over.sh"), proposals].map((word) => JSON.stringify(word)).join(", ");
  return `models:\n  - { name: prepared, adapter: command, command: [${command}]${model} }\n`;
}

function writeFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
