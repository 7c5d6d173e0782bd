import { existsSync, readFileSync } from "node:fs";
import type { Night } from "./make-night.ts";
import { type Chance, chanceOf } from "./seeded.ts";
import {
  type CommandEnd,
  countHung,
  type KillPlan,
  type Moment,
  type StartCommand,
  type StartedCommand,
} from "./start-command.ts";

/** What happened from the first start of the loop to the one that found nothing to do. */
export interface NightLog {
  /** Starts of the loop, those that were killed among them. */
  starts: number;
  kills: number;
  /** Those that left an agent behind that hangs. */
  killsAtHang: number;
  /** Second starts that were turned away while a loop ran. */
  turnedAway: number;
  /** Runs of one task beside the loop, by their exit codes. */
  readonly strays: Record<string, number>;
  /** Ends of the loop by its exit code. */
  readonly exits: Record<string, number>;
  readonly problems: string[];
}

/** Those who touch tasks meanwhile. */
export interface NightPeople {
  /** Before a start of the loop. `isIdle`: the last one found nothing to do. Whether the next one may find something. */
  between(isIdle: boolean): Promise<boolean>;
  beside(loop: StartedCommand): Promise<void>;
}

export interface NightOptions {
  readonly kills: number;
  /** Of the moments of the kills and of what runs beside the loop; what the tasks do is the plan's. */
  readonly seed: number;
  readonly start: StartCommand;
  readonly people?: NightPeople;
  readonly tell?: (line: string) => void;
}

/** Calls that change the disk, and lines with --verbose, of a usual pass; both only have to be of that size. */
const callsPerPass = 400;
const linesPerPass = 5;

/** What a loop over a root may end with here: everything is done, or stopped, a budget of the run or day is spent, or a task is refused. */
const expectedExits: readonly (number | null)[] = [0, 2, 21, 22, 24, 78];
const expectedStrays: readonly (number | null)[] = [0, 2, 3, 20, 21, 22, 23, 24, 75, 78];
/** What people can bring about besides: a task paused, cancelled, refused or in amber. */
const touchedExits: readonly (number | null)[] = [3, 20, 23, 25, 65];

/** Starts the loop as cron would, kills it so many times, and goes on until it finds nothing to do. */
export async function runNight(night: Night, options: NightOptions): Promise<NightLog> {
  const log: NightLog = { starts: 0, kills: 0, killsAtHang: 0, turnedAway: 0, strays: {}, exits: {}, problems: [] };
  const chance = chanceOf(options.seed, "kills");
  const most = 60 + options.kills * 4 + night.plan.tasks.length;
  for (let found = true; found; ) {
    if (log.starts >= most) {
      log.problems.push(`the loop was started ${log.starts} times and there is still something to do`);
      return log;
    }
    const kill = nextKill(night, options.kills, log, chance);
    const hung = countHung(night);
    const loop = options.start(["loop", "--tasks-root", night.tasksRoot, "--verbose"], kill);
    log.starts += 1;
    const beside = chance.happens(options.kills === 0 ? 0 : 0.4) ? runBeside(night, loop, chance, log, options) : null;
    const touching = options.people?.beside(loop);
    const end = await loop.end;
    await beside;
    await touching;
    options.tell?.(describeStart(night, log, kill?.moment ?? null, end));
    if (end.killed) {
      log.kills += 1;
      if (countHung(night) > hung) log.killsAtHang += 1;
      night.pass(chance.between(30, 600));
      await options.people?.between(false);
      continue;
    }
    log.exits[String(end.code)] = (log.exits[String(end.code)] ?? 0) + 1;
    if (![...expectedExits, ...(options.people === undefined ? [] : touchedExits)].includes(end.code))
      log.problems.push(`the loop ended with ${end.code}: ${renderEnd(end)}`);
    // A time is named where something goes on by itself, such as a cooldown, a deadline or the next day.
    found = end.json?.iteration !== 0 || typeof end.json?.next_eligible_at === "string";
    waitForTick(night, end);
    if ((await options.people?.between(!found)) === true) found = true;
  }
  return log;
}

