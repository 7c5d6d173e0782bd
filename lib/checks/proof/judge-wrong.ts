import { join } from "node:path";
import type { CheckResult } from "../../rules/check-run.ts";
import {
  type Cell,
  countPlaces,
  enoughUnnoticed,
  isHeld,
  isHeldOut,
  isTelling,
  lacksNames,
  type WrongRuns,
} from "../../rules/matrix.ts";
import { pathKey } from "../../store/path-key.ts";
import { readText } from "../../store/read-file.ts";
import { walkTree } from "../../store/walk.ts";
import { foreignFolders, isForeign, isSnapshot, testClass } from "../watch/test-paths.ts";
import type { ChangedFile } from "../wrong/changed-lines.ts";
import { innerTestsAt, nameIn } from "../wrong/tested-names.ts";
import { emptiedAs, listWrongChecks, listWrongVersions, type WrongVersion } from "../wrong/wrong-versions.ts";
import type { CellCut, CellOutcome } from "./cell.ts";
import { type ChangedCode, readPresent } from "./changed-files.ts";
import type { CopyContents } from "./clean-copy.ts";
import { withTexts } from "./matrix-runs.ts";
import { outcomeOf, signatureOf, unloadable } from "./wrong-outcome.ts";

export interface WrongRequest extends Omit<ChangedCode, "origin"> {
  /** What differs from pass 1. */
  readonly files: readonly ChangedFile[];
  readonly changedChecks: readonly string[];
  /** See `onlyNewFiles`. */
  readonly onlyNew: readonly string[];
  readonly contents: CopyContents;
  /** The present checks on the present work, in a clean copy. */
  readonly clean: Cell;
  /** The checks of pass 1 on its work; null if they did not run. */
  readonly earlier: readonly CheckResult[] | null;
  /** The required checks that fail without the work, with the results that they have then. */
  readonly deciding: readonly CheckResult[];
  /** At most so many versions; `time`: as often as the checks take, counted in runs, so that each machine tries the same. */
  readonly rules: { readonly max: number; readonly time: number };
  readonly run: (name: string, contents: CopyContents, checks: readonly string[]) => Promise<CellOutcome>;
}

/** Tries of making an expectation wrong before the tests count as ones that cannot fail. */
export const mostExpectations = 4;
/**
 * Places of the work that go unnoticed before no other is tried: lines that the tests never reach, such as those for a failed
 * allocation, can be the first ones.
 */
const mostUnnoticed = 5;
/** Of a snapshot file, in bytes. */
const longestSnapshot = 1024 * 1024;
/** What only compiles: its output names errors of types, and it counts no tests. */
const ofTypes = /error TS\d+:|^Found \d+ errors? in \d+ files?|\d+ errors?, \d+ warnings?/m;

/**
 * Makes the work wrong in small ways, and the expectations of its tests, and runs the checks that fail without the
 * work: checks that notice nothing of it only need the new code to be there. The emptied work comes first, then lines
 * until one is noticed and as many more as the bounds have room for, then expectations until one is noticed. Throws
 * TP_DISK.
 */
