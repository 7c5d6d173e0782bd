import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type CellGround, type CellOutcome, type CellRequest, refused } from "./cell.ts";
import { withPrivateHome } from "./cell-home.ts";
import { makeCopy } from "./clean-copy.ts";
import { copyEnvironment } from "./copy-paths.ts";
import { removeTree } from "./remove-tree.ts";
import { runSet } from "./run-set.ts";
import { settleDependencies } from "./settle-dependencies.ts";

/**
 * Runs the whole set of checks once in a clean copy of its own, and removes the copy. Nothing that an earlier cell left
 * is in it, so no cell can have a part in what another one shows. Throws TP_DISK.
 */
export async function runCell(ground: CellGround, request: CellRequest): Promise<CellOutcome> {
  const folder = join(ground.copies, request.name);
  const temporary = join(ground.temporary, `tmp-${request.name}`);
  removeTree(folder);
  // The folder's own name is the repo's: some tools take a project's name from it.
  const copy = join(folder, "tree", basename(ground.repo));
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

async function runInCopy(
  ground: CellGround,
  request: CellRequest,
  copy: string,
  temporary: string,
): Promise<CellOutcome> {
  const { repo, origin, signal, home } = ground;
  const made = await makeCopy({ repo, origin, contents: request.contents, target: copy, signal });
  if (made.kind === "aborted") return made;
  if (made.kind === "refused") return refused(made.reason);
  const mapped = copyEnvironment(ground.env, repo, copy, temporary);
  const env = home.seen === "own" ? mapped : withPrivateHome(mapped, home.path, temporary);
  const place = { ground, request, copy, temporary, env };
  const settled = await settleDependencies(place);
  if ("kind" in settled) return settled;
  if (signal.aborted) return { kind: "aborted" };
  const results = await runSet(place);
  if ("kind" in results) return results;
  return {
    kind: "ran",
    cell: { same_as: null, results },
    leftOut: [...made.leftOut, ...settled.leftOut],
    carried: settled.carried,
    leftover: null,
  };
}
