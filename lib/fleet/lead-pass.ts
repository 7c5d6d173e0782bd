import { setTimeout as sleep } from "node:timers/promises";
import { orderlyGraceMs } from "../process/grace.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { hasErrors } from "../text/finding.ts";
import { openDesk, type PassDesk } from "./answer-pass.ts";
import { offerJobs, slotsOf } from "./choose-jobs.ts";
import type { Engine, Job, Lease } from "./engine/engine.ts";
import { ignoreFault } from "./engine/engine-error.ts";
import type { LeasedEnd, PassMessage } from "./pass-channel.ts";
import type { PassProcess, StartPass } from "./start-pass.ts";
import { endLease, type LeaseEnd, watchLease } from "./watch-lease.ts";

export interface PassLeader {
  readonly engine: Engine;
  readonly start: StartPass;
  readonly config: string | null;
  readonly verbose: boolean;
  /** Safety margin before the end of a lease, in milliseconds. */
  readonly marginMs: number;
  readonly now: () => Date;
  readonly tell: (line: string) => void;
  /** Aborted: the worker stops in order. */
  readonly signal: AbortSignal;
}

export type LedPass = ReturnType<typeof leadPass>;

/** After the pass only the remote is read. */
const longestLookMs = 120_000;

/**
 * Runs one pass in a process of its own, keeps its lease alive, and says what becomes of its job. `released`: the slot is
 * free again; its `end` is null if the pass ended without a word. `gone`: the process has ended too.
 */
export function leadPass(lease: Lease, leader: PassLeader) {
  const { engine, signal } = leader;
  const { job } = lease;
  const tell = (line: string): void => leader.tell(`${job.task}: ${line}`);
  const desk = openDesk(engine, lease);
  let ended: (end: LeasedEnd | null) => void = () => undefined;
  let judged: (jobs: readonly Job[] | null) => void = () => undefined;
  const heard = (message: PassMessage): void => {
    if (message.kind === "ask") void desk.answer(message).then((answer) => child.send(answer));
    else if (message.kind === "tell") tell(message.line);
    else if (message.kind === "ended") ended(message.end);
    else judged(message.jobs);
  };
  const child = leader.start(heard);
  const end = new Promise<LeasedEnd | null>((resolve) => {
    ended = resolve;
    void child.ended.then(() => resolve(null));
  });
  const watch = watchLease(engine, lease, leader.marginMs, (why) => {
    tell(`${why}, so this pass is stopped`);
    void endSoon(child);
  });
  const onStop = (): void => child.terminate();
  signal.addEventListener("abort", onStop, { once: true });
  const released = (async () => {
    await begin(child, lease, leader);
    const passEnd = await end;
    watch.stop();
    for (const line of passEnd === null ? await explainEnd(child) : passEnd.story) tell(line);
    if (passEnd !== null) await freeUnclaimed(lease, desk, passEnd, engine);
    const { delivery } = lease;
    const facts = { end: passEnd, refused: desk.refused(), stopping: signal.aborted, delivery, now: leader.now() };
    const became = endLease(facts);
    await report(lease, became, leader, tell);
    const isNext = became.kind === "done" && passEnd?.verdict != null && !signal.aborted;
    // Null if the task cannot go on, or if only the remote can tell.
    const phase = isNext ? passEnd.goesOnIn : null;
    const next = phase === null ? null : { ...job, base_sha: null, phase };
    // Do this before freeing the slot, so that a free worker finds the job at once.
    if (next !== null) await offerWhereScarce(() => [next], leader, tell);
    return { became, end: passEnd, mayLook: isNext && next === null };
  })();
  const gone = released.then(async ({ mayLook }) => {
    const look = async (): Promise<readonly Job[]> => {
      const answer = new Promise<readonly Job[] | null>((resolve) => (judged = resolve));
      child.send({ kind: "judge" });
      const late = sleep(longestLookMs, null, { ref: false });
      return (await Promise.race([answer, child.ended.then(() => null), late])) ?? [];
    };
    // The process is warm, and tasks may have waited for this one.
    if (mayLook) await offerWhereScarce(look, leader, tell);
    child.send({ kind: "part" });
    await child.ended;
    signal.removeEventListener("abort", onStop);
  });
  return { released, gone };
}

async function begin(child: PassProcess, { job, attempt }: Lease, { engine, config, verbose }: PassLeader) {
  const holds = await engine.holds({ repo: job.repo, task: job.task }).catch(() => []);
  const dead = holds.filter(({ alive }) => !alive).map((hold) => hold.attempt);
  child.send({ kind: "begin", order: { job, attempt, dead, config, verbose } });
}

async function endSoon(child: PassProcess): Promise<void> {
  child.terminate();
  const isOver = await Promise.race([child.ended.then(() => true), sleep(orderlyGraceMs, false, { ref: false })]);
  if (!isOver) await child.kill();
}

async function explainEnd({ ended }: PassProcess): Promise<string[]> {
  const { exitCode, signal, problem } = await ended;
  return [`its process ended without a report: ${problem ?? `exit code ${exitCode}, signal ${signal}`}`];
}

/** Frees what was reserved for a claim that will never be. A push without an answer may have arrived. */
async function freeUnclaimed({ attempt }: Lease, desk: PassDesk, end: LeasedEnd, engine: Engine): Promise<void> {
  const mayArrive = end.findings.some(({ code }) => code === "TP_PUSH_UNREACHABLE");
  if (desk.claimed() || end.verdict !== null || mayArrive || !desk.reserved()) return;
  // Otherwise the next claim of the task frees it.
  await engine.settle(attempt, null).catch(ignoreFault);
}

async function report(lease: Lease, became: LeaseEnd, { engine }: PassLeader, tell: (line: string) => void) {
  try {
    const wasOurs =
      became.kind === "done" ? await engine.done(lease) : await engine.fail(lease, became.why, became.again);
    if (!wasOurs) tell("its lease had already expired; the branch shows what counts");
    else if (became.kind === "back") {
      const again = became.again === null ? "" : ` (not before ${became.again.toISOString()})`;
      tell(`back into the queue: ${became.why}${again}`);
    }
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    tell(`the engine could not be told that the job ended, so it hands the job out again: ${error.message}`);
  }
}

/** Offers it now, instead of at the dispatcher's next turn, unless enough is queued. */
async function offerWhereScarce(
  find: () => readonly Job[] | Promise<readonly Job[]>,
  { engine }: PassLeader,
  tell: (line: string) => void,
): Promise<void> {
  try {
    const before = await engine.standing();
    const queued = before.jobs.filter(({ state }) => state === "queued").length;
    if (queued >= Math.max(1, slotsOf(before.workers))) return;
    await offerJobs(engine, await find(), before);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    tell(`the next pass is left to the dispatcher: ${error.message}`);
  }
}

/** Whether this machine can do no pass at all before a person has done something. */
export function isMachineFault(end: LeasedEnd | null): boolean {
  return end !== null && hasErrors(end.findings) && end.findings.some(({ code }) => code === "TP_UNTRUSTED");
}
