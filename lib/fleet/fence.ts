import { relative } from "node:path";
import { type Network, pushCall, withNetwork } from "../git/network.ts";
import { type OwnRemote, readOwnRef, swapOwn, tryMoveOwn } from "../git/own-ref.ts";
import { bareAt } from "../git/place.ts";
import { type RefSwap, type RemoteRef, readRemoteRef, type SwapEnd, swapRef } from "../git/swap-ref.ts";
import type { Taken } from "../queue/views/taken-words.ts";
import { readAttempts } from "../rules/claim.ts";
import type { AcceptedStep, ClaimedPass, FenceRefusal, PassFence } from "../task/records/ports.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeOf } from "../task/records/task-place.ts";
import type { Finding } from "../text/finding.ts";
import { laterBy } from "../text/moment.ts";
import { branchName } from "../text/ref-name.ts";
import type { ClaimContext } from "./claim-context.ts";
import { type ClaimNote, writeNote } from "./claim-note.ts";
import { commitStep, nameCodeOf } from "./commit-step.ts";
import { findLostTree, lostRef, lostRefsOf, type PushedStep, refusalOf } from "./push-refusal.ts";
import { type FenceRequest, type MarkedCommit, seenRef, seePushed } from "./see-branch.ts";

export interface TaskFence extends PassFence {
  /** Why the working tree is still needed. */
  left(): LeftTree;
  resend(): Promise<FenceRefusal | null>;
  /** Keeps a step that cannot be accepted; the ref or the folder that has it. Null: there was nothing to keep. */
  giveUp(step: AcceptedStep): Promise<string | null>;
  /** Findings to show beside an accepted verdict. */
  readonly told: readonly Finding[];
}

/**
 * `owed`: it contains what the remote may still get, a pass under way or one that could not be pushed. `lost`: it
 * contains work that can no longer be accepted and exists nowhere else.
 */
export type LeftTree =
  | { readonly kind: "nothing" }
  | { readonly kind: "owed" }
  /** `to`: the folder where it is to be kept, which is not there yet. */
  | { readonly kind: "lost"; readonly to: string };

/** A claim costs nothing yet: if it cannot be pushed soon, the task is left to others. */
const claimPatienceMs = 30_000;
/** A verdict has cost a pass, so it is worth at least this long. */
const verdictPatienceMs = 120_000;

/**
 * The fence of a task whose branch is in a remote: each step is one commit, a child of the one before it, and is
 * accepted if the remote's branch moves from the one to the other. The loser of a race keeps its work under
 * `refs/task-phase/lost/`.
 */