export async function judgeWrong(
  request: WrongRequest,
): Promise<CellCut | { readonly kind: "judged"; readonly wrong: WrongRuns; readonly wrongChecks: WrongRuns }> {
  const { clean, fingerprint } = request;
  const names = request.deciding.map(({ name }) => name);
  const deciding = clean.results.filter(({ name }) => names.includes(name));
  const asTypes = request.deciding.every((check) => check.tests === undefined && ofTypes.test(check.excerpt));
  const isCheck = ({ path }: ChangedFile) => request.changedChecks.includes(path);
  const work = request.files.filter((file) => !isCheck(file));
  const failing = request.deciding.flatMap(({ failure }) => failure?.tests ?? []);
  const inside = work.filter(({ path, text }) => innerTestsAt(path, text) >= 0);
  const tests = [...inside, ...request.files.filter(isCheck), ...olderTests(request, failing)];
  const versions = await listWrongVersions(work, fingerprint.hash, asTypes, { files: tests, failing });
  const cleanTexts = new Map([...work, ...tests].map(({ path, text }) => [path, text]));
  const isOld = findsOld(request, tests);
  const judge = judgeWith(request, deciding, { asTypes, cleanTexts, isOld });
  /** Tries one after the other for as long as `isEnough` says no of those tried. */
  const tryThese = async (name: string, list: readonly WrongVersion[], isEnough: (tried: Tried[]) => boolean) => {
    const tried: Tried[] = [];
    for (const version of list) {
      if (isEnough(tried)) break;
      const one = await judge(`${name}-${tried.length + 1}`, version);
      if (one.kind !== "tried") return one;
      tried.push(one.tried);
    }
    return { kind: "all", tried } as const;
  };
  const isSettled = (tried: readonly Tried[]) => tried.some(({ outcome }) => outcome !== "unloadable");

  const isCrashEnough = isHeld(request.deciding) && !lacksNames(request.deciding);
  /**
   * Another value that is noticed is enough, and so many that are not, unless the tests name what comes next; then
   * statements and what is passed on, where there are too few values.
   */
  const isDecided = (tried: readonly Tried[]) => {
    const next = versions.lines[tried.length];
    const isNamed = next?.nearness === 0 && next.change === "value";
    const values = tried.filter(({ change }) => change === "value");
    const telling = tried.filter(({ change }) => isTelling(change));
    const left = versions.lines.slice(tried.length).map(({ change }) => change);
    const unnoticed = (some: readonly Tried[]) => countPlaces(some.filter(isUnnoticed));
    return (
      tried.some(
        ({ outcome, noticed_by: by }) =>
          outcome === "noticed" && by !== "standing" && (by !== "crash" || isCrashEnough),
      ) ||
      (!isNamed && Math.max(unnoticed(values), unnoticed(telling)) >= mostUnnoticed) ||
      (unnoticed(values) >= enoughUnnoticed && !left.includes("value")) ||
      (unnoticed(telling) > 0 && !left.some(isTelling))
    );
  };

  /** Other changes of the lines that went unnoticed, if no line was noticed, and the emptied work was. */
  const listSeconds = (emptied: readonly Tried[], lines: readonly Tried[]): WrongVersion[] => {
    if (emptied.some(isUnnoticed) || lines.some(({ outcome }) => outcome === "noticed")) return [];
    const places = lines.filter((one) => isUnnoticed(one) && isTelling(one.change));
    return [...new Map(places.map((one) => [`${one.path}:${one.line}`, one])).values()].flatMap(versions.secondsOf);
  };

  const isSource = versions.emptied.length + versions.lines.length > 0;
  const whole = isSource ? versions.emptied : emptyFiles(asTypes ? [] : request.onlyNew);
  const emptied = await tryThese("wrong-emptied", whole, isSettled);
  if (emptied.kind !== "all") return emptied;
  const { max, time } = request.rules;
  const room = max - emptied.tried.length;
  const lines = await tryThese(
    "wrong",
    versions.lines,
    (tried) => tried.length >= room || (emptied.tried.length + tried.length >= time && isDecided(tried)),
  );
  if (lines.kind !== "all") return lines;
  const seconds = await tryThese(
    "wrong-second",
    listSeconds(emptied.tried, lines.tried).slice(0, room - lines.tried.length),
    (tried) => tried.some(({ outcome }) => outcome === "noticed"),
  );
  if (seconds.kind !== "all") return seconds;
  const all = asTypes || deciding.every(isHeldOut) ? [] : await listWrongChecks(tests, failing, work);
  const expectations = await tryThese(
    "wrong-check",
    all.slice(0, mostExpectations),
    (tried) => tried.at(-1)?.outcome === "noticed",
  );
  if (expectations.kind !== "all") return expectations;
  const checks = deciding.map(({ name }) => name);
  const isTold = emptied.tried.some((one) => isUnnoticed(one) || one.noticed_by === "assertion");
  const emptying = isSource || isTold ? emptied.tried : [];
  return {
    kind: "judged",
    wrong: {
      checks,
      versions: [...emptying, ...lines.tried, ...seconds.tried],
      left: versions.lines.length - lines.tried.length,
    },
    wrongChecks: { checks, versions: expectations.tried, left: all.length - expectations.tried.length },
  };
}

/** Documents, settings and data of which nothing else can be made wrong; what fails without an assertion may not load them. */
function emptyFiles(paths: readonly string[]): WrongVersion[] {
  return emptiedAs(new Map(paths.map((path) => [path, ""])), "all that is new");
}

type Tried = WrongRuns["versions"][number];

function isUnnoticed({ outcome }: Tried): boolean {
  return outcome === "unnoticed";
}

/** Test files that stood at pass 1 as they are, and hold a test that fails without the work. */
function olderTests(request: WrongRequest, failing: readonly string[]): ChangedFile[] {
  if (failing.length === 0) return [];
  // A test runner names the file where it could not be loaded.
  return unchangedTests(request).filter(
    ({ path, text }) => failing.some((name) => name.endsWith(path)) || failing.some((name) => names(text, name)),
  );
}

