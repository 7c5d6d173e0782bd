import { isStrong } from "../../rules/matrix.ts";
import { wrongChanges } from "../../rules/words.ts";
import { addTo } from "../../text/add-to.ts";
import { sha256 } from "../../text/sha256.ts";
import { type ChangedFile, changedLines, compareOld } from "./changed-lines.ts";
import { applyEdits, type Edit } from "./edit.ts";
import { emptySource } from "./empty-functions.ts";
import { isInnerTest, parseSource } from "./grammars.ts";
import { type LineVersion, listLineVersions, showText } from "./line-versions.ts";
import { isPlainSource, listPlainVersions } from "./plain-versions.ts";
import { besideNamed, measureNearness, type Nearness, type WorkTests } from "./tested-names.ts";
import { listWrongExpectations } from "./wrong-expectations.ts";

/** One wrong version of some files, and how it is named. */
export interface WrongVersion extends Omit<LineVersion, "line" | "edit"> {
  /** The file that is named; for an emptied work the first of them. */
  readonly path: string;
  /** From 1; null for an emptied work. */
  readonly line: number | null;
  /** It is in a test file as at pass 1. */
  readonly stood?: true;
  /** An expectation on a line of before, in a test file that changed. */
  readonly unchanged?: true;
  /** Of a line of the work. */
  readonly nearness?: Nearness;
  /** The whole new text of each file that differs; made when it is asked for, since few of many versions are tried. */
  readonly texts: () => ReadonlyMap<string, string>;
}

/** What a tool needs to know of a change says little of what its tests notice. */
const manifests = /(?:^|\/)(?:package|composer|deno|jsr|bower|[jt]sconfig[\w.-]*|[\w-]+[-.]lock|npm-shrinkwrap)\.json$/;
const mostFiles = 500;
/** Of files that are looked through for what tests expect. */
const mostSearched = 100;
/** Of the lines of one file. */
const mostVersions = 200;

/**
 * The versions of the work that are wrong on purpose: those that tests are likely to notice first, one a line before a
 * second of any, texts for people last, otherwise in an order that the seed decides. The same work, tests and seed give
 * the same list on any machine.
 */
export async function listWrongVersions(
  files: readonly ChangedFile[],
  seed: string,
  asTypes: boolean,
  tests: WorkTests = { files: [], failing: [] },
) {
  const { nearnessIn, nearest } = await measureNearness(tests, files);
  const whole = new Map<string, string>();
  const functions = new Map<string, string>();
  let values = 0;
  const lines: WrongVersion[] = [];
  const seconds = new Map<string, (line: number) => WrongVersion[]>();
  for (const file of nearest(mostFiles)) {
    const { path, text, before } = file;
    const changed = changedLines(before, text);
    if (changed.size === 0) continue;
    const read = await parseSource(path, text);
    const parsed = read === null ? null : { ...read, isTyped: read.isTyped && !asTypes };
    const { isOld, restore } = compareOld(file, changed.size);
    if (parsed !== null) {
      const emptied = emptySource(parsed, changed, isOld);
      values += emptied.values.length;
      const all = [...emptied.functions, ...emptied.values];
      if (all.length > 0) whole.set(path, applyEdits(text, all));
      if (emptied.functions.length > 0) functions.set(path, applyEdits(text, emptied.functions));
    }
    const found =
      parsed !== null
        ? listLineVersions(parsed, changed, (node) => isInnerTest(parsed, node))
        : isPlainSource(path, text)
          ? listPlainVersions(path, text, changed)
          : [];
    const nearness = nearnessIn(parsed, text);
    const own = found.filter(({ edit }) => !isOld(edit));
    const ordered = inOrder(own, `${seed}\n${path}`).map((version) => ({
      ...asVersion(file, version),
      nearness: nearness(version.line, version.edit.from),
    }));
    lines.push(...spread(ordered, seed).slice(0, mostVersions));
    seconds.set(path, (line) =>
      [...restored(text, line, restore(line)), ...lowered(own, line)].map((one) => asVersion(file, one)),
    );
  }
  const code = lines.filter(({ path }) => !manifests.test(path));
  const own = code.length > 0 ? code : lines;
  // Alone these say less than that nothing is returned.
  const isBeside = own.some(({ change }) => isStrong(change));
  const telling = isBeside ? own : own.filter(({ change }) => change !== "passed");
  return {
    /** All functions and values of the work at once, then the functions alone if a value is needed to load them. */
    emptied: [...emptiedAs(whole, "all that is new"), ...(values === 0 ? [] : emptiedAs(functions, "new functions"))],
    // To a type check another number is as good as the one that was there.
    lines: spread(asTypes ? own.filter(({ change }) => change === "nothing") : telling, seed),
    /** Of a line on which nothing was noticed: as it was, and with a number less, which a test of a bound notices. */
    secondsOf: ({ path, line }: { readonly path: string; readonly line: number | null }): WrongVersion[] =>
      line === null ? [] : (seconds.get(path)?.(line) ?? []),
  };
}

function restored(text: string, line: number, edit: Edit | null): LineVersion[] {
  if (edit === null) return [];
  const was = showText(text.slice(edit.from, edit.to));
  return [{ line, was, made: showText(edit.text), edit, change: "value" }];
}

function lowered(own: readonly LineVersion[], line: number): LineVersion[] {
  return own
    .filter((one) => one.line === line && /^[1-9]\d*$/.test(one.was))
    .map((one) => ({ ...one, made: `${BigInt(one.was) - 1n}` }))
    .map((one) => ({ ...one, edit: { ...one.edit, text: one.made } }));
}

