import { setTimeout as sleep } from "node:timers/promises";
import type { NotifyConfig } from "../documents/config/config-schema.ts";
import type { LoadedConfig } from "../documents/config/load-config.ts";
import { showUrl } from "../git/push-target.ts";
import { nameRunner, type OpenClaim } from "../rules/claim.ts";
import type { PassRunner } from "../rules/events.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { PassRequest } from "../task/request.ts";
import { lockedError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding } from "../text/finding.ts";
import { laterBy, msBetween } from "../text/moment.ts";
import { shorten } from "../text/shorten.ts";
import type { ClaimPlace } from "./claim-place.ts";
import type { LocalWork } from "./local-work.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";

export interface ClaimRequest {
  /** As `requireRemote` returns it. */
  readonly url: string;
  readonly task: string;
  /** The folder of the task folders in the repository, such as `tasks`; null: found as in a checkout. */
  readonly root: string | null;
  readonly runner: PassRunner;
  /** Takes over an open claim that has not run out yet. */
  readonly takeover: boolean;
  /** Whether a run is known to have ended, so that its open claim blocks no other runner; missing: none is known. */
  readonly isDead?: (attempt: string) => boolean;
  /** The remote is the person's own repository; null: it is another one. */
  readonly local: LocalWork | null;
  /** Called once the claim is durable and visible to all. */
  readonly onClaimed?: () => void;
  readonly pass: Omit<PassRequest, "taskDir">;
  /** Called with the notify settings once they are read: those of the base branch, then the task's own. */
  readonly onNotify?: (notify: NotifyConfig) => void;
  /** Called with the configuration of the base branch as soon as that is read. */
  readonly onBase?: (base: LoadedConfig) => void;
}

export interface ClaimContext {
  readonly request: ClaimRequest;
  readonly place: ClaimPlace;
  readonly ports: PassPorts;
  readonly wait: WaitUntil;
}

export function unreachable({ url }: Pick<ClaimRequest, "url">, why: string): TaskPhaseError {
  const message = `${showUrl(url)} could not be read: ${shorten(why, 300)}`;
  const fix = "no pass was started, so it is safe to try again; git ls-remote shows more";
  return lockedError("TP_REMOTE_UNREACHABLE", message, { fix });
}

/** Another runner has claimed the pass until `until` (TP_CLAIMED). */
export class HeldClaimError extends TaskPhaseError {
  /** ISO 8601, UTC. */
  readonly until: string;

  constructor(task: string, { pass, until }: OpenClaim, runner: PassRunner) {
    const who = `${shorten(nameRunner(runner), 120)} (${shorten(runner.attempt, 60)})`;
    const message = `pass ${pass} of ${task} is claimed by ${who} until ${until}`;
    const fix = "try again then; if you know that run is dead, use --takeover";
    super("locked", [errorFinding("TP_CLAIMED", message, { fix })]);
    this.until = until;
  }
}

/** How long an unreachable remote is tried, before anything has cost money. */
const patienceMs = 60_000;

/** Fetches the branches, and `refs`, into `mirror`. Throws a locked error if that fails for a minute. */
export async function fetchBranches(
  { request, place, ports, wait }: ClaimContext,
  mirror: Pick<ClaimPlace, "mirror" | "mirrorLock"> = place,
  refs: readonly string[] = [],
): Promise<Mirror> {
  const until = laterBy(patienceMs, ports.now());
  const fetched = await fetchMirror({
    ...{ mirror: mirror.mirror, mirrorLock: mirror.mirrorLock, scratch: place.scratch },
    ...{ url: request.url, refs, env: ports.env, signal: ports.signal },
    wait: (ms) => wait(ms, until),
  });
  if (typeof fetched !== "string") return fetched;
  throw unreachable(request, fetched);
}

/** Waits that many milliseconds. False: it would end after `until`, or a signal came, and no further try is allowed. */
export type WaitUntil = (ms: number, until: Date) => Promise<boolean>;

export function waitUntil({ signal, now }: Pick<PassPorts, "signal" | "now">): WaitUntil {
  return async (ms, until) => {
    if (signal.aborted || msBetween(now(), until) < ms) return false;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  };
}