export function createFence(request: FenceRequest): TaskFence {
  let { note } = request;
  let parent = request.base;
  let until = new Date(0);
  let looking: Promise<unknown> = Promise.resolve();
  let left: LeftTree = { kind: "nothing" };
  // Once this call has claimed the pass, its reviewers or its first checks run before the next push.
  let hasClaimed = false;
  const told: Finding[] = [];
  const remote = openRemote(request);
  let pushed: MarkedCommit | null = null;
  const saveNote = (change: Partial<ClaimNote>): void => {
    note = { ...note, ...change };
    writeNote(request.place.note, note);
  };
  const publish = async (step: ClaimedPass | AcceptedStep, by: Date, claims: boolean): Promise<FenceRefusal | null> => {
    const act = async (taken: Taken | null) => await publishWith(taken, step, by, claims);
    return request.local === null ? await act(null) : await request.local.holdingWords(act);
  };
  const publishWith = async (
    taken: Taken | null,
    step: ClaimedPass | AcceptedStep,
    by: Date,
    claims: boolean,
  ): Promise<FenceRefusal | null> => {
    const made = await commitStep(request, step, { parent, pushed, leftovers: note.leftovers });
    if (made.kind === "refused") return made.refusal;
    if (!claims) told.push(...made.findings);
    if (made.sha === null) return null;
    left = { kind: "owed" };
    saveNote({ commit: made.sha, pass: step.pass, repo: step.repo, kind: claims ? "claim" : "verdict" });
    return await send(made.sha, by, claims, taken);
  };
  const send = async (commit: string, by: Date, claims: boolean, taken: Taken | null): Promise<FenceRefusal | null> => {
    const step = !claims ? "verdict" : hasClaimed ? "late claim" : "claim";
    const { swapped, kept } = await push(commit, by, step);
    if (swapped.kind === "swapped") {
      left = { kind: claims ? "owed" : "nothing" };
      hasClaimed = claims;
      parent = commit;
      // Before the note: a run that is cut off in between is settled, and remembers it then.
      pushed = await seePushed(request, note, commit, taken);
      saveNote({ tip: commit });
      if (!claims) await request.code?.follow(commit);
      if (!claims) told.push(...((await request.local?.onward(commit)) ?? []));
      return null;
    }
    left = leaveTree(leftBy(swapped.kind, kept, step));
    return refusalOf(request, note.pass, swapped, left.kind === "lost" ? left.to : kept, step);
  };
  const leaveTree = (kind: LeftTree["kind"]): LeftTree =>
    kind === "lost" ? { kind, to: findLostTree(request.place, note) } : { kind };
  const push = async (commit: string, by: Date, step: PushedStep) => {
    await looking;
    const wait = (ms: number) => request.wait(ms, by);
    const swapped = await remote.swap({ expected: note.tip, commit, wait });
    const isOver = swapped.kind === "lost" || swapped.kind === "refused";
    return { swapped, kept: isOver && step !== "claim" ? await saveLost(commit) : null };
  };
  /** The ref that the remote took; null: it took none. */
  const saveLost = async (commit: string): Promise<string | null> => {
    const ref = lostRef(request.ref, note.pass, request.runner.attempt);
    return (await remote.keep(ref, commit)) ? ref : null;
  };
  return {
    runner: request.runner,
    checkout: {
      branch: request.local !== null ? null : branchName(note.tip === null ? request.begins : request.ref),
      folder: request.local !== null ? note.task : relative(request.clone.git.top, note.task_dir),
    },
    isOwn: request.local !== null,
    lost: lostRefsOf(request.ref),
    met: request.met,
    unmerged: request.unmerged,
    get told() {
      return [...(request.code?.told ?? []), ...told];
    },
    left: () => left,
    claim: async (pass) => {
      until = pass.until;
      return await publish(pass, laterBy(claimPatienceMs, request.now()), true);
    },
    hasMoved: async () => {
      const ours = [note.tip, note.commit];
      const look = remote.read();
      looking = look.catch(() => undefined);
      const there = await look;
      return there.kind === "ref" && !ours.includes(there.commit);
    },
    accept: async (step) => {
      const least = laterBy(verdictPatienceMs, request.now());
      const by = until > least ? until : least;
      const named = await nameCodeOf(request, step, by, note);
      return named.kind === "refused" ? named.refusal : await publish(named.step, by, false);
    },
    resend: async () => {
      left = { kind: "owed" };
      if (note.commit === null) return null;
      return await send(note.commit, laterBy(verdictPatienceMs, request.now()), false, null);
    },
    giveUp: async (step) => {
      const named = await nameCodeOf(request, step, laterBy(verdictPatienceMs, request.now()), note);
      const made = await commitStep(request, named.kind === "kept" ? named.step : step, {
        ...{ parent, pushed, leftovers: note.leftovers },
      });
      if (made.kind === "refused" || made.sha === null) return null;
      // What cannot name its code is not kept without it.
      const kept = named.kind === "kept" ? await saveLost(made.sha) : null;
      left = leaveTree(kept === null ? "lost" : "nothing");
      return left.kind === "lost" ? left.to : kept;
    },
  };
}

/** Work that may still arrive is not given up: a refused verdict is pushed once a person allows it. */
function leftBy(end: Exclude<SwapEnd["kind"], "swapped">, kept: string | null, step: PushedStep): LeftTree["kind"] {
  if (end === "unreachable" || (end === "refused" && step === "verdict")) return "owed";
  return step === "claim" || kept !== null ? "nothing" : "lost";
}

/** Passes the attempts in the branch's journal to the shared limits, now that all machines see it. */
export async function reportAttempts({ ports }: ClaimContext, taskDir: string): Promise<void> {
  await ports.shared?.accepted(readAttempts(readTaskJournal(placeOf(taskDir).journal)?.events ?? []));
}

/** Wraps a fence so that each push is followed by `reportAttempts`. */
export function tellingFence(fence: TaskFence, context: ClaimContext): TaskFence {
  const { onClaimed } = context.request;
  const telling = async (taskDir: string, refused: FenceRefusal | null): Promise<FenceRefusal | null> => {
    if (refused === null) await reportAttempts(context, taskDir);
    return refused;
  };
  return {
    ...fence,
    get told() {
      return fence.told;
    },
    claim: async (pass) => {
      const refused = await fence.claim(pass);
      if (refused === null) onClaimed?.();
      return await telling(pass.taskDir, refused);
    },
    accept: async (step) => await telling(step.taskDir, await fence.accept(step)),
  };
}

/** Where the branch of a task is. */
interface TaskRemote {
  swap(step: Pick<RefSwap, "expected" | "commit" | "wait">): Promise<SwapEnd>;
  read(): Promise<RemoteRef>;
  /** Gives a commit a name of its own there; false: none was taken. */
  keep(ref: string, commit: string): Promise<boolean>;
}

function openRemote(request: FenceRequest): TaskRemote {
  const { ref, url, local } = request;
  if (local !== null) {
    // A person may remove the linked working tree in which they started the loop.
    const own: OwnRemote = { ...local, tree: bareAt(local.tree.commonDir), env: request.env };
    return {
      swap: (step) => swapOwn(own, { ...step, ref, beside: seenRef(request.note.task) }),
      read: () => readOwnRef(own, ref),
      keep: (name, commit) => tryMoveOwn(own, name, commit),
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
