import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { patienceMs } from "../patience.ts";
import { type CallOptions, makeWorld, type RunEnd, type RunOptions, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { stateFile } from "./task-states.ts";

/** What `run --json` prints, as far as these tests look at it. */
export interface ModelReport {
  readonly verdict: string | null;
  readonly pass: number | null;
  readonly reason: string;
  readonly exit_code: number;
  readonly model: string | null;
  readonly next_eligible_at: string | null;
  readonly findings: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
}

/** What a program in the place of an agent CLI does when it is called. */
export interface Act {
  /** Its standard output, as the CLI would print it. */
  readonly says: string;
  /** Lines of sh that run before it speaks. */
  readonly does?: string;
  readonly exit?: number;
}

/** Tasks of one tasks root, each with a repo of its own, and programs named claude and codex on PATH. */
export interface ModelsWorld extends World {
  /** What the program does from now on. */
  act(program: Program, act: Act): void;
  /** One pass, in this process. */
  pass(options?: PassOptions, ...args: readonly string[]): Promise<ModelReport>;
  /** The names of the models that did passes, as far as the runs say. */
  models(times: number, options?: PassOptions, ...args: readonly string[]): Promise<(string | null)[]>;
  /** How often the program was called. */
  calls(program: Program): number;
  status(...args: readonly string[]): Promise<Record<string, unknown>>;
  /** cooldowns.json of the tasks root. */
  cooldowns(): Record<string, { cooldown_until: number; observed_at: number; reason: string }>;
  runtime(name: string): string;
}

export type Program = "claude" | "codex";

export interface PassOptions extends CallOptions {
  /** T-1 without it. */
  readonly task?: string;
  /** As a process of its own, at the time of the machine. */
  readonly apart?: boolean;
  /** Called with that process. */
  readonly onStart?: NonNullable<RunOptions["onStart"]>;
}

export const noon = new Date("2026-11-21T12:00:00.000Z");

export function after(seconds: number): Date {
  return new Date(noon.getTime() + seconds * 1_000);
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Events as each CLI printed them, cut down to the fields that tell something. */
export const said = {
  claude: {
    done: line({
      is_error: false,
      subtype: "success",
      num_turns: 2,
      total_cost_usd: 0.25,
      modelUsage: { "claude-sonnet-5-5": { inputTokens: 2400, outputTokens: 90 } },
      result: "Wrote the line.",
      session_id: "e09a83e1",
      type: "result",
    }),
    /** The plan's own limit, with the time of its end. */
    planLimit: (resetsAt: Date) =>
      line({
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", resetsAt: resetsAt.getTime() / 1_000, rateLimitType: "five_hour" },
      }) +
      line({
        is_error: true,
        subtype: "success",
        api_error_status: 429,
        api_error: "usage_limit_reached",
        api_error_type: "rate_limit_error",
        result: "You've hit your 5-hour limit · resets 12:40am (UTC)",
        type: "result",
      }),
    limit: line({
      is_error: true,
      subtype: "success",
      api_error_status: 429,
      api_error_type: "rate_limit_error",
      result: "API Error: Request rejected (429) · This request would exceed the rate limit of 30,000 input tokens.",
      type: "result",
    }),
    retry: (attempt: number) =>
      line({
        type: "system",
        subtype: "api_retry",
        attempt,
        max_retries: 3,
        retry_delay_ms: 2055,
        error_status: 429,
        error: "rate_limit",
      }),
    unauthorised: line({
      is_error: true,
      subtype: "success",
      api_error_status: 401,
      api_error_type: "authentication_error",
      result: "Invalid API key · Fix external API key",
      type: "result",
    }),
    /** The words of a limit in the agent's own prose. */
    prose: line({
      is_error: false,
      subtype: "success",
      num_turns: 1,
      result: "The test log says: 429 Too Many Requests, rate limit reached, quota exceeded. I fixed the retry.",
      type: "result",
    }),
  },
  codex: {
    done:
      line({ type: "item.completed", item: { type: "agent_message", text: "Wrote the line." } }) +
      line({ type: "turn.completed", usage: { input_tokens: 3000, output_tokens: 90 } }),
    limit: line({
      type: "turn.failed",
      error: { message: "exceeded retry limit, last status: 429 Too Many Requests" },
    }),
  },
};

/** Lines of sh that wait until the test holds. */
export function waitsFor(test: string): string {
  return `n=0; until ${test}; do n=$((n+1)); [ $n -gt ${patienceMs / 50} ] && exit 9; sleep 0.05; done\n`;
}

/** Resolves when it holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let count = 0; !holds(); count += 1) {
    assert(count < patienceMs / 20, "waited in vain");
    await setTimeout(20);
  }
}

const workCheck = "validators: [{ name: work, command: [test, -s, work.txt] }]";

/** What counts as progress in each phase. */
export const works = 'echo more >> "$TASK_PHASE_TASK_DIR/artifacts/seen.txt"\n';

/** Both programs do their work, and T-1 stands in intake; more tasks may be named. */
export async function makeModelsWorld(
  t: TestContext,
  config: { readonly selection?: string; readonly models?: readonly string[]; readonly tasks?: readonly string[] } = {},
): Promise<ModelsWorld> {
  const world = makeWorld(t);
  const path = `${world.path("bin")}:${world.env.PATH}`;
  const { selection, models = ["claude", "codex"], tasks = ["T-1"] } = config;
  world.write(
    "tasks/task-phase.yaml",
    `${selection === undefined ? "" : `model_selection: ${selection}\n`}models:\n${models.map(configLine).join("")}`,
  );
  for (const id of tasks) {
    world.initRepo({ "work.txt": "first\n" }, `repos/${id}`);
    world.write(
      `tasks/${id}/README.md`,
      briefFile([`id: ${id}`, "title: Add lines", `repo: ../../repos/${id}`, workCheck], "Add lines"),
    );
    world.write(`tasks/${id}/STATE.md`, stateFile({ phase: "intake" }));
  }
  const act = (program: Program, { says, does = "", exit = 0 }: Act) => {
    world.write(`says/${program}`, says);
    const count = `echo called >> '${world.path("calls", program)}'`;
    const script = `#!/bin/sh\ncat > /dev/null\n${count}\n${does}cat '${world.path("says", program)}'\nexit ${exit}\n`;
    chmodSync(world.write(`bin/${program}`, script), 0o755);
  };
  world.write("calls/.keep", "");
  for (const program of ["claude", "codex"] as const) act(program, { says: said[program].done, does: works });
  const run = (options: PassOptions, args: readonly string[]): Promise<RunEnd> => {
    const argv = ["--task-dir", world.path("tasks", options.task ?? "T-1"), "--json", ...args];
    const env = { PATH: path, ...options.env };
    return options.apart === true
      ? world.run("task-phase-run", argv, {
          env,
          ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
        })
      : world.call("task-phase-run", argv, { ...options, env });
  };
  const pass = async (options: PassOptions = {}, ...args: readonly string[]) => {
    const end = await run({ now: noon, ...options }, args);
    const report = end.json() as unknown as ModelReport;
    assert.equal(end.code, report.exit_code, end.stderr);
    return report;
  };
  return {
    ...world,
    env: { ...world.env, PATH: path },
    act,
    pass,
    async models(times, options = {}, ...args) {
      const names: (string | null)[] = [];
      for (let count = 0; count < times; count += 1) names.push((await pass(options, ...args)).model);
      return names;
    },
    calls: (program) => {
      const file = world.path("calls", program);
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
    },
    status: async (...args) => {
      const target = args.length === 0 ? ["--task-dir", world.path("tasks/T-1")] : args;
      const end = await world.call("task-phase", ["status", ...target, "--json"], { env: { PATH: path }, now: noon });
      assert.equal(end.code, 0, end.stderr);
      return end.json();
    },
    cooldowns: () => JSON.parse(world.read("tasks/.task-phase/cooldowns.json")),
    runtime: (name) => world.read(`tasks/.task-phase/${name}`),
  };
}

/** `claude`, or `name: adapter` where they differ; what stands behind a comma goes along. */
function configLine(model: string): string {
  const [, name = model, adapter = model] = /^(.*?): (.*)$/.exec(model) ?? [];
  return `  - { name: ${name}, adapter: ${adapter} }\n`;
}
