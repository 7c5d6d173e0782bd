import { existsSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { LoopKeys, RunReport } from "../../lib/rules/shapes/reports/run.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { makeWorld, type RunEnd, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { noon } from "./models-world.ts";
import { stateFile } from "./task-states.ts";

/** What `loop --json` prints. */
export type LoopJson = RunReport & LoopKeys & { readonly reason: string };

export interface LoopTask {
  readonly contract?: readonly string[];
  /** One line a call, as test/fake-agents/walks.sh reads it. */
  readonly plan?: readonly string[];
}

/** A tasks root whose tasks each have a repo of their own, and a clock that only sleeping moves. */
export interface LoopWorld extends World {
  loop(...args: readonly string[]): Promise<LoopJson>;
  /** As a person or cron sees it. */
  call1(...args: readonly string[]): Promise<RunEnd>;
  status(...args: readonly string[]): Promise<Record<string, unknown>>;
  plan(task: string, ...lines: readonly string[]): void;
  /** `T-1 intake`, in the order in which the model was called. */
  calls(): string[];
  phase(task: string): string;
  events(task: string): TaskEvent[];
  /** How long the loop slept, in seconds. */
  slept(): number;
  tasks: string;
}

export async function makeLoopWorld(
  t: TestContext,
  tasks: Readonly<Record<string, LoopTask>>,
  config = "",
): Promise<LoopWorld> {
  const world = makeWorld(t);
  const plans = world.path("plans");
  world.write("plans/.keep", "");
  const command = ["/bin/sh", agentPath("walks.sh"), plans].map((word) => JSON.stringify(word)).join(", ");
  if (!/^models:/m.test(config))
    config += `models:\n  - { name: walker, adapter: command, command: [${command}], timeout: 30s }\n`;
  world.write("tasks/task-phase.yaml", config.replaceAll("WALKS", command));
  for (const [id, { contract = [], plan = [] }] of Object.entries(tasks)) {
    world.write(`repos/${id}/work.txt`, "first\n");
    const check = `validators: [{ name: tests, command: [sh, -c, "test ! -f broken.txt || { cat broken.txt; exit 1; }"] }]`;
    const lines = contract.some((line) => line.startsWith("validators")) ? contract : [check, ...contract];
    world.write(
      `tasks/${id}/README.md`,
      briefFile([`id: ${id}`, `title: Do ${id}`, `repo: ../../repos/${id}`, ...lines], "Do it"),
    );
    world.write(`tasks/${id}/STATE.md`, stateFile({ phase: "intake" }));
    world.write(`plans/${id}.plan`, plan.join("\n"));
  }
  const clock = { at: noon.getTime(), slept: 0 };
  const options = {
    now: () => new Date(clock.at),
    sleep: async (ms: number) => {
      clock.at += ms;
      clock.slept += ms;
    },
  };
  const root = world.path("tasks");
  const call1 = (...args: readonly string[]) => {
    const target = args.includes("--task-dir") || args.includes("--tasks-root") ? [] : ["--tasks-root", root];
    return world.call("task-phase-loop", [...target, ...args], options);
  };
  return {
    ...world,
    call1,
    loop: async (...args) => (await call1("--json", ...args)).json() as unknown as LoopJson,
    status: async (...args) => {
      const target = args.includes("--task-dir") ? [] : ["--tasks-root", root];
      return (await world.call("task-phase", ["status", "--json", ...target, ...args], options)).json();
    },
    plan: (task, ...lines) => void world.write(`plans/${task}.plan`, lines.join("\n")),
    calls: () => {
      const file = world.path("plans/calls");
      const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
      return lines.map((line) => line.split(" ")).map(([task, , phase]) => `${task} ${phase}`);
    },
    phase: (task) => /^- Phase: (\w+)$/m.exec(world.read(`tasks/${task}/STATE.md`))?.[1] ?? "none",
    events: (task) =>
      world
        .read(`tasks/${task}/artifacts/journal.jsonl`)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as TaskEvent),
    slept: () => clock.slept / 1000,
    tasks: root,
  };
}