/** All files as one version; none of no file. */
export function emptiedAs(texts: ReadonlyMap<string, string>, was: string): WrongVersion[] {
  const [path] = texts.keys();
  return path === undefined ? [] : [{ path, line: null, was, made: "nothing", change: "nothing", texts: () => texts }];
}

function asVersion({ path, text }: ChangedFile, { line, was, made, edit, change }: LineVersion): WrongVersion {
  return { path, line, was, made, change, texts: () => new Map([[path, applyEdits(text, [edit])]]) };
}

/** One version of each line, then a second of each, and so on. */
function inOrder(versions: readonly LineVersion[], seed: string): LineVersion[] {
  const ranked = versions
    .map((version) => ({
      version,
      rank: sha256(`${seed}\n${version.line}\n${version.edit.from}\n${version.edit.text}`),
    }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const seen = new Map<number, number>();
  return ranked
    .map(({ version }) => {
      const round = (seen.get(version.line) ?? 0) + 1;
      seen.set(version.line, round);
      return { version, round };
    })
    .sort((one, other) => one.round - other.round)
    .map(({ version }) => version);
}

/** The first of each file, then the second of each, in an order of the files by the seed; kind by kind, the near ones first. */
function spread(all: readonly WrongVersion[], seed: string): WrongVersion[] {
  return wrongChanges.flatMap((change) =>
    ([0, 1, 2] as const).flatMap((nearness) =>
      spreadOne(
        all.filter((one) => one.change === change && one.nearness === nearness),
        seed,
      ),
    ),
  );
}

function spreadOne(versions: readonly WrongVersion[], seed: string): WrongVersion[] {
  const byPath = new Map<string, WrongVersion[]>();
  for (const version of versions) addTo(byPath, version.path, version);
  const lists = [...byPath].sort(([one], [other]) => (sha256(seed + one) < sha256(seed + other) ? -1 : 1));
  const longest = Math.max(0, ...lists.map(([, list]) => list.length));
  return Array.from({ length: longest }, (_none, round) => lists.flatMap(([, list]) => list[round] ?? [])).flat();
}

function since({ before, text }: ChangedFile, isChanged: boolean): Pick<WrongVersion, "stood" | "unchanged"> {
  if (before === text) return { stood: true };
  return isChanged ? {} : { unchanged: true };
}

/**
 * Files of tests with one literal in an assertion made wrong. Lines that the work added or changed come first, and of
 * those the assertions that follow a name in `failing` before the others; other inputs come after all expectations. Where
 * tests of the work have no expectation of their own, the values that they import from the work are what they expect.
 */
export async function listWrongChecks(
  files: readonly ChangedFile[],
  failing: readonly string[],
  work: readonly ChangedFile[] = [],
): Promise<WrongVersion[]> {
  const found: { readonly version: WrongVersion; readonly rank: number }[] = [];
  for (const file of files.slice(0, mostSearched)) {
    const parsed = await parseSource(file.path, file.text);
    if (parsed === null) continue;
    const every = new Set(file.text.split("\n").map((_line, index) => index + 1));
    const changed = changedLines(file.before, file.text);
    const isNear = besideNamed(file.text, failing);
    for (const version of listWrongExpectations(parsed, every)) {
      found.push({
        version: { ...asVersion(file, version), ...since(file, changed.has(version.line)) },
        rank:
          (version.change === "value" ? 0 : 4) + (isNear(version.line) ? 0 : 2) + (changed.has(version.line) ? 0 : 1),
      });
    }
  }
  const names = importedNames(files.map(({ text, before }) => (text === before ? "" : text)).join("\n"));
  const isOwn = found.some(({ version }) => version.stood !== true && version.change === "value");
  for (const file of isOwn ? [] : work.slice(0, mostSearched))
    for (const version of await listImportedValues(file.path, file.text, names))
      found.push({ version: asVersion(file, version), rank: 0 });
  return found.sort((one, other) => one.rank - other.rank).map(({ version }) => version);
}

/** How JavaScript and Python import by name. */
const importForms = [
  /\bimport\s*\{([^}]*)\}\s*from\b/g,
  /\{([^}]*)\}\s*=\s*(?:await\s+import|require)\s*\(/g,
  /^\s*from\s+\S+\s+import\s+\(?([\w\s,]+)/gm,
];

/** The names that a test file imports from other files, as those are named there. */
function importedNames(text: string): Set<string> {
  const lists = importForms.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
  return new Set(lists.flatMap((list) => list.split(",")).map((one) => /\w+/.exec(one)?.[0] ?? ""));
}

/** Other values within what a file of the work declares at its top by one of these names; a function is no value. */
async function listImportedValues(path: string, text: string, names: ReadonlySet<string>): Promise<LineVersion[]> {
  const parsed = await parseSource(path, text);
  if (parsed === null) return [];
  const every = new Set(text.split("\n").map((_line, index) => index + 1));
  const nameBefore = (from: number) => /(\w+)(?:\s*:[^=\n]*)?\s*=\s*$/.exec(text.slice(0, from))?.[1] ?? "";
  const places = emptySource(parsed, every).values.filter(({ from }) => names.has(nameBefore(from)));
  return listLineVersions(parsed, every).filter(
    ({ edit, change }) => change === "value" && places.some(({ from, to }) => edit.from >= from && edit.to <= to),
  );
}
