import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { briefFile } from "../cli/brief-file.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { modelNames, type NightPlan } from "./plan-night.ts";

/** A folder with the tasks of a plan, their repos, and fake agent CLIs on PATH. */
export interface Night {
  readonly folder: string;
  readonly plan: NightPlan;
  readonly tasksRoot: string;
  readonly env: Readonly<Record<string, string>>;
  path(...parts: string[]): string;
  taskPath(id: string, ...parts: string[]): string;
  /** The bytes of the brief of a task as a person wrote it. */
  briefOf(id: string): string;
  now(): Date;
  /** Lets time go by. */
  pass(seconds: number): void;
  remove(): void;
}

/** Nine in the evening; it is a Friday. */
export const nightBegins = Date.parse("2026-11-20T21:00:00Z");

/** US dollars and passes of one call of the loop, and US dollars of one UTC day. */
export const runBudget = { passes: 45, moneyUsd: 10 };
export const dayBudgetUsd = 120;

/** `name`: of its folder, so that its paths are the same each time; one that is there already is somebody else's. */
export function makeNight(plan: NightPlan, name: string | null = null): Night {
  const folder = makeFolder(name);
  const inside = (...parts: string[]) => path.join(folder, ...parts);
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(inside(name)), { recursive: true });
    writeFileSync(inside(name), text);
  };
  const clock = inside("clock");
  for (const name of ["home", "tmp", "ledger", "troubles", "plans"]) mkdirSync(inside(name));
  write("clock", "");
  const words = [agentPath("works-at-night.sh"), folder, String(nightBegins / 1000)];
  for (const program of ["claude", "codex"] as const) {
    write(`bin/${program}`, `#!/bin/sh\nexec /bin/sh ${words.map(quote).join(" ")} ${program}\n`);
    chmodSync(inside("bin", program), 0o755);
  }
  for (const model of modelNames) write(`troubles/${model}`, lines(plan.troubles[model]));
  write("tasks/task-phase.yaml", configFile(["/bin/sh", ...words, "mine"]));
  const briefs = new Map<string, string>();
  for (const task of plan.tasks) {
    const check = ["/bin/sh", agentPath("checks-at-night.sh"), folder, task.id];
    const validators = `validators: [{ name: tests, command: ${JSON.stringify(check)}, timeout: 60s }]`;
    const own = task.contract.some((line) => line.startsWith("validators")) ? [] : [validators];
    const head = [`id: ${task.id}`, `title: Do ${task.id}`, `repo: ../../repos/${task.repo}`];
    const needs = `depends_on: [${task.dependsOn.join(", ")}]`;
    const brief = briefFile([...head, needs, ...own, ...task.contract], `Do ${task.id}`);
    briefs.set(task.id, brief);
    write(`tasks/${task.id}/README.md`, brief);
    const now = new Date(nightBegins).toISOString();
    write(`tasks/${task.id}/STATE.md`, renderState({ id: task.id, title: `Do ${task.id}`, userFacing: false, now }));
    write(`plans/${task.id}`, lines(task.plan));
    write(`repos/${task.repo}/kept.txt`, "kept\n");
  }
  return {
    folder,
    plan,
    tasksRoot: inside("tasks"),
    env: environment(folder),
    path: inside,
    taskPath: (id, ...parts) => inside("tasks", id, ...parts),
    briefOf: (id) => briefs.get(id) ?? "",
    now: () => readClock(clock),
    pass: (seconds) => moveClock(clock, seconds),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function makeFolder(name: string | null): string {
  const named = path.join(realpathSync(os.tmpdir()), `task-phase-${name}`);
  if (name !== null && !existsSync(named)) return mkdirSync(named, { recursive: true }) ?? named;
  return realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-night-")));
}

/** Each byte is a second: it is read and moved on without a lock, by any process, and outlives all of them. */
export function readClock(file: string): Date {
  return new Date(nightBegins + statSync(file).size * 1000);
}

export function moveClock(file: string, seconds: number): void {
  appendFileSync(file, " ".repeat(Math.ceil(seconds)));
}

function configFile(mine: readonly string[]): string {
  const common = "timeout: 1.5s, estimate_usd: 0.2";
  return lines([
    "models:",
    `  - { name: claude, adapter: claude, ${common} }`,
    `  - { name: codex, adapter: codex, ${common}, cooldown: 2h, price: { input_per_mtok: 200, output_per_mtok: 200 } }`,
    `  - { name: mine, adapter: command, command: ${JSON.stringify(mine)}, ${common} }`,
    "budget:",
    `  run: { passes: ${runBudget.passes}, money_usd: ${runBudget.moneyUsd} }`,
    `  day: { money_usd: ${dayBudgetUsd} }`,
  ]);
}

/** Nothing of the caller's own settings. Coverage is not written by a process that is killed. */
function environment(folder: string): Record<string, string> {
  return {
    PATH: `${path.join(folder, "bin")}:${process.env.PATH ?? "/usr/bin:/bin"}`,
    HOME: path.join(folder, "home"),
    XDG_STATE_HOME: path.join(folder, "state"),
    XDG_CONFIG_HOME: path.join(folder, "config"),
    TMPDIR: path.join(folder, "tmp"),
    LANG: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    TASK_PHASE_TRUST: "1",
  };
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
