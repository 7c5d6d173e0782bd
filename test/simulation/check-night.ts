import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { agentPath } from "../fake-agents/agent-path.ts";
import { findLiving } from "../process/find-living.ts";
import { dayBudgetUsd, type Night, runBudget } from "./make-night.ts";
import type { PlannedTask } from "./plan-night.ts";
import { readRecord, type TaskRecord } from "./read-record.ts";
import { countBegun, readLedger } from "./run-night.ts";
import type { StartCommand } from "./start-command.ts";

/** How one task stands in the morning; what two nights of one seed have in common. */
export interface TaskEnd {
  /** Phase and cause, as in the plan. */
  readonly end: string;
  /** Of all files of the task in its repo; null where how far it came depends on how often it was cut off. */
  readonly work: string | null;
}

export interface NightResult {
  readonly ends: Readonly<Record<string, TaskEnd>>;
  /** Everything that must hold and does not. */
  readonly problems: readonly string[];
  /** Processes of an agent that began, those that were cut off or did no work among them. */
  readonly calls: number;
  /** By verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly chargedUsd: number;
}

interface Finding {
  readonly severity: string;
  readonly code: string;
  readonly file: string | null;
}

/** An edit of STATE.md that no run has judged yet. */
const ofEdits: ReadonlySet<string> = new Set(["TP_NO_JOURNAL"]);

interface StatusTask {
  readonly task: string;
  readonly phase: string;
  readonly standing: string;
  readonly why: string;
  readonly blockers: string | null;
  readonly waits_for: readonly string[];
  readonly open_questions: readonly string[];
}

/** Holds everything that a night must have kept against the files as they stand. */
export async function checkNight(
  night: Night,
  start: StartCommand,
  touched: ReadonlySet<string> = new Set(),
): Promise<NightResult> {
  const { plan } = night;
  const isOpen = openEnds(plan.tasks, touched);
  const [status, check] = await Promise.all(
    ["status", "check"].map((name) => start([name, "--tasks-root", night.tasksRoot]).end),
  );
  if (status === undefined || check === undefined) throw new Error("two commands have two ends");
  const standings = new Map(((status.json?.tasks ?? []) as StatusTask[]).map((task) => [task.task, task]));
  const records = new Map(plan.tasks.map(({ id }) => [id, readRecord(night, id)]));
  const problems: string[] = [];
  const ends: Record<string, TaskEnd> = {};
  for (const task of plan.tasks) {
    const standing = standings.get(task.id);
    const record = records.get(task.id);
    if (standing === undefined || record === undefined) {
      problems.push(`${task.id}: status does not know it`);
      continue;
    }
    const end = renderEnd(standing, record);
    ends[task.id] = {
      end,
      work: task.fate === "spends its money" ? null : hashOf(night.path("repos", task.repo, task.id)),
    };
    const found = [
      ...(isOpen(task.id) || end === task.end
        ? []
        : [`it ended as "${end}", and its fate is "${task.end}" (${task.fate})`]),
      ...(isOpen(task.id) ? [] : judgeReason(standing, ends)),
      ...(touched.has(task.id) ? [] : judgeBudgets(task, record)),
      ...judgeDependencies(task, record, records),
      ...(touched.has(task.id) ? [] : judgeFiles(night, task, record)),
      ...(touched.has(task.id) ? [] : judgeWords(task, record)),
      ...record.problems,
      ...(standing.standing === "done" ? judgeWork(night, task) : []),
    ];
    problems.push(...found.map((problem) => `${task.id}: ${problem}`));
  }
  await passADay(night, start);
  problems.push(...judgeSums([...records.values()]), ...readLedger(night, "violations"));
  problems.push(...findLiving(night.folder).map((line) => `still alive: ${line}`), ...listLeft(night));
  const found = ((check.json?.findings ?? []) as Finding[]).filter(({ code, file }) => {
    const isTouched = [...touched].some((id) => file?.startsWith(`${night.taskPath(id)}/`) === true);
    return !(isTouched && ofEdits.has(code));
  });
  if (check.code !== 0 && found.some(({ severity }) => severity === "error"))
    problems.push(`check ended with ${check.code}: ${JSON.stringify(found)}`);
  const verdicts: Record<string, number> = {};
  for (const { verdict } of [...records.values()].flatMap((record) => record.verdicts))
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  const chargedUsd = sum([...records.values()].flatMap((record) => record.charges.map(({ usd }) => usd)));
  return { ends, problems, calls: countBegun(night), verdicts, chargedUsd };
}

/** Whether a task, or one that it waits for, was touched: then the plan no longer says how it ends. */
function openEnds(tasks: readonly PlannedTask[], touched: ReadonlySet<string>): (id: string) => boolean {
  const open = new Set(touched);
  // Each task comes after those that it needs.
  for (const { id, dependsOn } of tasks) if (dependsOn.some((other) => open.has(other))) open.add(id);
  return (id) => open.has(id);
}

/** A question that a pass left which was cut off stops the task as one that was accepted does. */
function renderEnd(standing: StatusTask, { cause }: TaskRecord): string {
  if (standing.phase === "done") return "done";
  if (standing.standing === "waits") return "waiting";
  if (standing.standing === "asks") return `needs_user_decision ${cause ?? "agent"}`;
  return `${standing.phase} ${cause ?? (standing.standing === "blocked" ? "agent" : standing.standing)}`;
}

/** What is not done says why, where a person looks. `ends` holds those that come before it. */
function judgeReason(standing: StatusTask, ends: Readonly<Record<string, TaskEnd>>): string[] {
  switch (standing.standing) {
    case "done":
      return [];
    case "waits":
      return standing.waits_for.some((id) => ends[id] !== undefined && ends[id].end !== "done")
        ? []
        : [`it waits for ${standing.waits_for.join(", ")}, and none of these stopped`];
    case "asks":
      return standing.open_questions.length > 0 ? [] : ["it waits for a decision, and no question is open"];
    case "blocked":
    case "stuck":
      return (standing.blockers ?? "none") === "none" ? ["it is blocked, and Blockers is empty"] : [];
    case "refused":
      return standing.why.includes("no required validator") ? [] : [`it is refused: ${standing.why}`];
    case "runnable":
      return [`it can be run, and nobody did: ${standing.why}`];
    default:
      return [`it stands as ${standing.standing}: ${standing.why}`];
  }
}

/** Sums of decimal fractions are off by less than this. */
const rounding = 1e-9;

/** Words of a plan that are no way to get a pass accepted. */
const faulty: ReadonlySet<string> = new Set([
  "forges-journal",
  "edits-brief",
  "assumes",
  "tears",
  "idles",
  "hangs",
  "crashes",
  "dies",
]);
/** Those that are wrong only on the way to these phases: a person's edit during a pass can put a plan a word behind. */
const faultyTowards: Readonly<Record<string, readonly string[]>> = {
  lies: ["review", "done"],
  "without-promise": ["done"],
};

/** What the agent did in each pass that counts is the next word of its plan. */
function judgeWords({ plan }: PlannedTask, { verdicts }: TaskRecord): string[] {
  return verdicts.filter(counts).flatMap(({ verdict, to }, index) => {
    const word = plan[index]?.split(" ")[0] ?? "honest";
    const isWrong = faulty.has(word) || faultyTowards[word]?.includes(to) === true;
    return verdict === "accepted" && isWrong ? [`a pass was accepted that ${word}`] : [];
  });
}

function judgeBudgets(task: PlannedTask, record: TaskRecord): string[] {
  const counted = record.verdicts.filter(counts).length;
  const charged = sum(record.charges.map(({ usd }) => usd));
  return [
    ...(counted > task.passes ? [`${counted} passes of ${task.passes}`] : []),
    ...(record.repairs > task.repairs ? [`${record.repairs} repairs of ${task.repairs}`] : []),
    ...(task.moneyUsd !== null && charged > task.moneyUsd + rounding
      ? [`${charged} US dollars of ${task.moneyUsd}`]
      : []),
  ];
}

/** What was cut off, and what no model did, counts against money and not against passes. */
function counts({ verdict }: TaskRecord["verdicts"][number]): boolean {
  return verdict !== "interrupted" && verdict !== "unavailable";
}

function judgeSums(records: readonly TaskRecord[]): string[] {
  const charges = records.flatMap((record) => record.charges);
  const days = sumBy(charges, ({ at }) => at.slice(0, 10));
  const runs = sumBy(charges, ({ run }) => run);
  const counted = records.flatMap((record) => record.verdicts.filter(counts)).map(({ run }) => ({ run, usd: 1 }));
  const passes = sumBy(counted, ({ run }) => run);
  const over = (sums: ReadonlyMap<string, number>, limit: number, what: string) =>
    [...sums]
      .filter(([name, amount]) => name !== "none" && amount > limit + rounding)
      .map(([name, amount]) => `${name}: ${amount} ${what} of ${limit}`);
  return [
    ...over(days, dayBudgetUsd, "US dollars"),
    ...over(runs, runBudget.moneyUsd, "US dollars"),
    ...over(passes, runBudget.passes, "passes"),
  ];
}

function judgeDependencies(task: PlannedTask, record: TaskRecord, records: ReadonlyMap<string, TaskRecord>): string[] {
  const { firstPassAt } = record;
  if (firstPassAt === null) return [];
  return task.dependsOn.flatMap((id) => {
    const doneAt = records.get(id)?.doneAt ?? null;
    return doneAt !== null && doneAt <= firstPassAt ? [] : [`it began at ${firstPassAt}, and ${id} was done ${doneAt}`];
  });
}

/** What an agent tried to change in its own interest stands as it was. */
function judgeFiles(night: Night, { id }: PlannedTask, record: TaskRecord): string[] {
  const read = (name: string) => readFileSync(night.taskPath(id, name), "utf8");
  return [
    ...(read("README.md") === night.briefOf(id) ? [] : ["its brief is not what the person wrote"]),
    ...(record.state === null || read("STATE.md") === record.state
      ? []
      : ["its STATE.md is not the one that was accepted last"]),
  ];
}

/** The check is run on what stands in the repo, by nobody but this. */
function judgeWork(night: Night, { id, repo }: PlannedTask): string[] {
  const words = [agentPath("checks-at-night.sh"), night.folder, id];
  const { status } = spawnSync("/bin/sh", words, { cwd: night.path("repos", repo), stdio: "ignore" });
  return status === 0 ? [] : ["it is done, and its check fails"];
}

const halfWritten = /(?:^|\/)\.tp-[0-9a-f]+\.tmp$/;

/** Of a task that is run no more, what a killed run half wrote goes a day later, with the next command that locks a task. */
async function passADay(night: Night, start: StartCommand): Promise<void> {
  const before = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  const names = readdirSync(night.folder, { recursive: true }) as string[];
  for (const name of names.filter((one) => halfWritten.test(one) || one.endsWith("/sweep.lock")))
    utimesSync(path.join(night.folder, name), before, before);
  const [first] = night.plan.tasks;
  if (first !== undefined) await start(["evidence", "--task-dir", night.taskPath(first.id)]).end;
}

/** What only a run that is in progress may have. */
function listLeft(night: Night): string[] {
  const tasks = night.path("state", "task-phase", "tasks");
  const records = (existsSync(tasks) ? readdirSync(tasks) : []).flatMap((folder) =>
    ["current.json", "commit.json", "process.json"]
      .map((name) => path.join(tasks, folder, name))
      .filter((file) => existsSync(file)),
  );
  const names = readdirSync(night.folder, { recursive: true }) as string[];
  const temporary = names.filter((name) => halfWritten.test(name));
  return [...records, ...temporary, ...readdirSync(night.path("tmp"))].map((name) => `left over: ${name}`);
}

function hashOf(folder: string): string {
  const names = existsSync(folder) ? (readdirSync(folder) as string[]).sort() : [];
  const texts = names.map((name) => `${name}\n${readFileSync(path.join(folder, name), "utf8")}`);
  return createHash("sha256").update(texts.join("\n")).digest("hex");
}

function sumBy<Charge extends { readonly usd: number }>(
  charges: readonly Charge[],
  keyOf: (charge: Charge) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const charge of charges) sums.set(keyOf(charge), (sums.get(keyOf(charge)) ?? 0) + charge.usd);
  return sums;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
