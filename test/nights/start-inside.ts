import { appendFileSync } from "node:fs";
import path from "node:path";
import { type CommandName, commandTable } from "../../lib/cli/command-table.ts";
import { runCli } from "../../lib/cli/run-cli.ts";
import { moveClock, type Night, readClock } from "../simulation/make-night.ts";
import { chanceOf } from "../simulation/seeded.ts";
import type { CommandEnd, KillPlan, StartedCommand } from "../simulation/start-command.ts";
import { agent, check, type Steps } from "./agent.ts";
import { Killed, Life, outsideOfLives, presentLife } from "./life.ts";
import { type ProgramEnd, setPrograms } from "./programs.ts";

/** Starts commands of one night in this process, each in a life of its own. */
export function openInside(night: Night): (words: readonly string[], kill?: KillPlan | null) => StartedCommand {
  const chance = chanceOf(night.plan.seed, "orphans");
  const hanging = new WeakSet<Life>();
  const busy = new Set<string>();
  const most = night.plan.tasks.length * callsOfTask;
  let calls = 0;
  setPrograms(async ({ argv, cwd, env }) => {
    const life = presentLife();
    const [program = "", , ...words] = argv;
    const model = words.at(-1) ?? "";
    const isCheck = argv[1]?.endsWith("checks-at-night.sh") === true;
    const cli = path.basename(program);
    const isAgent = cli === "claude" || cli === "codex" || (!isCheck && model === "mine");
    if (life === null || (!isCheck && (!isAgent || env.TASK_PHASE_TASK_DIR === undefined))) return { exitCode: 1 };
    const task = isCheck ? (words.at(-1) ?? "") : path.basename(env.TASK_PHASE_TASK_DIR ?? "");
    const call = {
      model: cli === "sh" ? model : cli,
      taskDir: env.TASK_PHASE_TASK_DIR ?? "",
      repo: env.TASK_PHASE_REPO ?? "",
      pass: Number(env.TASK_PHASE_PASS),
      phase: env.TASK_PHASE_PHASE ?? "",
      usageFile: env.TASK_PHASE_USAGE_FILE ?? "",
    };
    calls += isCheck ? 0 : 1;
    if (calls === most) addViolation(night, `agents were called ${most} times, and it still goes on`);
    if (calls >= most) life.end();
    const steps = isCheck ? check(cwd, task) : agent(night, call);
    const end = await alone(night, busy, [task, `repo ${isCheck ? cwd : call.repo}`], () =>
      follow(steps, life, () => chance.happens(0.5)),
    );
    if (end.exitCode === null && end.signal === undefined && hanging.has(life)) life.end();
    return end;
  });
  return (words, kill = null) => {
    const life = new Life(kill?.moment?.kind === "call" ? kill.moment.at : null, hasHalf(kill));
    if (kill?.atHang === true) hanging.add(life);
    return start(night, words, life, kill);
  };
}

/** No plan needs as many, whatever is cut off or limited. */
const callsOfTask = 40;

function hasHalf(kill: KillPlan | null): boolean {
  return kill?.moment?.kind === "call" && kill.moment.half;
}

/** Whether a program of a life that ended does the rest of its work before anybody ends it. */
type GoesOn = () => boolean;

async function follow(steps: Steps, life: Life, goesOn: GoesOn): Promise<ProgramEnd> {
  for (;;) {
    const step = outsideOfLives(() => steps.next());
    if (step.done === true) return step.value;
    try {
      life.count();
    } catch (error) {
      if (error instanceof Killed && goesOn()) outsideOfLives(() => [...steps]);
      throw error;
    }
    await Promise.resolve();
  }
}

/** Notes it as a violation if two programs work in one place at a time. */
async function alone<Value>(
  night: Night,
  busy: Set<string>,
  places: readonly string[],
  act: () => Promise<Value>,
): Promise<Value> {
  const taken = places.filter((place) => busy.has(place));
  if (taken.length > 0) addViolation(night, `${taken.join(", ")}: two programs were alive at a time`);
  for (const place of places) busy.add(place);
  try {
    return await act();
  } finally {
    for (const place of places) busy.delete(place);
  }
}

function addViolation(night: Night, line: string): void {
  outsideOfLives(() => appendFileSync(night.path("ledger", "violations"), `${line}\n`));
}

function start(night: Night, words: readonly string[], life: Life, kill: KillPlan | null): StartedCommand {
  const [name = "", ...flags] = words;
  const command = commandTable.find((spec) => spec.name === name)?.name satisfies CommandName | undefined;
  if (command === undefined) throw new Error(`no command is named ${name}`);
  const streams = { stdout: "", stderr: "" };
  const waiting: { readonly line: number; readonly act: () => void }[] = [];
  let hasEnded = false;
  const heard = (text: string): void => {
    if (life.isOver) return;
    streams.stderr += text;
    const count = streams.stderr.split("\n").length - 1;
    const { moment = null } = kill ?? {};
    if (moment?.kind === "line" && moment.line <= count) life.endsAt ??= life.calls + 1 + moment.afterMs;
    for (const { act } of waiting.filter(({ line }) => line <= count)) act();
  };
  const clock = night.path("clock");
  const io = {
    stdout: {
      write: (text: string) => {
        if (!life.isOver) streams.stdout += text;
      },
    },
    stderr: { write: heard },
    env: night.env,
    cwd: night.folder,
    now: () => outsideOfLives(() => readClock(clock)),
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (signal?.aborted !== true) outsideOfLives(() => moveClock(clock, ms / 1000));
      await Promise.resolve();
    },
  };
  const end = (async (): Promise<CommandEnd> => {
    const code = await life.lead(() => runCli(command, [...flags, "--json"], io));
    hasEnded = true;
    for (const { act } of waiting) act();
    if (life.isOver) return { code: null, killed: true, stderr: streams.stderr, json: null };
    return { code, killed: false, stderr: streams.stderr, json: JSON.parse(streams.stdout) as Record<string, unknown> };
  })();
  const reaches = (line: number) => new Promise<void>((act) => void waiting.push({ line, act }));
  return { end, reaches, hasEnded: () => hasEnded };
}
