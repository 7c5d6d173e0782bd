import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readEntry } from "../../git/content-entries.ts";
import { commitCopy, placeHistory } from "../../git/history-below.ts";
import type { TreeEntry } from "../../git/list-tree.ts";
import type { CheckResult } from "../../rules/check-run.ts";
import { hashFile } from "../../store/hash-file.ts";
import { bytesIn } from "../../store/path-key.ts";
import { clearWay, removeTree } from "../../store/remove-tree.ts";
import { nameSome } from "../../text/shorten.ts";
import { findCarried } from "./carry.ts";
import { type CellCut, type CellGround, type CellOutcome, type CellRequest, refused } from "./cell.ts";
import { withPrivateHome } from "./cell-home.ts";
import type { CopyContents } from "./clean-copy.ts";
import { copyEnvironment } from "./copy-paths.ts";
import { inTop } from "./in-top.ts";
import type { KeptCopy } from "./kept-copy.ts";
import { prepareDependencies } from "./prepare-dependencies.ts";
import { runSet } from "./run-set.ts";

/**
 * Runs the whole set of checks once in a clean copy. Nothing that an earlier cell left is in it, so no cell can have a
 * part in what another one shows. Throws TP_DISK.
 */
export async function runCell(ground: CellGround, request: CellRequest, kept: KeptCopy): Promise<CellOutcome> {
  const temporary = join(ground.temporary, `tmp-${request.name}`);
  if (!clearWay(temporary)) return refused("a file in the way of the copy cannot be removed");
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    return await runInCopy(ground, request, kept, temporary);
  } finally {
    removeTree(temporary);
  }
}

/**
 * Where the copy of the top is. Not under the repo's own name, which work could ask for, unless that did not calibrate:
 * some tools name a project by it.
 */
function copyRoot({ repo, home }: CellGround, kept: KeptCopy): string {
  const own = basename(repo);
  return join(kept.folder, "tree", home.seen === "own" ? own : own === "work" ? "code" : "work");
}

/** Brings the copy to these contents, which are at repo paths; also gives what is carried, and them by path of the copy. */
async function placeContents(ground: CellGround, wanted: CopyContents, kept: KeptCopy) {
  const { repo, top, origin, signal, blobs } = ground;
  const { inside, fromRepo } = inTop(repo, top);
  const carried = findCarried(repo, wanted.keys(), ground.rules.carry);
  const contents = inside === "" ? wanted : new Map([...wanted].map(([path, one]) => [fromRepo(path), one]));
  const request = { repo: top, origin, blobs, contents, target: copyRoot(ground, kept), signal };
  return { carried, contents, made: await kept.update(request, carried.map(fromRepo)) };
}

/** The folder of the copy with these contents, to be read and not run in; a cell brings it to its own. Throws TP_DISK. */
export async function placeInCopy(
  ground: CellGround,
  wanted: CopyContents,
  kept: KeptCopy,
): Promise<{ readonly kind: "placed"; readonly copy: string } | CellCut> {
  const { made } = await placeContents(ground, wanted, kept);
  if (made.kind === "aborted") return made;
  if (made.kind === "refused") return refused(made.reason);
  await kept.note(new Map());
  return { kind: "placed", copy: join(copyRoot(ground, kept), inTop(ground.repo, ground.top).inside) };
}

async function runInCopy(
  ground: CellGround,
  request: CellRequest,
  kept: KeptCopy,
  temporary: string,
): Promise<CellOutcome> {
  const { repo, top, home } = ground;
  const { inside, toRepo } = inTop(repo, top);
  const root = copyRoot(ground, kept);
  const copy = join(root, inside);
  const { carried, contents, made } = await placeContents(ground, request.contents, kept);
  if (made.kind === "aborted") return made;
  if (made.kind === "refused") return refused(made.reason);
  await addHistory(ground, contents, root);
  const envWith = (named: string | null) => {
    const mapped = copyEnvironment(ground.env, top, root, named);
    return home.seen === "own" ? mapped : withPrivateHome(mapped, home.path, temporary);
  };
  const env = envWith(ground.sandbox?.hasOwnTemporary === true ? null : temporary);
  const place = { ground, request, copy, root, kept, temporary, env, outerEnv: envWith(temporary) };
  const settled = await prepareDependencies(place, carried);
  if ("kind" in settled) return settled;
  const results = await runSet(place);
  if ("kind" in results) return results;
  const rewritten = (request.restored ?? []).filter((path) => !isAsMade(copy, path, request.contents));
  const failing = rewritten.filter((path) => request.contents.has(path));
  return {
    kind: "ran",
    cell: { same_as: null, results: failing.length === 0 ? results : results.map(failRewriting(failing)) },
    copy,
    leftOut: [...made.leftOut.map(toRepo), ...settled.leftOut],
    rewritten,
  };
}

/**
 * Makes a copy the repository that a colleague would have, with the work staged unless the repo has it committed: `git
 * diff HEAD` and `git status` tell what it is, and a check that generates files and then asks `git diff --exit-code` finds
 * them as they are. Throws TP_GIT and TP_DISK.
 */
async function addHistory({ history, env }: CellGround, contents: CopyContents, copy: string): Promise<void> {
  if (history === null) return;
  const blobs = new Map<string, TreeEntry>(history.submodules);
  const texts = new Map<string, string>();
  for (const [path, { blob, text }] of contents) {
    if (blob !== undefined && blob !== null) blobs.set(path, blob);
    if (text !== undefined) texts.set(path, text);
  }
  placeHistory(copy, history, blobs, texts);
  if (history.isCommitted === true) await commitCopy(copy, history.commit, env);
}

const mostNamed = 3;

const rewrote = "the checks rewrote files that they compare the work with: ";

/** A check that writes what it should compare with passes whatever the work is. Which of them wrote it is not known. */
function failRewriting(paths: readonly string[]): (result: CheckResult) => CheckResult {
  const unmet = `${rewrote}${nameSome(paths, mostNamed)}; if what they write is right, keep it with the work`;
  return (result) => (result.status === "pass" ? { ...result, status: "fail", unmet } : result);
}

/** Whether that is why a check of the cell failed. */
export function isRewriting({ unmet }: CheckResult): boolean {
  return unmet?.startsWith(rewrote) === true;
}

function isAsMade(copy: string, path: string, contents: CopyContents): boolean {
  const one = contents.get(path);
  const hashed = hashFile(bytesIn(copy, path));
  if (one === undefined) return hashed.kind !== "file";
  // A link is not compared.
  const made = readEntry(one.entry);
  return made?.kind !== "file" || (hashed.kind === "file" && hashed.sha256 === made.digest);
}
