import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeAll } from "../store/folder.ts";
import { diskError, runWithCleanUp, TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import { type CheckedCode, findUnchecked } from "./checked-blobs.ts";
import { choosePaths, type PathRequest, somePaths } from "./choose-paths.ts";
import { identityVariables, readSettings } from "./git-settings.ts";
import { busyFinding, findUnfinished, type Head, readHead } from "./head.ts";
import { holdIndex } from "./held-index.ts";
import type { HeldIndex, Patience } from "./index-lock.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { commitSigning, type Signer } from "./ssh-keygen.ts";
import { findUnproven } from "./unproven.ts";

export interface CommitRequest extends PathRequest {
  readonly scratch: string;
  readonly message: string;
  readonly checked: CheckedCode | null;
  readonly signer?: Signer | null;
  /** The file that records an interrupted step for `finishIndex`; null if nothing resumes it. */
  readonly record: string | null;
  /** Where its objects go, as of `besideObjects`; missing: among those of the repository. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How long to wait for another git's lock; some seconds if absent. */
  readonly patience?: Patience;
  readonly env: NodeJS.ProcessEnv;
}

interface CommitResult {
  readonly sha: string | null;
  /** An error means the commit differs from what was checked and must not be pushed. */
  readonly findings: readonly Finding[];
  /** Repo paths in which HEAD is not what was proven; empty if nothing was. */
  readonly unproven: readonly string[];
}

/** Enough for any git to write an index. */
export const usualPatience: Patience = { ms: 5_000, pause: (ms) => sleep(ms) };

/** An attempt fails only if someone commits within the same few milliseconds. */
const maxAttempts = 5;

/**
 * Commits exactly these paths, as they are on disk, on top of HEAD, even if someone else commits meanwhile. Other
 * staged or changed files stay untouched: the commit is built in a private index, and only its own entries are renewed
 * in the repository's. `choosePaths` says what is left out, `findUnchecked` what differs from the checks. Runs no
 * hooks; git's writes are synced. Throws TP_GIT, or TP_SIGN if signing failed; then there is no commit.
 */
export async function commitPaths(request: CommitRequest): Promise<CommitResult> {
  const place = findGitPlace(request.repo);
  if (place === null) return { sha: null, findings: [], unproven: [] };
  for (let attempt = 1; ; attempt += 1) {
    const busy = findUnfinished(place);
    if (busy !== null) return { sha: null, findings: [busyFinding(place, "committed", busy)], unproven: [] };
    const scratch = mkdtempSync(join(request.scratch, "commit-"));
    const tryOnce = async (): Promise<CommitResult | null> => {
      const head = await readHead(place, request.env);
      const end = await commitOnto(request, place, head, join(scratch, "index"));
      if (end.kind === "committed") return end.result;
      const now = await readHead(place, request.env);
      if (now?.commit === head?.commit || attempt === maxAttempts) throw lost(place, attempt, end.error);
      return null;
    };
    const made = await runWithCleanUp(tryOnce, () => removeAll(scratch));
    if (made !== null) return made;
  }
}

type Attempt =
  | { readonly kind: "committed"; readonly result: CommitResult }
  /** The branch moved meanwhile, or another git locks it. */
  | { readonly kind: "lost"; readonly error: TaskPhaseError };

async function commitOnto(request: CommitRequest, place: GitPlace, head: Head | null, index: string): Promise<Attempt> {
  const { env } = request;
  // A fresh index remembers no file times, so git reads each file.
  const variables = { ...request.variables, GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "1" };
  const settings = await readSettings(place, env);
  const author = identityVariables(settings, env);
  const signing = commitSigning(request.signer ?? null);
  const git = async (args: readonly string[], input?: Buffer) => {
    const options = {
      env,
      durable: true,
      extra: ["i18n.commitEncoding=UTF-8", ...signing.extra],
      variables: { ...variables, ...author, ...signing.variables },
    };
    const end = await runGit(place, args, input === undefined ? options : { ...options, input });
    return end.stdout.toString("utf8").trim();
  };
  if (head !== null) await git(["read-tree", head.commit]);
  const { staged, gone, findings } = await choosePaths(place, request, { env, variables, durable: true, settings });
  const tree = await git(["write-tree"]);
  const nothing = head === null ? staged.length === 0 : tree === head.tree;
  if (nothing) {
    const there = await judgeCommit(request, place, head?.commit ?? null);
    return { kind: "committed", result: { ...there, sha: null, findings: [...findings, ...there.findings] } };
  }
  const parent = head === null ? [] : ["-p", head.commit];
  const words = ["commit-tree", ...signing.args, ...parent, "-F", "-", tree];
  const sha = await orUnsigned(request.signer ?? null, place, () => git(words, Buffer.from(request.message)));
  const judged = await judgeCommit(request, place, sha);
  const subject = `commit: ${shorten(request.message.split("\n")[0] ?? "", 100)}`;
  const { record, patience = usualPatience } = request;
  const held = await holdIndex(place, { commit: sha, record, patience, env }, request.scratch);
  let hasMoved = false;
  const move = async (): Promise<TaskPhaseError | null> => {
    await held.renew(staged, gone);
    try {
      // With the old value given, a concurrent commit is not lost.
      await git(["update-ref", "-m", subject, "HEAD", sha, head?.commit ?? "0".repeat(sha.length)]);
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      return error;
    }
    hasMoved = true;
    return null;
  };
  const error = await runWithCleanUp(move, () => hasMoved || held.release());
  if (error !== null) return { kind: "lost", error };
  const renewed = putIndex(place, held);
  const detached = head !== null && head.ref === null ? [detachedFinding(place, sha)] : [];
  const all = [...findings, ...judged.findings, ...renewed, ...detached];
  return { kind: "committed", result: { ...judged, sha, findings: all } };
}

/** Reports a failure of `commit-tree` while signing as a failed signature. */
export async function orUnsigned(
  signer: Signer | null,
  place: GitPlace,
  commit: () => Promise<string>,
): Promise<string> {
  try {
    return await commit();
  } catch (error) {
    if (signer === null || !(error instanceof TaskPhaseError)) throw error;
    const message = `not committed, since the commit could not be signed: ${error.message}`;
    const fix = "task-phase doctor says whether the key works; the next run of the task commits it";
    throw diskError("TP_SIGN", message, { file: place.top, fix }, error);
  }
}

/** A commit that does not hold what was proven, or, where nothing was, what was checked. */
async function judgeCommit(
  { checked, repo, env }: CommitRequest,
  place: GitPlace,
  sha: string | null,
): Promise<Pick<CommitResult, "findings" | "unproven">> {
  if (checked === null) return { findings: [], unproven: [] };
  const { proven = null, entries, leaveOut } = checked;
  const unproven =
    proven === null ? [] : await findUnproven(place, repo, sha, { tree: proven, entries, leaveOut }, env);
  const isChecked = proven !== null || sha === null;
  const paths = isChecked ? unproven : await findUnchecked(place, repo, sha, checked, env);
  if (paths.length === 0) return { findings: [], unproven };
  const message = `${renderUnproven(sha, proven === null ? "checked" : "proven")}: ${somePaths(paths)}`;
  const fix = "read git diff HEAD and the commits since the task began; it is not pushed";
  return { findings: [errorFinding("TP_GIT_UNCHECKED", message, { file: place.top, fix })], unproven };
}

export function renderUnproven(sha: string | null, what: "checked" | "proven"): string {
  return `the commit ${sha?.slice(0, 12) ?? "that is not made"} does not contain what was ${what}`;
}

function lost(place: GitPlace, attempts: number, error: TaskPhaseError): TaskPhaseError {
  const message =
    attempts === 1
      ? `not committed: the branch could not be moved: ${error.message}`
      : `not committed: somebody else committed to the branch in between, ${attempts} times in a row`;
  return diskError("TP_GIT", message, { file: place.top, fix: "the next run of the task commits it" }, error);
}

function detachedFinding(place: GitPlace, sha: string): Finding {
  const message = `the commit ${sha.slice(0, 12)} is on no branch: HEAD is detached`;
  return infoFinding("TP_GIT_DETACHED", message, { file: place.top, fix: `keep it: git branch NAME ${sha}` });
}

function putIndex(place: GitPlace, held: HeldIndex): Finding[] {
  try {
    held.put();
    return [];
  } catch (error) {
    const message = `committed, but git's index is not renewed yet, and held until it is: ${(error as Error).message}`;
    const fix = "nothing to do: the next pass in this repository renews it";
    return [warningFinding("TP_GIT_INDEX", message, { file: place.top, fix })];
  }
}
