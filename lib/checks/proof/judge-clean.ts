import { basename, join } from "node:path";
import { type CheckResult, failedChecks, ranFewer } from "../../rules/check-run.ts";
import { type Calibration, type Cell, cellHolds, compareWithPassOne, isHeldOut } from "../../rules/matrix.ts";
import { hashFile } from "../../store/hash-file.ts";
import type { CellCut, CellRan } from "./cell.ts";
import type { CellHome } from "./cell-home.ts";
import { type CopyContents, type CopyEntry, contentsOf } from "./clean-copy.ts";
import { findMissing, findUnread, renderMissing } from "./find-missing.ts";
import { isSame, type MatrixRequest, noOrigin, presentContents, type Run, runSteadily } from "./matrix-runs.ts";

export interface CleanRan extends Pick<CellRan, "kind" | "cell" | "leftOut"> {
  readonly calibration: Calibration;
  readonly home: CellHome;
  /** The checks that failed once in the copy and passed on the same bytes. */
  readonly unsteady: readonly CheckResult[];
}

/**
 * What is handed over, with the present checks, in a clean copy. If they fail there, all that the repo lists is tried, and
 * if that passes, the rest of it is what the work needs. Then the checks of pass 1 run once in a copy of its work: if
 * those pass, or fail in another way, the work needs something that is not delivered. If they fail in the same way, the
 * copy lacks what it lacked before the work: perhaps the user's home folder, if the checks of pass 1 say something else
 * with it, or a file that git ignores, which is named. Two failing runs never say that a copy can be judged. Throws TP_DISK.
 */
export async function judgeClean(request: MatrixRequest, run: Run, home: CellHome): Promise<CleanRan | CellCut> {
  const strict =
    request.looseChecks.length === 0
      ? null
      : await runSteadily(run, "delivered", request.now, request.heldOut, { home });
  // A person's uncommitted tests are checks, and the delivery must also pass without them.
  const isStrict = strict !== null && (strict.kind !== "ran" || !cellHolds(strict.cell));
  const first = isStrict
    ? strict
    : await runSteadily(run, "clean", presentContents(request), request.heldOut, {
        home,
        restored: request.guarded ?? [],
      });
  if (first.kind !== "ran") return first;
  const { leftOut, unsteady } = first;
  const cell = isStrict ? first.cell : failFewer(first.cell, request);
  const judged = (calibration: Calibration, lacks: readonly string[] = []): CleanRan => ({
    ...{ kind: "ran", cell, calibration, home, leftOut: [...lacks, ...leftOut], unsteady },
  });
  // A held-out check is the work's to pass: the checks of pass 1 say nothing of it.
  const failed = failedChecks(cell).filter((check) => !isHeldOut(check));
  if (failed.length === 0) return judged(good(home));
  const contents = isStrict ? request.now : presentContents(request);
  const logs = failed.map(({ log }) => join(request.logFolder, isStrict ? "delivered" : "clean", basename(log)));
  const missing = findMissing(request.ground.repo, contents, first.copy, logs);
  // A copy that ran fewer tests has judged nothing: it needs no calibration, and shows nothing of the work.
  const fewer = isStrict ? [] : ranFewer(first.cell.results, request.run.results);
  if (failed.length === fewer.length) return judged(uncalibrated("differs", renderFewer(request, fewer, missing)));
  const undelivered = judged(good(home), missing);
  const here = contentsOf(request.fingerprint.entries, "repo", request.ground);
  const listing = new Map([...here, ...besideNow(request, contents)]);
  if (!isSame(listing, contents)) {
    // If all that the repo lists passes in a copy, the work needs what is not handed over of it.
    const all = await run("listed", listing, request.heldOut, { home });
    if (all.kind === "aborted") return all;
    if (all.kind === "ran" && cellHolds(all.cell)) return undelivered;
  }
  const work = request.before;
  if (work === null) return judged(uncalibrated("none", noOrigin));
  const before = request.calibration ?? (await run("calibration", work, [], { home }));
  if (before.kind === "aborted") return before;
  if (before.kind === "refused") return judged(uncalibrated("none", before.reason));
  if (
    compareWithPassOne(first.cell.results, before.cell.results) === "differs" ||
    lacksChangedPackage(request, failed, first.leftOut)
  )
    return undelivered;
  const atPassOne = home === "private" ? await run("calibration-own-home", work, [], { home: "own" }) : null;
  if (atPassOne?.kind === "aborted") return atPassOne;
  // Work that a pass put into the home folder is not what the checks needed from there before it.
  if (atPassOne?.kind === "ran" && compareWithPassOne(before.cell.results, atPassOne.cell.results) === "differs") {
    const own = await run("clean-own-home", presentContents(request), request.heldOut, { home: "own" });
    if (own.kind === "aborted") return own;
    if (own.kind === "ran" && cellHolds(failFewer(own.cell, request)))
      return { kind: "ran", cell: own.cell, calibration: good("own"), home: "own", leftOut: own.leftOut, unsteady };
  }
  const names = failed.map(({ name }) => name);
  const fails = `${names.join(", ")} failed in a clean copy before this work too`;
  const lacks = missing.length === 0 ? "" : `: ${renderMissing(request.ground.repo, missing, request.undelivered)}`;
  return judged(uncalibrated("differs", `${fails}${lacks}`));
}

/** What is beside the repo in a larger work tree, with the files that are not as they are handed over. */
function besideNow({ ground, undelivered }: MatrixRequest, contents: CopyContents): Map<string, CopyEntry> {
  const beside = new Map([...contents].filter(([path]) => path.startsWith("../")));
  for (const { path } of undelivered.filter((one) => one.path.startsWith("../"))) {
    const read = hashFile(Buffer.from(join(ground.repo, path)));
    if (read.kind === "file") beside.set(path, { entry: `file 644 ${read.sha256}`, from: "repo" });
  }
  return beside;
}

/** A check that passed with fewer tests than in the repo has not passed in the copy. */
function failFewer(cell: Cell, { run }: MatrixRequest): Cell {
  const fewer = new Map(ranFewer(cell.results, run.results).map((one) => [one.name, one]));
  const results = cell.results.map((result): CheckResult => {
    const one = isHeldOut(result) ? undefined : fewer.get(result.name);
    return one === undefined
      ? result
      : { ...result, status: "fail", unmet: `${one.said}, and ${one.wanted} in the repo` };
  });
  return { ...cell, results };
}

function renderFewer(request: MatrixRequest, fewer: ReturnType<typeof ranFewer>, inLogs: readonly string[]): string {
  const { repo } = request.ground;
  const missing = inLogs.length > 0 ? inLogs : findUnread(repo, presentContents(request));
  const said = fewer.map((one) => `${one.said} in a clean copy, and ${one.wanted} in the repo`).join("; ");
  return missing.length === 0 ? said : `${said}: ${renderMissing(repo, missing, request.undelivered)}`;
}

/** What a pass changed in an installed package is missing in each copy, and was there before the work. */
function lacksChangedPackage(
  { ground }: MatrixRequest,
  failed: readonly CheckResult[],
  leftOut: readonly string[],
): boolean {
  const isMade = (path: string) => /__pycache__|node_modules\/\.(?!pnpm\/)/.test(path);
  const isLoad = failed.every(({ failure }) => failure?.by === "load");
  return isLoad && leftOut.some((path) => ground.pins?.wasThere(path) === true && !isMade(path));
}

function good(home: CellHome): Calibration {
  return { kind: "good", reason: null, home };
}

function uncalibrated(kind: "differs" | "none", reason: string): Calibration {
  return { kind, reason, home: null };
}
