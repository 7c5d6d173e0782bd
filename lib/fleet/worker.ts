import { setTimeout as sleep } from "node:timers/promises";
import { TaskPhaseError } from "../text/errors.ts";
import type { Engine, Lease } from "./engine/engine.ts";
import { ignoreFault } from "./engine/engine-error.ts";
import { isMachineFault, type LedPass, leadPass, type PassLeader } from "./lead-pass.ts";
import type { LeasedEnd } from "./pass-channel.ts";

export interface WorkerRequest extends PassLeader {
  /** Of this process alone. */
  readonly name: string;
  readonly slots: number;
  /** Ends as soon as no job is due. */
  readonly once: boolean;
  /** The worker reports to the engine three times in this time, in milliseconds. */
  readonly heartbeatMs: number;
}

export interface WorkerReport {
  /** Passes that this worker had done, by verdict; `none`: nothing was decided. */
  readonly passes: Readonly<Record<string, number>>;
  /** What keeps this machine from doing any pass; null: nothing. */
  readonly fault: LeasedEnd | null;
}

/** How often an idle worker asks for a job. */
const pollMs = 2_000;
const longestPauseMs = 30_000;

/**
 * Leases jobs and has their passes done, a limited number at a time, until it is asked to stop; each pass ends in order
 * then. Throws if the engine is not set up. Retries an engine that does not answer.
 */
export async function runWorker(request: WorkerRequest): Promise<WorkerReport> {
  const { engine, name, slots, once } = request;
  const stop = new AbortController();
  const { signal } = stop;
  const onStop = (): void => stop.abort(request.signal.reason);
  if (request.signal.aborted) onStop();
  request.signal.addEventListener("abort", onStop, { once: true });
  const running = new Set<LedPass>();
  const around = new Set<Promise<void>>();
  const passes: Record<string, number> = {};
  let fault: LeasedEnd | null = null;
  const bell = makeBell(signal);
  const begin = (lease: Lease): void => {
    request.tell(`${lease.job.task}: leased, attempt ${lease.attempt}`);
    const pass = leadPass(lease, { ...request, signal });
    running.add(pass);
    void pass.released.then(({ end }) => {
      const verdict = end?.verdict ?? "none";
      passes[verdict] = (passes[verdict] ?? 0) + 1;
      if (isMachineFault(end)) fault = end;
      running.delete(pass);
      bell.ring();
    });
    const gone = pass.gone.finally(() => {
      around.delete(gone);
      bell.ring();
    });
    around.add(gone);
  };
  const presence = await heartbeat(request);
  let pauseMs = pollMs;
  try {
    while (!signal.aborted && fault === null) {
      const ring = bell.next();
      if (running.size >= slots) {
        await ring;
        continue;
      }
      const lease = await leaseNext(engine, name, { ...request, signal });
      if (lease === "silent") pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      else pauseMs = pollMs;
      if (lease !== null && lease !== "silent") {
        begin(lease);
        continue;
      }
      if (once && lease === null && around.size === 0) break;
      await Promise.race([ring, sleep(pauseMs, undefined, { signal }).catch(() => undefined)]);
    }
    await Promise.all([...around]);
    await engine.leave(name).catch(ignoreFault);
    return { passes, fault };
  } catch (error) {
    // No pass is left to itself.
    stop.abort("SIGTERM");
    await Promise.all([...around]);
    throw error;
  } finally {
    clearInterval(presence);
    request.signal.removeEventListener("abort", onStop);
  }
}

/** "silent": the engine does not answer. */
async function leaseNext(
  engine: Engine,
  name: string,
  { tell, signal }: Pick<WorkerRequest, "tell" | "signal">,
): Promise<Lease | null | "silent"> {
  try {
    return await engine.lease(name);
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "locked") throw error;
    if (!signal.aborted) tell(`no new pass starts until the engine answers: ${error.message}`);
    return "silent";
  }
}

/** The first time has to succeed: then the engine is there, and set up. */
async function heartbeat({ engine, name, slots, heartbeatMs }: WorkerRequest): Promise<NodeJS.Timeout> {
  const say = () => engine.present({ name, slots });
  await say();
  return setInterval(() => void say().catch(ignoreFault), heartbeatMs / 3);
}

/** Rings when a pass has ended, and when the worker has to stop. */
function makeBell(signal: AbortSignal) {
  let ring: () => void = () => undefined;
  signal.addEventListener("abort", () => ring(), { once: true });
  return {
    next: () => new Promise<void>((resolve) => (ring = resolve)),
    ring: () => ring(),
  };
}
