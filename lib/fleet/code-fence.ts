import { commitPaths } from "../git/commit.ts";
import { readSettings } from "../git/git-settings.ts";
import { listChanged } from "../git/head.ts";
import { type Network, pushCall, withNetwork } from "../git/network.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { showUrl, withoutCredentials } from "../git/push-target.ts";
import { runGit } from "../git/run-git.ts";
import { readRemoteRef, renderEnd, type SwapEnd, swapRef } from "../git/swap-ref.ts";
import type { AcceptedStep, FenceRefusal } from "../task/records/ports.ts";
import { requireTrustedRemote } from "../task/trust.ts";
import { diskError } from "../text/errors.ts";
import { errorFinding, type Finding, hasErrors, warningFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { shorten } from "../text/shorten.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { WorkClone } from "./clone.ts";
import { codeRefOf, findNamedCode, nameCode } from "./code-place.ts";

/** Moves accepted code between a working tree of code alone and its remote. */
export interface CodeFence {
  /**
   * Commits the code, and pushes it under a ref of its own, which is nothing to anybody until the tasks name it. Waits
   * for the remote until `by`. `isPass`: a pass was claimed for it, so its verdict rests on the code even if that is what
   * it was before. Throws TP_GIT.
   */
  keep(step: AcceptedStep, by: Date, isPass: boolean): Promise<KeptCode>;
  /** Moves the task's branch to the code that this commit of the tasks names. Failures become findings. */
  follow(step: string): Promise<void>;
  readonly told: readonly Finding[];
}

export type KeptCode =
  /** The step with a message that names the code. */
  { readonly kind: "kept"; readonly step: AcceptedStep } | { readonly kind: "refused"; readonly refusal: FenceRefusal };

interface CodeParts {
  readonly git: GitPlace;
  readonly code: WorkClone;
  readonly note: NonNullable<ClaimNote["code"]>;
}

export function codeFence(context: ClaimContext, parts: CodeParts): CodeFence {
  const { task } = context.request;
  const { note, git } = parts;
  const told: Finding[] = [];
  return {
    told,
    keep: async (step, by, isPass) => {
      const made = await commitCode(context, parts, step);
      if (hasErrors(made.findings)) return refused("failure", made.findings);
      const commit = made.sha ?? note.begin;
      if (made.sha === null && !isPass) return { kind: "kept", step };
      if (commit !== note.named) {
        const end = await pushOnce(context, parts, commit, by);
        if (end.kind !== "swapped") return refused(...refusalOf(context, parts, step.pass, end));
      }
      return { kind: "kept", step: { ...step, message: nameCode(step.message, commit) } };
    },
    follow: async (step) => {
      const commit = await findNamedCode(git, { commit: step, task, alone: true }, context.ports.env);
      const why = commit === null ? null : await moveBranch(context, parts, commit);
      if (commit === null || why === null) return;
      const branch = branchName(note.ref);
      const message = `the verdict is valid, but ${branch} of ${showUrl(note.url)} was not moved to its code: ${why}`;
      const fix = `the code is kept as ${codeRefOf(task, commit)}: fetch it, merge it into ${branch} and push that`;
      told.push(warningFinding("TP_CODE_BRANCH", message, { fix }));
    },
  };
}

/** Reopens the code of an interrupted run; null: the code is in the clone of the tasks. */
export async function reopenCode(context: ClaimContext, git: GitPlace, { code: note }: ClaimNote) {
  if (note === null) return null;
  const { env } = context.ports;
  requireTrustedRemote(withoutCredentials(note.url), context.ports);
  const place = findGitPlace(note.top);
  if (place?.top !== note.top) {
    throw diskError("TP_GIT", "the clone of the code that an earlier run left is gone", {
      file: note.top,
      fix: `remove ${context.place.note}; what that run did not push is lost`,
    });
  }
  return codeFence(context, { git, code: { git: place, settings: await readSettings(place, env) }, note });
}

/** One commit on top of what the pass began with, whatever an agent did to the branch. */
async function commitCode({ place, ports }: ClaimContext, { code: { git }, note }: CodeParts, step: AcceptedStep) {
  const { env } = ports;
  const options = { cwd: git.top, env };
  await runGit(git, ["update-ref", "-m", "task-phase", note.ref, note.begin], options);
  await runGit(git, ["symbolic-ref", "-m", "task-phase", "HEAD", note.ref], options);
  const left = new Set(note.leftovers);
  return await commitPaths({
    repo: git.top,
    scratch: place.scratch,
    paths: (await listChanged(git, git.top, env)).filter((path) => !left.has(path)),
    folders: [],
    message: step.message,
    checked: step.checked,
    signer: (await step.signer?.()) ?? null,
    record: null,
    env,
  });
}

async function pushOnce(context: ClaimContext, parts: CodeParts, commit: string, by: Date): Promise<SwapEnd> {
  const { url } = parts.note;
  const ref = codeRefOf(context.request.task, commit);
  const wait = (ms: number) => context.wait(ms, by);
  return await online(context, parts, (network) => swapRef({ network, url, ref, expected: null, commit, wait }));
}

/** Never forces: another runner's commits there stay. Null: the branch has it. */
async function moveBranch(context: ClaimContext, parts: CodeParts, commit: string): Promise<string | null> {
  const { url, ref } = parts.note;
  return await online(context, parts, async (network) => {
    const end = await network.call(pushCall(url, commit, ref));
    if (end.exitCode === 0) return null;
    const there = await readRemoteRef(network, url, ref);
    return there.kind === "ref" && there.commit === commit ? null : shorten(renderEnd(end), 300);
  });
}

/** No signal ends a call, as with the push of the verdict. */
async function online<Value>(
  { place, ports }: ClaimContext,
  { code, note }: CodeParts,
  act: (network: Network) => Promise<Value>,
): Promise<Value> {
  const { git, settings } = code;
  const at = { place: git, settings, scratch: place.scratch, env: ports.env, signal: null, url: note.url };
  return await withNetwork(at, act);
}

function refused(exitName: FenceRefusal["exitName"], findings: readonly Finding[]): KeptCode {
  return { kind: "refused", refusal: { exitName, findings } };
}

function refusalOf(
  { place }: ClaimContext,
  { note }: CodeParts,
  pass: number,
  end: Exclude<SwapEnd, { kind: "swapped" }>,
): [FenceRefusal["exitName"], readonly Finding[]] {
  const url = showUrl(note.url);
  const file = place.note;
  if (end.kind === "unreachable") {
    const message = `the code of pass ${pass} could not be pushed to ${url}: ${shorten(end.why, 300)}`;
    const fix = "run it again on this machine: if nobody else has taken the task, its work is pushed then";
    return ["locked", [warningFinding("TP_PUSH_UNREACHABLE", message, { file, fix })]];
  }
  const why = end.kind === "refused" ? end.why : "another commit has the name that this one needs";
  const message = `${url} refused the code of pass ${pass}: ${shorten(why, 300)}`;
  const fix =
    "allow the account that pushes for task-phase to push to refs/task-phase/* there, and run it again on this machine: the work is in its working tree";
  return ["failure", [errorFinding("TP_PUSH_REFUSED", message, { file, fix })]];
}
