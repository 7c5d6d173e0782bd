import { existsSync, mkdtempSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSettings } from "../../git/git-settings.ts";
import { readHead } from "../../git/head.ts";
import { goesBack, listDiffering } from "../../git/log.ts";
import { pushCall, receivers, withNetwork } from "../../git/network.ts";
import { giveAgain, renderRefLock } from "../../git/own-ref.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import { findCommit } from "../../git/revision.ts";
import { runGit, splitNul } from "../../git/run-git.ts";
import { renderEnd, swapRef } from "../../git/swap-ref.ts";
import { checkedOutIn } from "../../git/worktrees.ts";
import { readTaken, type Taken } from "../../queue/views/taken-words.ts";
import { makeFolder, removeAll, statEntry } from "../../store/folder.ts";
import { joinBytes } from "../../store/path-key.ts";
import { readText } from "../../store/read-file.ts";
import { cacheHome, openPrivateFolder } from "../../store/state-home.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { branchName } from "../../text/ref-name.ts";
import { claimPlace } from "../claim-place.ts";
import { findElsewhere, finishLanding, gitInTree, landRef, syncChanged } from "./finish-landing.ts";
import type { Landing } from "./land-task.ts";

export type MoveEnd =
  | { readonly kind: "moved" }
  /** Somebody else moved the target: the merge is of another one. */
  | { readonly kind: "behind" }
  /** Why it stays where it is, and what a person can do. */
  | { readonly kind: "left"; readonly why: string; readonly fix: string };

/**
 * Moves the target from the commit that was merged to the proven one, by compare-and-swap. Where it is checked out, the
 * working tree goes with it as by `git merge --ff-only`, if nothing there is changed; else both stay. Throws TP_GIT.
 */
export async function moveTarget(
  landing: Landing,
  proven: { readonly commit: string; readonly clone: GitPlace },
  ports: PassPorts,
): Promise<MoveEnd> {
  const end = await tryToMove(landing, proven, ports);
  const { tree } = landing.work;
  const { landed } = claimPlace(cacheHome(ports.env, ports.home), tree.commonDir, landing.task.id);
  if (end.kind === "moved") await giveAgain({ tree, objects: landed, env: ports.env });
  const refs = [landing.target.ref, landRef(landing.task.id)];
  const lock = end.kind === "left" ? renderRefLock(tree, refs) : null;
  return end.kind === "left" && lock !== null ? { ...end, fix: `${lock}, then land it again` } : end;
}

async function tryToMove(
  { work, task, target }: Landing,
  { commit, clone }: { readonly commit: string; readonly clone: GitPlace },
  ports: PassPorts,
): Promise<MoveEnd> {
  const { env, home } = ports;
  const url = work.tree.commonDir;
  const { scratch, taken } = claimPlace(cacheHome(env, home), url, task.id);
  const shown = branchName(target.ref);
  const folder = checkedOutIn(work.tree, target.ref);
  const settings = await readSettings(clone, env);
  return await withNetwork({ place: clone, settings, scratch, env, signal: null, url }, async (network) => {
    if (folder === null) {
      const swap = { network, url, ref: target.ref, expected: target.commit, commit, receiver: receivers.own };
      const end = await swapRef({ ...swap, wait: async () => false });
      if (end.kind === "swapped") return { kind: "moved" };
      if (end.kind === "lost") return { kind: "behind" };
      return { kind: "left", why: `${shown} could not be moved: ${end.why}`, fix: "land it again" };
    }
    // Git would change the working tree before it finds that it cannot move the branch.
    if (renderRefLock(work.tree, [target.ref]) !== null)
      return { kind: "left", why: `${shown} cannot be moved, since a ref is locked`, fix: "land it again" };
    // Its objects first, under a name that keeps them.
    const end = await network.call(pushCall(url, `+${commit}`, landRef(task.id), receivers.own));
    if (end.exitCode !== 0) return { kind: "left", why: renderEnd(end), fix: "land it again" };
    let isWhole = true;
    const repair = async () => {
      isWhole = false;
      isWhole = typeof (await finishLanding({ work, task, target }, ports)) !== "string";
    };
    try {
      const files = readTaken(taken)?.files ?? {};
      return await moveTree({ folder, task: task.path, commit, target, taken: files, repair }, ports);
    } finally {
      // Else the next landing repairs it.
      if (isWhole) await dropLandRef(work.tree, task.id, env);
    }
  });
}

/** Only a landing that is under way needs it. */
export async function dropLandRef(tree: GitPlace, task: string, env: NodeJS.ProcessEnv): Promise<void> {
  await runGit(tree, ["update-ref", "-d", landRef(task)], { env, accept: [0, 1, 128], durable: true });
}

interface TreeMove {
  readonly folder: string;
  /** The task folder, from the top. */
  readonly task: string;
  readonly commit: string;
  /** What the branch took along, by the path in the task folder. */
  readonly taken: Taken["files"];
  readonly target: Landing["target"];
  /** Undoes what git wrote of a merge that failed. */
  readonly repair: () => Promise<void>;
}

