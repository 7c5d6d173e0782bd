import type { Engine, Lease } from "./engine/engine.ts";

export interface LeaseWatch {
  stop(): void;
}

/**
 * Renews a lease until it is stopped, three times in its time. `lost` is called once, with the reason, when the engine
 * says that the lease is gone, or when no renewal was granted for all of its time but the margin: counted from the moment
 * when the last one that was granted was sent, by this machine's own clock.
 */
export function watchLease(
  engine: Pick<Engine, "renew">,
  lease: Lease,
  marginMs: number,
  lost: (why: string) => void,
): LeaseWatch {
  const { heartbeatMs } = lease;
  const goodMs = heartbeatMs - Math.min(marginMs, heartbeatMs / 2);
  let isWatched = true;
  const end = (why: string): void => {
    if (!isWatched) return;
    stop();
    lost(why);
  };
  const startDeadline = (sent: number) =>
    setTimeout(() => end("the engine did not renew the lease in time"), Math.max(0, sent + goodMs - performance.now()));
  let deadline = startDeadline(lease.leasedAt);
  const renew = async (): Promise<void> => {
    const sent = performance.now();
    // What fails is asked again, as long as there is time.
    const isOurs = await engine.renew(lease).catch(() => null);
    if (!isWatched || isOurs === null) return;
    if (!isOurs) return end("the engine gave the job to another worker, or no longer has it");
    clearTimeout(deadline);
    deadline = startDeadline(sent);
  };
  const timer = setInterval(() => void renew(), heartbeatMs / 3);
  const stop = (): void => {
    isWatched = false;
    clearInterval(timer);
    clearTimeout(deadline);
  };
  return { stop };
}
