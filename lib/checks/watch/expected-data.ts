import { extname } from "node:path";
import type { CheckResult } from "../../rules/check-run.ts";
import { escapePattern } from "../../text/escape-pattern.ts";
import { parseObject } from "../../text/json-object.ts";
import { asksFor, asksToRemove, exempts, failedNames, isBinary, lostValue, namesFile, onlyLost } from "./data-words.ts";
import { scriptsIn } from "./manifests.ts";
import { lastPart } from "./places.ts";
import type { WatchInput, WatchRecord } from "./record.ts";
import { parseToml, valueAt } from "./setting-parts.ts";
import { fileOf } from "./settings.ts";
import { isCode, isForeign, testClass } from "./test-paths.ts";

type Entries = ReadonlyMap<string, string>;

export interface RepoVersion {
  readonly entries: Entries;
  /** The text of a regular file; null for anything else, and a file that is too large. */
  read(path: string): string | null;
}

/** Manifests, lockfiles and settings of tools have rows of their own, or no part in what a check expects. */
const notData =
  /^(?:\.(?:git|npm|editor|docker|prettier|eslint|stylelint|vscode|nvm|env)[^/]*|package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|pyproject\.toml|setup\.cfg|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[\w-]*\.txt|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|composer\.(?:json|lock)|Gemfile(?:\.lock)?|pom\.xml|LICENSE[\w.]*|CHANGELOG[\w.]*)$/;
/** Languages whose files a test often runs or reads by name. What is expected may be written in them, too. */
const otherSources =
  /\.(?:r|sql|awk|jq|mli?|hs|jl|erl|clj[cs]?|zig|nim|elm|ps1|proto|graphql|css|s[ac]ss|less|html?|hbs|ejs|erb|j2|jinja2?|njk|twig|mustache|liquid|tmpl|xslt?)$/i;
const expectedNames = /expect|golden|snapshot|approved|baseline|output/i;
const exemptNames = /waive|known|skip|ignore|allow|exempt|threshold|suppress/i;
const documents = new Set([".md", ".mdx", ".markdown", ".rst", ".adoc"]);
const mostFiles = 200;
/** More than the sources of most repos; what is beyond it names nothing. */
const mostTexts = 20_000;

/** Repo paths, sorted. */
export interface ExpectedData {
  /** Only the checks read it. */
  readonly checks: readonly string[];
  /**
   * A source reads it too, or the brief asks for it, or it is a page or a query (`isSource`); `lost`: it lost values that the
   * brief did not ask to remove.
   */
  readonly shared: readonly { readonly path: string; readonly lost: boolean; readonly isSource?: true }[];
}

export interface DataRequest {
  readonly record: WatchRecord;
  readonly input: WatchInput;
  /** As at pass 1. */
  readonly before: RepoVersion;
  readonly readNow: (path: string) => string | null;
  /** The text that says what the work is; empty if there is none. */
  readonly brief: string;
  /** The results before the work. */
  readonly earlier: readonly CheckResult[];
}

/**
 * Data on the work side that the checks read, such as a table of expected results in `data/`, or a list of known
 * failures: a file that is no source, that a check of pass 1 names, and that differs since, whether it lost something
 * or grew, or is new. If no source in use names it, it counts as the checks' side, so that `old_checks` judges the work
 * with the data as at pass 1. A document is written for people, and counts only if it got shorter; what the brief asks
 * for is work, unless it only lost something and no sentence is about that, and so is what is all of a work, if it is
 * new, a picture, or the checks passed before; only beside other data its name may say that it is expected. But what
 * newly names a test that failed before the work is a list of what may fail, whatever it is otherwise. A page or a query
 * beside other work may be what is expected, and counts as data of both sides.
 */
export function findExpectedData({ record, input, before, readNow, brief, earlier }: DataRequest): ExpectedData {
  const none = { checks: [], shared: [] };
  const ofChecks = new Set(record.things.filter(({ kind }) => kind !== "script").map(({ name }) => name));
  const isWork = (path: string): boolean => testClass(path) === null && !ofChecks.has(path) && !isForeign(path);
  const changed = [...new Set([...before.entries.keys(), ...input.entries.keys()])].filter(
    (path) => isWork(path) && contentOf(before.entries.get(path)) !== contentOf(input.entries.get(path)),
  );
  const failed = failedNames(earlier);
  const now = (path: string) => (input.entries.has(path) ? readNow(path) : null);
  const isList = (path: string): boolean => exempts(failed, before.read(path), now(path));
  const isPicture = (path: string): boolean => isBinary(before.read(path) ?? now(path));
  const candidates = changed
    .filter(
      (path) => !isProgram(path, before.read(path) ?? now(path)) && (!notData.test(lastPart(path)) || isList(path)),
    )
    .slice(0, mostFiles)
    .filter((path) => !isDocument(path) || gotShorter(before.read(path), now(path)) || isList(path));
  const isCut = (path: string): boolean => onlyLost(before.read(path), now(path)) && !asksToRemove(brief, path);
  const asked = candidates.filter((path) => asksFor(brief, path, isPicture(path)) && !isCut(path));
  const free = candidates.filter((path) => !asked.includes(path));
  const passed = earlier.length > 0 && earlier.every(({ status }) => status === "pass");
  const lost = changed.filter((path) => isOtherSource(path) && lostValue(before.read(path), now(path)));
  const beside = lost.length < changed.length ? lost : [];
  if (free.length + asked.length + beside.length === 0) return none;
  const texts = readChecks(record, input, before);
  const isNamed = (path: string) => texts.some(namesData(path));
  const isAll = changed.every((path) =>
    passed
      ? free.includes(path) || (isDocument(path) && !isNamed(path))
      : free.includes(path) && (!before.entries.has(path) || isPicture(path)),
  );
  const telling = free.filter((path) => passed && (expectedNames.test(path) || exemptNames.test(path)));
  const isBeside = telling.length < free.length;
  const differing = isAll ? free.filter((path) => isList(path) || (isBeside && telling.includes(path))) : free;
  const named = differing.filter(isNamed).sort();
  const wanted = [
    ...asked.filter(isNamed).map((path) => ({ path, lost: false })),
    ...beside.filter(isNamed).map((path) => ({ path, lost: true, isSource: true as const })),
  ];
  if (named.length === 0) return { checks: [], shared: wanted };
  const sources = [...before.entries.keys()]
    .filter((path) => isWork(path) && (isCode(path) || isUnnamed(path)))
    .slice(0, mostTexts)
    .map((path) => ({ path, text: before.read(path) ?? "" }))
    .filter(({ path, text }) => isProgram(path, text));
  const isProduct = (path: string): boolean => {
    const names = namesData(path);
    return sources.some((source) => {
      if (!names(source.text)) return false;
      const uses = usesSource(source.path);
      return texts.some(uses) || sources.some((other) => other !== source && uses(other.text));
    });
  };
  const shared = named.filter(isProduct);
  return {
    checks: named.filter((path) => !shared.includes(path)),
    shared: [...wanted, ...shared.map((path) => ({ path, lost: lostValue(before.read(path), now(path)) }))],
  };
}

