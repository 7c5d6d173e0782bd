import { basename, join } from "node:path";
import { failedChecks } from "../machine/check-run.ts";
import { type Calibration, type Cell, cellHolds, compareWithPassOne, isHeldOut } from "../machine/square.ts";
import type { CellHome } from "./cell-home.ts";
import { contentsOf } from "./clean-copy.ts";
import { describeMissing, findMissing } from "./find-missing.ts";
import { noOrigin, presentContents, type Run, type SquareRequest } from "./square-runs.ts";

export type CleanOutcome =
  | {
      readonly kind: "ran";
      readonly cell: Cell;
      readonly calibration: Calibration;
      readonly home: CellHome;
      readonly leftOut: readonly string[];
    }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "aborted" };

/**
 * Present work and checks in a clean copy. If they fail there, the checks of pass 1 run once in a copy of its work: if
 * those pass, or fail in another way, the work needs something that is not delivered. If they fail in the same way, the
 * copy lacks what it lacked before the work: perhaps the user's home folder, if the checks of pass 1 say something else
 * with it, or a file that git ignores, which is named. Two failing runs never say that a copy can be judged. Throws TP_DISK.
 */
export async function judgeClean(request: SquareRequest, run: Run, home: CellHome): Promise<CleanOutcome> {
  const first = await run("clean", presentContents(request), request.heldOut, { home });
  if (first.kind !== "ran") return first;
  const { cell, leftOut } = first;
  const judged = (calibration: Calibration): CleanOutcome => ({ kind: "ran", cell, calibration, home, leftOut });
  // A held-out check is the work's to pass: the checks of pass 1 say nothing of it.
  const failed = failedChecks(cell).filter((check) => !isHeldOut(check));
  if (failed.length === 0) return judged(good(home));
  const { origin } = request.ground;
  if (origin === null) return judged(uncalibrated("none", noOrigin));
  const work = contentsOf(origin.entries, "origin", request.ground);
  const before = await run("calibration", work, [], { home });
  if (before.kind === "aborted") return before;
  if (before.kind === "refused") return judged(uncalibrated("none", before.reason));
  const logs = failed.map(({ log }) => join(request.logFolder, "clean", basename(log)));
  const missing = findMissing(request.ground.repo, presentContents(request), first.copy, logs);
  if (compareWithPassOne(cell.results, before.cell.results) === "differs")
    return { kind: "ran", cell, calibration: good(home), home, leftOut: [...missing, ...leftOut] };
  const atPassOne = home === "private" ? await run("calibration-own-home", work, [], { home: "own" }) : null;
  if (atPassOne?.kind === "aborted") return atPassOne;
  // Work that a pass put into the home folder is not what the checks needed from there before it.
  if (atPassOne?.kind === "ran" && compareWithPassOne(before.cell.results, atPassOne.cell.results) === "differs") {
    const own = await run("clean-own-home", presentContents(request), request.heldOut, { home: "own" });
    if (own.kind === "aborted") return own;
    if (own.kind === "ran" && cellHolds(own.cell))
      return { kind: "ran", cell: own.cell, calibration: good("own"), home: "own", leftOut: own.leftOut };
  }
  const names = failed.map(({ name }) => name);
  const fails = `${names.join(", ")} failed in a clean copy before this work too`;
  return judged(
    uncalibrated(
      "differs",
      missing.length === 0 ? fails : `${fails}: ${describeMissing(request.ground.repo, missing)}`,
    ),
  );
}

function good(home: CellHome): Calibration {
  return { kind: "good", reason: null, home };
}

function uncalibrated(kind: "differs" | "none", reason: string): Calibration {
  return { kind, reason, home: null };
}