async function moveTree(
  { folder, task, commit, target, taken, repair }: TreeMove,
  { env }: PassPorts,
): Promise<MoveEnd> {
  const place = findGitPlace(folder);
  if (place === null) return { kind: "left", why: `${folder} is no working tree`, fix: "git worktree prune" };
  const shown = branchName(target.ref);
  const elsewhere = await findElsewhere(place, target.ref, env);
  if (elsewhere !== null) return { kind: "left", why: elsewhere, fix: "finish it, then land it again" };
  const changed = await listDirty(place, env);
  if (changed.length > 0) {
    const why = `${shown} is checked out in ${folder}, with changes that are not committed (${changed.slice(0, 3).join(", ")})`;
    return { kind: "left", why, fix: "commit or stash them, then land it again" };
  }
  // The branch has what was taken along from it: git would refuse to write over files that it does not know.
  const aside = await setAside(place, { task, commit, taken }, env);
  if (!Array.isArray(aside)) return aside;
  const isFree = await hasRoom(place, target.commit, commit, env);
  const end = await gitInTree(place, ["merge", "--ff-only", "--no-overwrite-ignore", "-q", commit], { env });
  const isBehind = end.exitCode !== 0 && (await readHead(place, env))?.commit !== target.commit;
  // It may have failed behind some of the files, on a full disk or at a lock of HEAD.
  try {
    if (end.exitCode !== 0 && !isBehind && isFree) await repair();
  } finally {
    for (const { from, to } of end.exitCode === 0 ? [] : aside) {
      makeFolder(dirname(from));
      if (!existsSync(from)) renameSync(to, from);
    }
  }
  for (const { to } of aside) removeAll(dirname(to));
  if (end.exitCode === 0) {
    await syncChanged(place, target.commit, commit, env);
    const now = await findCommit(place, target.ref, env);
    if (now !== null && (await goesBack(place, now, commit, env))) return { kind: "moved" };
    return { kind: "left", why: `somebody left ${shown} in ${folder} meanwhile`, fix: "read git reflog there" };
  }
  if (isBehind) return { kind: "behind" };
  const why = renderEnd({ ...end, stdout: "" });
  const unless = "git config merge.verifySignatures false, since the runner's commits have no GPG signature";
  const fix = `${why.includes("does not have a GPG signature") ? unless : "read what git says"}, then land it again`;
  return { kind: "left", why, fix };
}

/** Whether nothing is where the merge adds a file; else git refuses before it writes. */
async function hasRoom(place: GitPlace, from: string, to: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const added = await listDiffering(place, ["--diff-filter=A", from, to], env);
  return added.every((path) => statEntry(joinBytes(Buffer.from(place.top), path)) === null);
}

/** Changed or staged files; untracked ones are not in the way. */
async function listDirty(place: GitPlace, env: NodeJS.ProcessEnv): Promise<string[]> {
  const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all"];
  const { stdout } = await runGit(place, args, { env });
  return splitNul(stdout).map((line) => line.subarray(3).toString("utf8"));
}

/**
 * Moves what git does not know in the task folder of the working tree out of the way of the merge, and gives where each is.
 * One that the branch has neither as it is nor in its history is a person's work: then everything stays.
 */
async function setAside(
  place: GitPlace,
  { task, commit, taken }: Pick<TreeMove, "task" | "commit" | "taken">,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly from: string; readonly to: string }[] | MoveEnd> {
  const list = async (args: readonly string[]) => splitNul((await runGit(place, args, { env })).stdout).map(String);
  const unknown = await list(["ls-files", "-z", "--others", "--full-name", "--", `:(top,literal)${task}`]);
  if (unknown.length === 0) return [];
  const merged = new Set(await list(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", task]));
  const inWay = unknown.filter((path) => merged.has(path));
  const ours = await blobsOf(place, inWay, env);
  const versions = await versionsOf(place, { task, commit }, env);
  const wasTaken = (path: string) =>
    taken[path.slice(task.length + 1)] === readText(join(place.top, path), 1024 * 1024);
  const own = inWay.filter((path, at) => !versions.has(ours[at] ?? "") && !wasTaken(path));
  if (own.length > 0) {
    const why = `files in ${task} are not as the branch has them, and in no commit: ${own.slice(0, 3).join(", ")}`;
    return { kind: "left", why, fix: "task-phase run takes them along; or commit or remove them, then land it again" };
  }
  const folder = join(place.gitDir, "task-phase-aside");
  openPrivateFolder(folder);
  const to = mkdtempSync(join(folder, "land-"));
  const moves = inWay.map((path, at) => ({ from: join(place.top, path), to: join(to, `${at}`) }));
  for (const move of moves) renameSync(move.from, move.to);
  return moves;
}

async function blobsOf(place: GitPlace, paths: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const input = Buffer.from(paths.map((path) => `${path}\n`).join(""));
  const { stdout } = await runGit(place, ["hash-object", "--stdin-paths"], { env, input, cwd: place.top });
  return stdout.toString("utf8").trim().split("\n");
}

/** Every blob that a file of the task folder ever was on the way to this commit. */
async function versionsOf(
  place: GitPlace,
  { task, commit }: { readonly task: string; readonly commit: string },
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  const words = ["log", "-m", "--format=", "--raw", "--no-abbrev", "--no-renames"];
  const { stdout } = await runGit(place, [...words, commit, "--", `:(top,literal)${task}`], { env });
  return new Set([...stdout.toString("utf8").matchAll(/[0-9a-f]{40,64}/g)].map(([blob]) => blob));
}
