import { join, relative } from "node:path";
import { noCodeFolders } from "../../checks/delivery.ts";
import { findDelivered } from "../../git/delivered.ts";
import { takeFingerprint } from "../../git/fingerprint.ts";
import { readSettings } from "../../git/git-settings.ts";
import { readBlob } from "../../git/objects.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import { remoteOf } from "../../git/remote.ts";
import { insideOf } from "../../git/stage.ts";
import { someOf } from "../../git/swap-ref.ts";
import { readRefs, taskRefOf } from "../../git/task-branches.ts";
import { makeTemporaryFolder } from "../../process/temporary-folder.ts";
import { isProven } from "../../rules/headline.ts";
import type { Moved } from "../../rules/standing-facts.ts";
import { removeAll } from "../../store/folder.ts";
import { bytesIn } from "../../store/path-key.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { findRepo, type TaskContract } from "../../task/load-contract.ts";
import type { TaskSession } from "../../task/session.ts";
import { configError, usageError } from "../../text/errors.ts";
import { branchName } from "../../text/ref-name.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { compareDelivery } from "./compare-delivery.ts";

export type WorkBranch = Awaited<ReturnType<typeof findTaskBranch>>;

/**
 * The branch that contains the task's work, with the URL that it is pushed to: the task's own, here or as fetched from
 * origin, else the one that is checked out. Config errors without git, a branch or a remote; a usage error if its state
 * of the task differs from this folder's, which is the one shown. `tree`: the folder is in a copy of a branch of this
 * one, named `copy`.
 */
export async function findTaskBranch(
  { place, ports }: TaskSession,
  { contract, config }: Pick<TaskContract, "contract" | "config">,
  repoFlag: string | null,
  tree: GitPlace | null,
) {
  const { env } = ports;
  const repo = findRepo(place, contract, repoFlag, ports);
  const copy = findGitPlace(repo);
  const git = tree ?? copy;
  if (git === null || copy === null)
    throw configError("TP_PR_GIT", "the repo is not under git", { file: repo, fix: "git init there, and commit" });
  const refs = await readRefs(git, env);
  const own = taskRefOf(contract.id, config.fleet?.ref, { file: place.readme });
  const known = refs.objects.get(own) ?? refs.objects.get(own.replace("refs/heads/", "refs/remotes/origin/"));
  const ref = known === undefined ? refs.head : own;
  const commit = known ?? refs.objects.get(ref);
  const name = branchName(ref);
  const refuse = (code: string, what: string, fix: string) => configError(code, what, { file: git.top, fix });
  if (commit === undefined)
    throw refuse(
      "TP_PR_BRANCH",
      "no branch with a commit is checked out",
      `git switch -c ${quoteWord(branchName(own))}`,
    );
  const settings = await readSettings(git, env);
  const url = remoteOf(settings, name)?.url;
  if (url === undefined) {
    const [one, ...more] = new Set(settings.repo.flatMap(([key]) => /^remote\.(.+)\.url$/s.exec(key)?.[1] ?? []));
    if (one === undefined) throw refuse("TP_PUSH_REMOTE", "there is no remote", "git remote add origin URL");
    const what = `none of the remotes is origin, and no other is chosen: ${someOf([one, ...more])}`;
    throw refuse("TP_PUSH_REMOTE", what, `git config remote.pushDefault ${quoteWord(one)}`);
  }
  const at = { repo, git, copy, name, ref, commit, url };
  if (tree !== null) return at;
  const blob = `${commit}:${relative(git.top, place.journal)}`;
  const there = await readBlob(git, blob, env);
  const here = readRegularFile(place.journal, 1024 * 1024 * 1024);
  const isSame = there === null || (here.kind === "file" && here.bytes.equals(there));
  if (ref === refs.head || isSame) return at;
  throw usageError("TP_PR_OTHER", `the branch ${name} has another state of the task than this folder`, {
    file: place.journal,
    fix: `git switch ${quoteWord(name)}, then again; if files are in its way: git worktree add FOLDER ${quoteWord(name)}, and call it there`,
  });
}

/**
 * How what a task that is done handed over differs from what a clone of its branch has, compared as `status` compares it
 * with the disk. Null if it does not, and if nothing was proven. Throws TP_GIT and TP_DISK.
 */
export async function findMovedOnTip(
  { place, ports, history: { phase, lastVerdict: last } }: TaskSession,
  { repo, copy: git, commit }: Pick<WorkBranch, "repo" | "copy" | "commit">,
): Promise<Moved | null> {
  if (phase !== "done" || !isProven(last)) return null;
  const { delivered } = last.proof;
  if (delivered === undefined) return { kind: "unknown", reason: "it is not recorded what was handed over" };
  const scratch = makeTemporaryFolder("git");
  try {
    const folders = noCodeFolders(place, repo);
    const { entries: listed } = await takeFingerprint(repo, folders, ports.env);
    const found = await findDelivered({
      ...{ place: git, inside: insideOf(git, repo) ?? Buffer.alloc(0), commit, env: ports.env },
      ...{ isPresent: false, changed: new Set<string>(), commits: true },
      listing: { entries: listed, fileOf: (path) => bytesIn(repo, path) },
      leaveOut: folders.flatMap((folder) => insideOf(git, folder) ?? []).filter(({ length }) => length > 0),
      ...{ blobs: join(scratch, "blobs"), objects: join(scratch, "objects"), scratch: join(scratch, "work") },
    });
    const entries = new Map([...found.entries].map(([path, { entry }]) => [path, entry]));
    // Of no work tree: a draft that lay in one at `done` is not to be in the branch.
    const then = "";
    return await compareDelivery({ place, repo: null, entries, then, delivered }, ports);
  } finally {
    removeAll(scratch);
  }
}
