import type { AcceptedStep, ClaimedPass, FenceRefusal, PassFence } from "../anchor/ports.ts";
import { placeOf } from "../anchor/task-place.ts";
import { commitPaths } from "../git/commit.ts";
import { listChanged } from "../git/dirty.ts";
import { type Network, openNetwork, pushCall } from "../git/network.ts";
import { showUrl } from "../git/push-target.ts";
import { runGit } from "../git/run-git.ts";
import { type SwapEnd, swapRef } from "../git/swap-ref.ts";
import type { PassRunner } from "../machine/events.ts";
import { errorFinding, type Finding, hasErrors, warningFinding } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";
import { type ClaimNote, writeNote } from "./claim-note.ts";
import type { WorkClone } from "./clone.ts";
import type { ClaimPlace } from "./places.ts";
import { refuseRewound } from "./refuse-rewound.ts";

export interface TaskFence extends PassFence {
  /** Whether the working tree holds what the remote may still get: a pass under way, or one that could not be pushed. */
  owes(): boolean;
  /** Pushes the verdict that an earlier run had committed. */
  resend(): Promise<FenceRefusal | null>;
  /** Keeps a step that can be nobody's; the ref, or null if the remote does not take it. */
  giveUp(step: AcceptedStep): Promise<string | null>;
}

export interface FenceRequest {
  readonly clone: WorkClone;
  readonly place: Pick<ClaimPlace, "note" | "scratch">;
  readonly url: string;
  /** The branch of the task, a full name. */
  readonly ref: string;
  readonly runner: PassRunner;
  readonly met: ReadonlySet<string>;
  /** As it is before the first push: `tip` is what the branch is in the remote. */
  readonly note: ClaimNote;
  /** The commit that is checked out. */
  readonly base: string;
  readonly env: NodeJS.ProcessEnv;
  /** Pauses between attempts; false: no time is left. `until`: how long what is pushed is worth it. */
  readonly wait: (ms: number, until: Date) => Promise<boolean>;
  readonly now: () => Date;
}

/** A claim costs nothing yet: whoever cannot push it soon leaves the task to others. */
const claimPatienceMs = 30_000;
/** A verdict has cost a pass: it is worth at least so long. */
const verdictPatienceMs = 120_000;

/**
 * The fence of a task whose branch is in a remote: each step is one commit, a child of the one before it, and stands if
 * the remote's branch goes from the one to the other. Whoever comes second keeps the work under `refs/task-phase/lost/`.
 */
export function createFence(request: FenceRequest): TaskFence {
  let { note } = request;
  let parent = request.base;
  let until = new Date(0);
  let owes = false;
  const keepNote = (change: Partial<ClaimNote>): void => {
    note = { ...note, ...change };
    writeNote(request.place.note, note);
  };
  const publish = async (step: ClaimedPass | AcceptedStep, by: Date, claims: boolean): Promise<FenceRefusal | null> => {
    const made = await commitStep(request, step, parent, note);
    if (made.kind === "refused") return made.refusal;
    if (made.sha === null) return null;
    owes = true;
    keepNote({ commit: made.sha, pass: step.pass, repo: step.repo, kind: claims ? "claim" : "verdict" });
    return await send(made.sha, by, claims);
  };
  const send = async (commit: string, by: Date, claims: boolean): Promise<FenceRefusal | null> => {
    const { swapped, kept } = await push(commit, by, claims);
    if (swapped.kind === "swapped") {
      owes = claims;
      parent = commit;
      keepNote({ tip: commit });
      return null;
    }
    // What may have arrived, or may arrive later, is not given up.
    owes = swapped.kind === "unreachable" || (!claims && kept === null);
    return refusalOf(request, note.pass, swapped, kept, claims);
  };
  const push = (commit: string, by: Date, claims: boolean) =>
    withNetwork(request, async (network) => {
      const { url, ref } = request;
      const wait = (ms: number) => request.wait(ms, by);
      const swapped = await swapRef({ network, url, ref, expected: note.tip, commit, wait });
      const isOver = swapped.kind === "lost" || swapped.kind === "refused";
      return { swapped, kept: isOver && !claims ? await keepLost(network, commit) : null };
    });
  /** The ref that the remote took; null: it took none. */
  const keepLost = async (network: Network, commit: string): Promise<string | null> => {
    const ref = lostRef(request.ref, note.pass, request.runner.attempt);
    const end = await network.call(pushCall(request.url, commit, ref));
    return end.exitCode === 0 ? ref : null;
  };
  return {
    runner: request.runner,
    met: request.met,
    owes: () => owes,
    claim: async (pass) => {
      until = pass.until;
      return await publish(pass, later(request.now(), claimPatienceMs), true);
    },
    accept: async (step) => {
      const least = later(request.now(), verdictPatienceMs);
      return await publish(step, until > least ? until : least, false);
    },
    resend: async () => {
      owes = true;
      return note.commit === null ? null : await send(note.commit, later(request.now(), verdictPatienceMs), false);
    },
    giveUp: async (step) => {
      const made = await commitStep(request, step, parent, note);
      if (made.kind === "refused" || made.sha === null) return null;
      const { sha } = made;
      return await withNetwork(request, (network) => keepLost(network, sha));
    },
  };
}

