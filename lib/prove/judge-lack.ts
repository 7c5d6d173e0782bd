import type { Delivery } from "../checks/delivery.ts";
import type { CopyContents } from "../checks/proof/clean-copy.ts";
import { installPackages, packageMap, renderRemedy } from "../checks/proof/find-missing.ts";
import { type NamedRuns, runNamed } from "../checks/proof/judge-matrix.ts";
import { openKeptCopy } from "../checks/proof/kept-copy.ts";
import { listNames } from "../git/list-names.ts";
import type { CheckResult } from "../rules/check-run.ts";
import { cellHolds, compareWithPassOne, type MatrixFacts } from "../rules/matrix.ts";
import { nameSome } from "../text/shorten.ts";
import type { ChangeRequest } from "./read-change.ts";

export interface LackRequest extends Pick<ChangeRequest, "place" | "env" | "folder"> {
  readonly named: NamedRuns;
  readonly inTurn: boolean;
  readonly versions: Pick<Delivery, "before" | "now" | "undelivered">;
  /** What the repo lists, as it is there. */
  readonly listed: CopyContents;
  /** What the checks said of the base in a copy. */
  readonly before: readonly CheckResult[];
  readonly matrix: MatrixFacts;
  /** Checks in copies do not see the repo itself, and a call of a person may let them. */
  readonly hidesRepo: boolean;
}

const mostIgnored = 1_000;
/**
 * What programs leave behind and need not find, and builds that the checks make themselves: stale ones pass whatever
 * the code is.
 */
const leavings =
  /\.(?:log|pyc)$|(?:^|\/)(?:__pycache__|\.\w+_cache|coverage|\.DS_Store|target|obj|\.gradle|\.next|\.turbo|\.build)(?:\/|$)/;
const mostNamed = 3;

/**
 * Why checks that fail in copies of the change and of the base alike say nothing of the change: with all that git ignores,
 * or has with other bytes than the repo, the user's own home folder and the repo in sight the base says something else, and
 * the change passes. Null if that is not so: then the change fails, or only that makes it pass. Throws TP_GIT and TP_DISK.
 */
export async function judgeLack(request: LackRequest): Promise<string | null> {
  const { matrix, named, folder, inTurn, versions, listed, before, hidesRepo } = request;
  const { clean, calibration } = matrix;
  if (clean === null || cellHolds(clean) || calibration.kind !== "differs" || versions.before === null) return null;
  const ignored = await listIgnored(request);
  const other = versions.undelivered.filter(({ path }) => listed.has(path));
  const isSame = ignored.length === 0 && other.length === 0 && !hidesRepo;
  if (isSame || ignored.length > mostIgnored) return null;
  const { rules, sandbox } = named.ground;
  const carry = [...rules.carry, ...ignored.filter((path) => !path.startsWith(".pnp."))];
  const prepare = ignored.includes(packageMap) ? [...rules.prepare, installPackages] : rules.prepare;
  const ground = { ...named.ground, sandbox: hidesRepo ? null : sandbox, rules: { ...rules, carry, prepare } };
  const kept = openKeptCopy(folder);
  const asListed = [...listed].filter(([path]) => other.some((one) => one.path === path));
  const run = runNamed({ ...named, ground }, kept, { home: "own", inTurn });
  try {
    const base = await run("before-here", new Map([...versions.before, ...asListed]), []);
    if (base.kind !== "ran" || compareWithPassOne(before, base.cell.results) === "alike") return null;
    const now = await run("clean-here", new Map([...versions.now, ...asListed]), []);
    if (now.kind !== "ran" || !cellHolds(now.cell)) return null;
  } finally {
    kept.remove();
  }
  const { reason } = calibration;
  if (reason?.includes(": the copy lacks ") === true) return reason;
  const lacking = [
    ...(other.length === 0 ? [] : [nameUndelivered(other)]),
    ...(ignored.length === 0 ? [] : [`what git ignores (${nameSome(ignored, mostNamed)})`]),
    "your home folder",
    ...(hidesRepo ? ["the repo by its full path, as an editable install loads it"] : []),
  ];
  const isNamed = ignored.length > 0 && ignored.length <= mostNamed;
  const remedy = isNamed ? `; for ${ignored.join(", ")}, ${renderRemedy(named.ground.repo, ignored)}` : "";
  return `${reason ?? ""}: the checks pass with something that the copy lacks: ${lacking.join(", or ")}${remedy}`;
}

/** The first few, and why git has other bytes than the repo, or none; null if there is none. */
export function nameUndelivered(undelivered: Delivery["undelivered"]): string | null {
  const [first] = undelivered;
  const paths = undelivered.map(({ path }) => path);
  // Here is no task.
  const why = first?.why.replace(", and that no pass of this task made", "");
  return why === undefined ? null : `${nameSome(paths, mostNamed)} (${why})`;
}

/** Repo paths of what no copy has, but for what is carried anyway. A folder that ignores itself is listed file by file. */
async function listIgnored({ place, env, named: { ground } }: LackRequest): Promise<string[]> {
  const { ignored } = await listNames(place, place.top, env);
  return ignored
    .map((path) => path.toString("utf8").replace(/\/$/, ""))
    .filter((path) => !leavings.test(path) && !path.split("/").some((part) => ground.rules.carry.includes(part)))
    .sort();
}
