import { join } from "node:path";
import { readText } from "../store/read-file.ts";
import { errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { shorten } from "../text/shorten.ts";
import { somePaths } from "./choose-paths.ts";
import { renderUnproven } from "./commit.ts";
import { readSettings, writeSetting } from "./git-settings.ts";
import { type BranchPush, type Fence, giveWay, type LostPush, standsElsewhere } from "./give-way.ts";
import { busyFinding, findUnfinished, readHead } from "./head.ts";
import { fetchCall, pushCall, withNetwork } from "./network.ts";
import { findGitPlace } from "./place.ts";
import { findPushTarget, showUrl, withoutCredentials } from "./push-target.ts";
import { rebaseOwnCommits } from "./rebase.ts";
import { runGit } from "./run-git.ts";
import type { FindSigner } from "./ssh-keygen.ts";
import { readPushAnswer, renderEnd, someOf } from "./swap-ref.ts";

export interface PushRequest {
  readonly repo: string;
  readonly scratch: string;
  /** The URL (`pushUrl`) and its settings file from before a model ran. No other URL is pushed to. Null: none is recorded. */
  readonly expected: { readonly url: string | null; readonly file: string } | null;
  /** Incoming paths, from the top, that must not enter the working tree now. */
  readonly unwelcome: (paths: readonly string[]) => readonly string[];
  /** The paths in which a commit is not what was proven: such a commit is not pushed. */
  readonly unproven?: (commit: string) => Promise<readonly string[]>;
  /** Null: the repository holds no task. */
  readonly fence: Fence | null;
  readonly signer?: FindSigner | null;
  /** Pushes this branch instead of the present one, as it is: nothing is rebased. */
  readonly tip?: { readonly ref: string; readonly commit: string };
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | null;
}

interface PushResult {
  readonly pushed: boolean;
  /** Set if the remote's branch continues from other passes of the task. */
  readonly lost: LostPush | null;
  /** Not empty if that kept it from being pushed. */
  readonly unproven: readonly string[];
  readonly findings: readonly Finding[];
}

/** Rebases before leaving the push to the next pass. */
const maxRebases = 3;

/** Without credentials: empty if unset, null if detached or without git. Throws TP_GIT. */
export async function pushUrl(repo: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const place = findGitPlace(repo);
  if (place === null) return null;
  const end = await runGit(place, ["symbolic-ref", "-q", "HEAD"], { env, accept: [0, 1] });
  if (end.exitCode !== 0) return null;
  const found = findPushTarget(await readSettings(place, env), end.stdout.toString("utf8").trim());
  return found.kind === "target" ? withoutCredentials(found.target.url) : "";
}

/**
 * Pushes the current branch, never by force. If others were faster, rebases unpushed commits of passes onto theirs, at
 * most three times, unless uncommitted work is in the way. Throws TP_GIT.
 */
export async function pushBranch(request: PushRequest): Promise<PushResult> {
  return await withPush(request, pushUntilItFits, (findings) => ({ ...unpushed, findings }));
}

/** Null if nothing is lost, or the remote does not answer. Throws TP_GIT. */
export async function findLost(request: PushRequest): Promise<LostPush | null> {
  const find = async (push: OpenPush, head: string): Promise<LostPush | null> => {
    if (!(await isAhead(push, head))) return null;
    const theirs = await fetchTheirs(push, head);
    if (typeof theirs !== "string" || !(await standsElsewhere(push, head, theirs))) return null;
    return await giveWay(push, head, theirs);
  };
  return await withPush(request, find, () => null);
}

const unpushed: PushResult = { pushed: false, lost: null, unproven: [], findings: [] };

/** Whether a commit of the task was missing on the remote when last fetched. */
async function isAhead({ place, target, fence, env }: OpenPush, head: string): Promise<boolean> {
  if (target.tracking === null || fence === null) return false;
  const format = "--format=%(trailers:key=Task-Phase-Task,valueonly)";
  const args = ["log", "--no-show-signature", "--no-color", format, `${target.tracking}..${head}`, "--"];
  const { exitCode, stdout } = await runGit(place, args, { env, accept: [0, 128] });
  return exitCode === 0 && stdout.toString("utf8").split("\n").includes(fence.task);
}

async function withPush<Value>(
  request: PushRequest,
  act: (push: OpenPush, head: string) => Promise<Value>,
  without: (findings: readonly Finding[]) => Value,
): Promise<Value> {
  const place = findGitPlace(request.repo);
  if (place === null) return without([]);
  const refuse = (code: string, why: string, fix: string): Value =>
    without([warningFinding(code, `not pushed: ${why}`, { file: place.top, fix })]);
  const busy = request.tip === undefined ? findUnfinished(place) : null;
  if (busy !== null) return without([busyFinding(place, "pushed", busy)]);
  const head = request.tip ?? (await readHead(place, request.env));
  if (head?.ref == null) {
    return refuse("TP_PUSH_BRANCH", "no branch is checked out", "git switch BRANCH; then the next pass pushes");
  }
  const settings = await readSettings(place, request.env);
  const found = findPushTarget(settings, head.ref);
  if (found.kind === "none") return refuse("TP_PUSH_REMOTE", found.why, found.fix);
  const { target } = found;
  const { expected } = request;
  if (expected !== null && expected.url !== withoutCredentials(target.url)) {
    const was = (expected.url ?? "") === "" ? "none" : showUrl(expected.url ?? "");
    const why = `the URL of ${shorten(target.remote, 60)} is ${showUrl(target.url)}, but before a model ran it was ${was}`;
    const fix = `if you changed it yourself, remove ${expected.file}; the next pass then accepts the current one`;
    return refuse("TP_PUSH_URL", why, fix);
  }
  return await withNetwork({ ...request, place, settings, url: target.url }, (network) =>
    act({ ...request, place, settings, target, network }, head.commit),
  );
}

type OpenPush = PushRequest & BranchPush;

async function pushUntilItFits(push: OpenPush, first: string): Promise<PushResult> {
  let head = first;
  const failed = (code: string, why: string, fix: string): PushResult => {
    const message = `not pushed to ${showUrl(push.target.url)}: ${why}`;
    return { ...unpushed, findings: [warningFinding(code, message, { file: push.place.top, fix })] };
  };
  for (let rebases = 0; ; rebases += 1) {
    const unproven = (await push.unproven?.(head)) ?? [];
    if (unproven.length > 0) {
      const message = `not pushed: ${renderUnproven(head, "proven")}: ${somePaths(unproven)}`;
      const fix = "read git log and git diff of the commits since the task began";
      const findings = [errorFinding("TP_GIT_UNCHECKED", message, { file: push.place.top, fix })];
      return { ...unpushed, unproven, findings };
    }
    const pushed = await pushOnce(push, head);
    if (pushed.kind === "pushed") return { ...unpushed, pushed: true, findings: await recordUpstream(push, head) };
    if (pushed.kind === "failed") return failed("TP_PUSH_FAILED", pushed.why, pushed.fix);
    if (push.tip !== undefined) return failed("TP_PUSH_BEHIND", "the branch there has other commits", otherFix);
    if (rebases === maxRebases) {
      const why = `others pushed first, ${maxRebases} times in a row`;
      return failed("TP_PUSH_BEHIND", why, "nothing to do: the next pass pushes");
    }
    const theirs = await fetchTheirs(push, head);
    if (typeof theirs !== "string") return failed("TP_PUSH_FAILED", theirs.said, failedFix);
    if (await standsElsewhere(push, head, theirs)) return { ...unpushed, lost: await giveWay(push, head, theirs) };
    const rebased = await rebaseOwnCommits({ ...push, head, theirs, drop: null });
    if (rebased.kind === "unwelcome") {
      const why = `others pushed ${someOf(rebased.paths)}, and the proof here was made without these changes`;
      return failed("TP_PUSH_MOVED", why, movedFix);
    }
    if (rebased.kind === "conflict") {
      const why = `others changed the same lines in ${someOf(rebased.paths)}; nothing was moved`;
      return failed("TP_PUSH_CONFLICT", why, behindFix);
    }
    if (rebased.kind === "refused") {
      const why = `others pushed first, and the commits could not be rebased onto theirs: ${rebased.why}`;
      return failed("TP_PUSH_BEHIND", why, behindFix);
    }
    head = rebased.head;
  }
}

const failedFix =
  "try git push by hand; core.sshCommand, credential.helper and proxies are read only from your own git settings, not from .git/config";
const otherFix = "git fetch, look at them, and bring both together by hand";
const behindFix = "git pull --rebase by hand, then git push";
const movedFix =
  "push to a separate branch and merge it there, or git pull --rebase and set Phase back, so that it is proven again";

const refusedFix = "do what the remote asks for, then push";

type PushEnd = { kind: "pushed" } | { kind: "behind" } | { kind: "failed"; why: string; fix: string };

async function pushOnce({ network, target }: OpenPush, head: string): Promise<PushEnd> {
  const end = await network.call(pushCall(target.url, head, target.ref));
  const answer = readPushAnswer(end);
  if (answer.kind === "pushed" || answer.kind === "behind") return answer;
  return { kind: "failed", why: answer.why, fix: answer.kind === "refused" ? refusedFix : failedFix };
}

/** The remote's commit with its objects, or why the call failed. */
async function fetchTheirs({ network, target }: OpenPush, head: string): Promise<string | { said: string }> {
  // A ref tells the remote what we have, so that it sends only new objects.
  const told = await network.call(["update-ref", "refs/heads/ours", head]);
  if (told.exitCode !== 0) return { said: renderEnd(told) };
  const end = await network.call(fetchCall(target.url, [`+${target.ref}:refs/theirs`]));
  if (end.exitCode !== 0) return { said: renderEnd(end) };
  const sha = readText(join(network.gitDir, "refs", "theirs"), 1024)?.trim() ?? "";
  return /^[0-9a-f]{40,64}$/.test(sha) ? sha : { said: "the fetch brought no commit" };
}

/** Updates the remote-tracking ref, and sets the upstream on a first push, like git push. */
async function recordUpstream({ place, target, env }: OpenPush, head: string): Promise<Finding[]> {
  const git = (args: readonly string[]) => runGit(place, args, { env });
  try {
    if (target.tracking !== null) await git(["update-ref", "-m", "update by push", target.tracking, head]);
    if (!target.isNew) return [];
    const branch = branchName(target.ref);
    await writeSetting(place, `branch.${branch}.remote`, target.remote, env);
    await writeSetting(place, `branch.${branch}.merge`, target.ref, env);
    return [];
  } catch (error) {
    const message = `pushed, but the upstream could not be recorded: ${(error as Error).message}`;
    return [warningFinding("TP_PUSH_UPSTREAM", message, { file: place.gitDir, fix: "git branch -u REMOTE/BRANCH" })];
  }
}