/** A source of any kind, also one whose name does not say so, such as `bin/report`. */
function isProgram(path: string, text: string | null): boolean {
  if (isCode(path) || (isUnnamed(path) && text?.startsWith("#!") === true)) return true;
  return isOtherSource(path);
}

function isOtherSource(path: string): boolean {
  return otherSources.test(path) && !expectedNames.test(path);
}

function isUnnamed(path: string): boolean {
  return extname(path) === "";
}

/** The same file with another mode is the same data. */
function contentOf(entry: string | undefined): string | undefined {
  return entry?.replace(/^file \d+ /, "file ");
}

function isDocument(path: string): boolean {
  return documents.has(extname(path).toLowerCase());
}

function gotShorter(before: string | null, now: string | null): boolean {
  return before !== null && (now === null || linesOf(now).length < linesOf(before).length);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** All that the checks were as at pass 1: their commands, the scripts of manifests that they run, and their files. */
function readChecks(record: WatchRecord, { checks }: WatchInput, before: RepoVersion): string[] {
  const files = new Set([...before.entries.keys()].filter((path) => testClass(path) !== null));
  const scripts: string[] = [];
  for (const { kind, name } of record.things) {
    if (kind === "check_file") files.add(fileOf(name));
    if (kind === "setting") scripts.push(readSettingText(before, name));
    if (kind !== "script") continue;
    const manifest = fileOf(name);
    const known = scriptsIn(before.read(manifest));
    scripts.push(known.get(name.slice(manifest.length + "#scripts.".length)) ?? "");
  }
  const read = [...files]
    .filter((path) => isCode(path) || !lastPart(path).includes(".") || testClass(path) === null)
    .slice(0, mostTexts)
    .map((path) => before.read(path) ?? "");
  return [...checks.map(({ command }) => command.join(" ")), ...scripts, ...read];
}

/** The part of a settings file that counts, since the rest of a manifest names what is shipped. */
function readSettingText(version: RepoVersion, name: string): string {
  const file = fileOf(name);
  const text = version.read(file) ?? "";
  const part = valueAt(parseObject(text) ?? parseToml(text), name.slice(file.length + 1));
  return part === undefined ? text : JSON.stringify(part);
}

/**
 * Whether a text names a file: by its name, as in `commands.txt`, or by its folder as something to be listed, as in
 * `readdir("data")` and `data/*.csv`.
 */
function namesData(path: string): (text: string) => boolean {
  const name = lastPart(path);
  const folder = lastPart(path.slice(0, Math.max(0, path.length - name.length - 1)));
  const words = [namesFile(path).source];
  if (folder !== "") words.push(`(?<![\\w.-])${escapePattern(folder)}(?:/?["'\`]|/[*$\{])`);
  const pattern = new RegExp(words.join("|"));
  return (text) => pattern.test(text);
}

/**
 * File names that represent their folder, or that a tool finds by itself: any of them may be used without being named.
 */
const implied = /^(?:index|main|mod|lib|__init__|__main__|app|conftest)$/;

/** Whether a text uses a source file of the work: by its name, or as a module. */
function usesSource(path: string): (text: string) => boolean {
  const name = lastPart(path);
  const stem = name.slice(0, name.length - extname(name).length);
  // The files of a package of Go are all used with it.
  if (implied.test(stem) || name.endsWith(".go")) return () => true;
  const plain = escapePattern(stem);
  const words = [
    `(?<![\\w.-])${escapePattern(name)}(?![\\w-])`,
    `/${plain}["'\`]`,
    `\\b(?:import|from|mod|use|require|require_relative)\\b[^\\n]{0,200}\\b${plain}\\b`,
    ...(/^[A-Z]\w{2}/.test(stem) ? [`\\b${plain}\\b`] : []),
  ];
  const pattern = new RegExp(words.join("|"));
  return (text) => pattern.test(text);
}
