import { type ClaimContext, unreachable } from "./claim-context.ts";
import { fetchMirror, type Mirror } from "./mirror.ts";
import type { ClaimPlace } from "./places.ts";

/** An unreachable remote is asked again for so long before anything has cost money. */
const patienceMs = 60_000;

/**
 * Fetches the branches of the request's remote, and what `refs` names, into `mirror`. Throws a locked error if the
 * remote could not be read within a minute.
 */
export async function fetchBranches(
  { request, place, ports, wait }: ClaimContext,
  mirror: Pick<ClaimPlace, "mirror" | "mirrorLock"> = place,
  refs: readonly string[] = [],
): Promise<Mirror> {
  const until = new Date(ports.now().getTime() + patienceMs);
  const fetched = await fetchMirror({
    ...{ mirror: mirror.mirror, mirrorLock: mirror.mirrorLock, scratch: place.scratch },
    ...{ url: request.url, refs, env: ports.env, signal: ports.signal },
    wait: (ms) => wait(ms, until),
  });
  if (typeof fetched !== "string") return fetched;
  throw unreachable(request, fetched);
}