function later(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}

/** As `refs/task-phase/lost/T-1/3-ATTEMPT`. */
export function lostRef(branch: string, pass: number, attempt: string): string {
  const id = branch.slice(branch.lastIndexOf("/") + 1);
  return `refs/task-phase/lost/${id}/${pass}-${attempt}`;
}

type Committed =
  | { readonly kind: "committed"; readonly sha: string | null }
  | { readonly kind: "refused"; readonly refusal: FenceRefusal };

/** One commit on top of `parent`, whatever an agent did to the branch: its own commits are in it, as files. */
async function commitStep(
  { clone, place, ref, env }: FenceRequest,
  step: ClaimedPass | AcceptedStep,
  parent: string,
  { leftovers }: ClaimNote,
): Promise<Committed> {
  const { git } = clone;
  const options = { cwd: git.top, env };
  await runGit(git, ["update-ref", "-m", "task-phase", ref, parent], options);
  await runGit(git, ["symbolic-ref", "-m", "task-phase", "HEAD", ref], options);
  // Whatever went wrong here, no commit takes away what stands for all machines.
  await refuseRewound(git, placeOf(step.taskDir), parent, env);
  const left = new Set(leftovers);
  const isClaim = "until" in step;
  const code = isClaim ? [] : (await listChanged(git, step.repo, env)).filter((path) => !left.has(path));
  const made = await commitPaths({
    repo: step.repo,
    scratch: place.scratch,
    paths: code,
    folders: [step.taskDir],
    message: step.message,
    checked: isClaim ? null : step.checked,
    signer: (await step.signer?.()) ?? null,
    env,
  });
  if (hasErrors(made.findings)) return { kind: "refused", refusal: { exitName: "failure", findings: made.findings } };
  return { kind: "committed", sha: made.sha };
}

async function withNetwork<Value>(
  { clone, place, url, env }: FenceRequest,
  act: (network: Network) => Promise<Value>,
): Promise<Value> {
  // No signal ends it: a verdict is pushed as it is written, whatever a person wants to end.
  const network = openNetwork(clone.git, clone.settings, place.scratch, env, null, url);
  try {
    return await act(network);
  } finally {
    network.close();
  }
}

function refusalOf(
  { url, ref, place }: FenceRequest,
  pass: number,
  end: Exclude<SwapEnd, { kind: "swapped" }>,
  kept: string | null,
  claims: boolean,
): FenceRefusal {
  const branch = ref.replace(/^refs\/heads\//, "");
  const where = `${branch} of ${showUrl(url)}`;
  const file = place.note;
  const work = kept === null ? "what was made here stays in this machine's working tree" : `it is kept as ${kept}`;
  const finding = (): Finding => {
    switch (end.kind) {
      case "lost": {
        const message = claims
          ? `pass ${pass} was claimed elsewhere: ${where} was moved before this claim came`
          : `pass ${pass} counts for nothing: ${where} was moved since it was claimed`;
        return warningFinding("TP_SUPERSEDED", message, { fix: `nothing; ${claims ? "no model was called" : work}` });
      }
      case "refused":
        return errorFinding("TP_PUSH_REFUSED", `${where} refused pass ${pass}: ${shorten(end.why, 300)}`, {
          file,
          fix: `let the one who pushes for task-phase push to task-phase/*; ${work}`,
        });
      case "unreachable":
        return warningFinding(
          "TP_PUSH_UNREACHABLE",
          `pass ${pass} could not be pushed to ${where}: ${shorten(end.why, 300)}`,
          {
            file,
            fix: "run it again here: if nobody else took the task, what was made is pushed then",
          },
        );
    }
  };
  return { exitName: end.kind === "refused" ? "failure" : "locked", findings: [finding()] };
}
