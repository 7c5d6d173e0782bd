import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { CheckResult } from "../machine/check-run.ts";
import { lookAt } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { joinBytes, pathBytes } from "../store/path-key.ts";
import { type CellGround, type CellOutcome, type CellRequest, refused } from "./cell.ts";
import { withPrivateHome } from "./cell-home.ts";
import { type CopyContents, makeCopy } from "./clean-copy.ts";
import { addHistory } from "./copy-history.ts";
import { copyEnvironment } from "./copy-paths.ts";
import { readEntry } from "./entries.ts";
import { prepareDependencies } from "./prepare-dependencies.ts";
import { clearWay, removeTree } from "./remove-tree.ts";
import { runSet } from "./run-set.ts";

/**
 * Runs the whole set of checks once in a clean copy of its own, and removes the copy. Nothing that an earlier cell left
 * is in it, so no cell can have a part in what another one shows. Throws TP_DISK.
 */
export async function runCell(ground: CellGround, request: CellRequest): Promise<CellOutcome> {
  const folder = join(ground.copies, request.name);
  const temporary = join(ground.temporary, `tmp-${request.name}`);
  // An agent of the same user may have put something in their place, such as a link that leads to the repo.
  if (lookAt(ground.copies)?.isSymbolicLink() === true) removeTree(ground.copies);
  if (!clearWay(folder) || !clearWay(temporary))
    return { ...refused("a file in the way of the copy cannot be removed"), leftover: folder };
  const copy = join(folder, "tree", nameCopy(ground));
  let outcome: CellOutcome;
  let removed = false;
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    outcome = await runInCopy(ground, request, copy, temporary);
  } finally {
    removeTree(temporary);
    removed = removeTree(folder);
  }
  return outcome.kind !== "aborted" && !removed ? { ...outcome, leftover: folder } : outcome;
}

/**
 * Not the repo's own name, which work could ask for, but only if that did not calibrate: some tools name a project by
 * it.
 */
function nameCopy({ repo, home }: CellGround): string {
  const own = basename(repo);
  return home.seen === "own" ? own : own === "work" ? "code" : "work";
}

async function runInCopy(
  ground: CellGround,
  request: CellRequest,
  copy: string,
  temporary: string,
): Promise<CellOutcome> {
  const { repo, origin, signal, home } = ground;
  const made = await makeCopy({ repo, origin, blobs: ground.blobs, contents: request.contents, target: copy, signal });
  if (made.kind === "aborted") return made;
  if (made.kind === "refused") return refused(made.reason);
  await addHistory(ground, request.contents, copy);
  const mapped = copyEnvironment(ground.env, repo, copy, temporary);
  const env = home.seen === "own" ? mapped : withPrivateHome(mapped, home.path, temporary);
  const place = { ground, request, copy, temporary, env };
  const settled = await prepareDependencies(place);
  if ("kind" in settled) return settled;
  const results = await runSet(place);
  if ("kind" in results) return results;
  const rewritten = (request.restored ?? []).filter((path) => !isAsMade(copy, path, request.contents));
  return {
    kind: "ran",
    cell: { same_as: null, results: rewritten.length === 0 ? results : results.map(failRewriting(rewritten)) },
    copy,
    leftOut: [...made.leftOut, ...settled.leftOut],
    leftover: null,
  };
}

const mostNamed = 3;

/** A check that writes what it should compare with passes whatever the work is. Which of them wrote it is not known. */
function failRewriting(paths: readonly string[]): (result: CheckResult) => CheckResult {
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "";
  const unmet = `the checks rewrote files that were restored to pass 1: ${paths.slice(0, mostNamed).join(", ")}${more}`;
  return (result) => (result.status === "pass" ? { ...result, status: "fail", unmet } : result);
}

function isAsMade(copy: string, path: string, contents: CopyContents): boolean {
  const made = readEntry(contents.get(path)?.entry ?? "");
  const hashed = hashFile(joinBytes(Buffer.from(copy), pathBytes(path)));
  // Paths restored as absent, or as a link, are not compared.
  return made?.kind !== "file" || (hashed.kind === "file" && hashed.sha256 === made.digest);
}