/** Every eighth kill is to come where an agent hangs, at the latest with the last ones. */
function nextKill(night: Night, kills: number, log: NightLog, chance: Chance): KillPlan | null {
  if (log.kills >= kills) return null;
  const hangs = night.plan.tasks.filter(({ plan, end }) => end !== "waiting" && plan.includes("hangs-once")).length;
  const atHang = Math.min(hangs, Math.ceil(kills / 8)) - log.killsAtHang;
  const left = kills - log.kills;
  return {
    moment: left > atHang ? nextMoment(night, left, chance) : null,
    atHang: atHang > 0 && log.killsAtHang * 8 <= log.kills,
  };
}

/** The next kill comes early enough that those behind it find something to kill too. */
function nextMoment(night: Night, left: number, chance: Chance): Moment {
  const planned = night.plan.tasks.filter(({ end }) => end !== "waiting").length * 6;
  const passes = (Math.max(4, planned - countBegun(night)) / (left + 1)) * chance.next() * 1.2;
  if (chance.happens(0.6)) {
    const at = 1 + Math.floor(passes * callsPerPass) + chance.between(0, callsPerPass);
    return { kind: "call", at, half: chance.happens(0.3) };
  }
  return { kind: "line", line: 1 + Math.floor(passes * linesPerPass), afterMs: chance.between(0, 250) };
}

export function countBegun(night: Night): number {
  return readLedger(night, "passes").filter((line) => line.startsWith("begin ")).length;
}

export function readLedger(night: Night, name: string): string[] {
  const file = night.path("ledger", name);
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

/** A second loop, which must be turned away, or a run of one task, which may find it free. */
async function runBeside(
  night: Night,
  loop: StartedCommand,
  chance: Chance,
  log: NightLog,
  { start, people }: NightOptions,
): Promise<void> {
  const isTouched = people !== undefined;
  await loop.reaches(chance.between(1, 2 * linesPerPass));
  const strays = night.plan.tasks.filter(({ stray }) => stray);
  if (strays.length > 0 && chance.happens(0.5)) {
    const { id } = chance.pick(strays);
    const { code, json } = await start(["run", "--task-dir", night.taskPath(id)]).end;
    log.strays[String(code)] = (log.strays[String(code)] ?? 0) + 1;
    if (!expectedStrays.includes(code) && !(isTouched && touchedExits.includes(code)))
      log.problems.push(`a run of ${id} ended with ${code}: ${JSON.stringify(json?.findings)}`);
    return;
  }
  if (loop.hasEnded()) return;
  const { code } = await start(["loop", "--tasks-root", night.tasksRoot, "--max-passes", "1"]).end;
  if (code === 75) log.turnedAway += 1;
  else if (!loop.hasEnded()) log.problems.push(`a second loop ended with ${code} while the first one ran`);
}

/** To the time that the loop names, as a night goes by; else for a quarter of an hour. */
function waitForTick(night: Night, end: CommandEnd): void {
  const named = end.json?.next_eligible_at;
  const until = typeof named === "string" ? Date.parse(named) - night.now().getTime() : 0;
  night.pass(until > 0 ? until / 1000 : 900);
}

function describeStart(night: Night, { starts }: NightLog, moment: Moment | null, end: CommandEnd): string {
  const when = night.now().toISOString().slice(0, 16);
  const latest =
    moment === null ? "at a hang" : moment.kind === "line" ? `after line ${moment.line}` : `before call ${moment.at}`;
  const how = end.killed
    ? `killed, ${latest} or earlier`
    : `ended with ${end.code} after ${String(end.json?.iteration)} passes: ${String(end.json?.reason)}`;
  return `start ${starts}, ${when}: ${how}`;
}

function renderEnd({ json, stderr }: CommandEnd): string {
  return `${String(json?.reason)} ${JSON.stringify(json?.findings)} ${stderr.slice(-500)}`;
}
