import { type Network, pushCall, withNetwork } from "../git/network.ts";
import { keepOwn, type OwnRemote, readOwnRef, swapOwn } from "../git/own-ref.ts";
import { type RefSwap, type RemoteRef, readRemoteRef, type SwapEnd, swapRef } from "../git/swap-ref.ts";
import { type FenceRequest, seenRef } from "./see-branch.ts";

/** Where the branch of a task is. */
export interface TaskRemote {
  swap(step: Pick<RefSwap, "expected" | "commit" | "wait">): Promise<SwapEnd>;
  read(): Promise<RemoteRef>;
  /** Gives a commit a name of its own there; false: none was taken. */
  keep(ref: string, commit: string): Promise<boolean>;
}

export function openRemote(request: FenceRequest): TaskRemote {
  const { ref, url, local } = request;
  if (local !== null) {
    const own: OwnRemote = { ...local, env: request.env };
    return {
      swap: (step) => swapOwn(own, { ...step, ref, beside: seenRef(request.note.task) }),
      read: () => readOwnRef(own, ref),
      keep: (name, commit) => keepOwn(own, name, commit),
    };
  }
  return {
    swap: (step) => online(request, (network) => swapRef({ ...step, network, url, ref })),
    read: () => online(request, (network) => readRemoteRef(network, url, ref)),
    keep: async (name, commit) =>
      (await online(request, (network) => network.call(pushCall(url, commit, name)))).exitCode === 0,
  };
}

/** No signal ends a call: a verdict is pushed as it is written, whatever a person wants to end. */
async function online<Value>(
  { clone, place, url, env }: FenceRequest,
  act: (network: Network) => Promise<Value>,
): Promise<Value> {
  const { git, settings } = clone;
  return await withNetwork({ place: git, settings, scratch: place.scratch, env, signal: null, url }, act);
}
