import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import type { RunEnd } from "../cli/arrange.ts";
import { makeTaskWorld, type TaskCase, type TaskSpec } from "../cli/task-world.ts";
import { demoTask } from "../scripted-server/demo-task.ts";
import { type ScriptedServer, startScriptedServer } from "../scripted-server/http-server.ts";
import type { Scenario } from "../scripted-server/scenarios.ts";
import { type CliPlace, writeCliSettings } from "./cli-settings.ts";
import type { InstalledCli } from "./installed.ts";
import { listMarked, markName } from "./marked-processes.ts";

export interface RealSpec {
  readonly scenario: Scenario;
  /** Over those of a task that stands in implement and has one real validator. */
  readonly task?: Partial<TaskSpec>;
  /** Variables beside those that the CLI is set up with. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further lines of task-phase.yaml. */
  readonly config?: string;
  /** Words behind those that the CLI is set up with. */
  readonly args?: readonly string[];
  /** "key" if missing. */
  readonly login?: CliPlace["login"];
}

/**
 * A scratch task on a scratch repo, and one real CLI that talks to a scripted server. The world must not stand below
 * /tmp, where codex lets its commands write whatever they are told: TMPDIR of this process says where.
 */
export interface RealWorld {
  readonly task: TaskCase;
  readonly repo: string;
  readonly server: ScriptedServer;
  readonly mark: string;
  /** Where it may keep what is its own: its home and its folder for temporary files. */
  readonly own: readonly string[];
  /** Runs `task-phase-run --json` with these words; `meanwhile` gets the number of the runner's process. */
  run(words: readonly string[], meanwhile?: (runner: number) => Promise<void>): Promise<RunEnd>;
  /** Runs `task-phase` with these words, where the tasks are. */
  call(words: readonly string[]): Promise<RunEnd>;
}

/** What a pass came to: all of it that can be foretold. */
export interface RealOutcome {
  readonly exit: number | null;
  readonly verdict: unknown;
  /** The kind of the end; of a limit with its cause, of a signal with its name. */
  readonly end: string;
  readonly progress: unknown;
  /** Command lines of what the pass left alive. */
  readonly survivors: readonly string[];
  /** Files of the CLI that still hold the prompt, as a session does; but for copilot's store of all its sessions. */
  readonly left: readonly string[];
}

export interface RealPass extends RealWorld {
  readonly outcome: RealOutcome;
  readonly end: ModelEnd;
  readonly report: Readonly<Record<string, unknown>>;
  /** pass.json. */
  readonly record: Readonly<Record<string, unknown>>;
}

export async function makeRealWorld(t: TestContext, cli: InstalledCli, spec: RealSpec): Promise<RealWorld> {
  const world = makeTaskWorld(t);
  const server = await startScriptedServer(spec.scenario);
  t.after(() => server.close());
  const task = await world.makeTask("real", {
    state: { phase: "implement", fields: { "Candidate done": "no" } },
    repo: demoTask.repo,
    contract: ["validators: [{ name: tests, command: [node, --test], timeout: 30s }]"],
    ...spec.task,
  });
  const place = path.relative(world.folder, task.folder);
  world.git(path.join(place, "repo"), "init", "--quiet", "--initial-branch=main");
  world.git(path.join(place, "repo"), "add", "--all");
  world.git(path.join(place, "repo"), "commit", "--quiet", "--message", "The repo before the task");

  const mark = path.basename(world.folder);
  const login = spec.login ?? "key";
  const cache = path.resolve(cli.path[0] ?? "", "..", "..", "cache");
  const settings = writeCliSettings[cli.name]({ home: world.path("home"), url: server.url, cache, login });
  const passed = { ...settings.env, ...spec.env, [markName]: mark };
  const names = Object.keys(passed).join(", ");
  const model = `{ name: real, adapter: ${cli.name}, args: ${JSON.stringify([...settings.args, ...(spec.args ?? [])])}, env: [${names}] }`;
  world.write(path.join(place, "tasks", "task-phase.yaml"), `models:\n  - ${model}\n${spec.config ?? ""}`);
  mkdirSync(world.path("tmp"));
  const env = {
    ...passed,
    PATH: [...cli.path, path.dirname(process.execPath), world.env.PATH].join(path.delimiter),
    TMPDIR: world.path("tmp"),
    // Whatever a CLI asks of anybody else ends at this server.
    ...{ HTTPS_PROXY: server.url, https_proxy: server.url, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" },
  };
  const root = path.join(place, "tasks");
  return {
    task,
    repo: path.join(task.folder, "repo"),
    server,
    mark,
    own: [world.path("home"), world.path("tmp")],
    async run(words, meanwhile) {
      let waiting: Promise<void> | undefined;
      const end = await world.run("task-phase-run", ["--task-dir", task.taskDir, "--json", ...words], {
        env,
        onStart: (child) => {
          waiting = meanwhile?.(child.pid ?? 0);
        },
      });
      await waiting;
      return end;
    },
    call: (words) => world.run("task-phase", [...words, "--json"], { env, cwd: root }),
  };
}

export interface PassSpec extends RealSpec {
  /** How the table of results calls it. */
  readonly name: string;
  /** The runner's --timeout; generous where the CLI ends by itself. */
  readonly timeout?: string;
  /** The server is gone before the CLI asks it. */
  readonly offline?: boolean;
  readonly meanwhile?: (runner: number, mark: string, server: ScriptedServer) => Promise<void>;
}

/** One pass of a real CLI. */
export async function runReal(t: TestContext, cli: InstalledCli, spec: PassSpec): Promise<RealPass> {
  const world = await makeRealWorld(t, cli, spec);
  if (spec.offline === true) await world.server.close();
  const started = performance.now();
  const run = await world.run(["--timeout", spec.timeout ?? "150s"], (runner) =>
    Promise.resolve(spec.meanwhile?.(runner, world.mark, world.server)),
  );
  const seconds = (performance.now() - started) / 1_000;
  const report = run.json();
  assert.equal(report.pass, 1, `there was no pass: ${String(report.reason)}`);
  const record = JSON.parse(world.task.read("artifacts/passes/0001/pass.json")) as Record<string, unknown>;
  const { end } = record.facts as { readonly end: ModelEnd };
  const outcome = {
    exit: run.code,
    verdict: report.verdict,
    end: describeEnd(end),
    progress: report.progress,
    survivors: listMarked(world.mark).map((one) => one.command),
    left: world.own
      .flatMap((folder) => filesWith("Do one bounded pass in the phase", folder))
      .filter((name) => !(cli.name === "copilot" && /(?:^|\/)session-store\.db/.test(name))),
  };
  note({ cli: cli.name, scenario: spec.name, ...outcome, seconds, requests: world.server.seen.length });
  return { ...world, outcome, end, report, record };
}

function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const file = path.join(folder, name);
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true && readFileSync(file).includes(text);
  });
}

function describeEnd(end: ModelEnd): string {
  if (end.kind === "limited") return `limited: ${end.cause}`;
  if (end.kind !== "exited") return end.kind;
  return end.signal === null ? `exited, ${end.result_event ? "with" : "without"} a result` : end.signal;
}

/** A line for the table that `npm run test:models` prints. */
function note(result: object): void {
  const file = process.env.TASK_PHASE_REAL_RESULTS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