function unchangedTests({ fingerprint, changedChecks, ...code }: WrongRequest): ChangedFile[] {
  return [...fingerprint.entries]
    .filter(([path]) => testClass(path) !== null && !isForeign(path) && !changedChecks.includes(path))
    .map(([path, entry]) => {
      const text = readPresent(code, path, entry) ?? "";
      return { path, text, before: text };
    });
}

/** Whether a test is in a file as at pass 1, and in none that changed. */
function findsOld(request: WrongRequest, tests: readonly ChangedFile[]): (test: string) => boolean {
  const changed = tests.filter(({ text, before }) => text !== before);
  let old: readonly ChangedFile[] | null = null;
  return (test) => {
    if (changed.some(({ text }) => names(text, test))) return false;
    old ??= unchangedTests(request);
    return old.some(({ text }) => names(text, test));
  };
}

function names(text: string, test: string): boolean {
  return text.split("\n").some((line) => nameIn(test, line));
}

/**
 * Whether the checks wrote data under the name that a wrong expectation has, as helpers do that do not find a snapshot: what
 * they got was compared with itself. Such data is a new file with the name in its path, or is in a snapshot file.
 */
function wroteItself(copy: string, made: string, contents: CopyContents): boolean {
  const parts = made.replace(/^\w+(?=["'])/, "").split(/[#$]?\{[^{}]*\}/);
  // A number or a single letter is in many paths.
  const names = parts.map(wordsOf).filter((part) => /\p{L}.*\p{L}/u.test(part));
  if (names.length === 0) return false;
  const isNamed = (text: string) => names.every((name) => wordsOf(text).includes(name));
  const paths = walkTree(Buffer.from(copy), foreignFolders).map(pathKey);
  return paths.some(
    (path) =>
      (!contents.has(path) && isNamed(path)) ||
      (isSnapshot(path) && isNamed(readText(join(copy, path), longestSnapshot) ?? "")),
  );
}

/** The letters and digits alone, with one space around each word: helpers make names of files in many ways. */
function wordsOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return ` ${words.join(" ")} `;
}

function judgeWith(
  request: WrongRequest,
  deciding: readonly CheckResult[],
  {
    asTypes,
    cleanTexts,
    isOld,
  }: {
    readonly asTypes: boolean;
    readonly cleanTexts: ReadonlyMap<string, string>;
    readonly isOld: (test: string) => boolean;
  },
) {
  const broken = new Map<string, Promise<string | null>>();
  const checks = deciding.map(({ name }) => name);
  const runOn = (name: string, texts: ReadonlyMap<string, string>) =>
    request.run(name, withTexts(request.contents, texts), checks);
  /** What the checks say of these files if they cannot even be read; null if that could not be run. */
  const whenBroken = (paths: readonly string[]): Promise<string | null> => {
    const key = paths.join("\n");
    const known = broken.get(key);
    if (known !== undefined) return known;
    const garbled = new Map(paths.map((path) => [path, `${cleanTexts.get(path) ?? ""}\n)]}' task-phase (((\n`]));
    const made = runOn(`unreadable-${broken.size + 1}`, garbled).then((outcome) =>
      outcome.kind === "ran" ? outcome.cell.results.map(signatureOf).join("\n") : null,
    );
    broken.set(key, made);
    return made;
  };
  return async (name: string, version: WrongVersion) => {
    const outcome = await runOn(name, version.texts());
    const { path, line, was, made, change, stood, unchanged } = version;
    const own = { path, line, was, made, change };
    if (outcome.kind === "refused" && outcome.unbuilt === true) {
      const tried: Tried = { ...own, outcome: "unloadable", log: null };
      return { kind: "tried", tried } as const;
    }
    if (outcome.kind !== "ran") return outcome;
    const { results } = outcome.cell;
    const said = results.find(({ status }) => status !== "pass") ?? results[0];
    const others = { clean: deciding, without: request.deciding, before: request.earlier ?? [], isOld };
    const shown = await outcomeOf(results, others, asTypes, () => whenBroken([...version.texts().keys()]));
    const isBlind =
      shown.outcome === "unnoticed" &&
      name.startsWith("wrong-check") &&
      wroteItself(outcome.copy, made, request.contents);
    const judged = isBlind ? unloadable : shown;
    const since = { ...(stood === true && { stood }), ...(unchanged === true && { unchanged }) };
    const tried: Tried = { ...own, ...judged, log: said?.log ?? null, ...since };
    return { kind: "tried", tried } as const;
  };
}
