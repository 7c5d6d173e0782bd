import { extname } from "node:path";
import { isObject } from "../text/json-object.ts";
import { scriptsIn } from "./manifests.ts";
import { lastPart } from "./places.ts";
import type { WatchInput, WatchRecord } from "./record.ts";
import { parseToml } from "./setting-parts.ts";
import { fileOf } from "./settings.ts";
import { isCode, isForeign, testClass } from "./test-paths.ts";

type Entries = ReadonlyMap<string, string>;

/** The repo as at pass 1. */
export interface RepoBefore {
  readonly entries: Entries;
  /** The text of a regular file of at most 1 MB; null for anything else. */
  read(path: string): string | null;
}

/** Manifests, lockfiles and settings of tools have rows of their own, or no part in what a check expects. */
const notData =
  /^(?:\.(?:git|npm|editor|docker|prettier|eslint|stylelint|vscode|nvm|env)[^/]*|package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|pyproject\.toml|setup\.cfg|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[\w-]*\.txt|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|composer\.(?:json|lock)|Gemfile(?:\.lock)?|pom\.xml|LICENSE[\w.]*|CHANGELOG[\w.]*)$/;
const documents = new Set([".md", ".mdx", ".markdown", ".rst", ".adoc", ".html", ".htm"]);
/** A key of this kind may switch off what it is beside. */
const switches = /skip|only|todo|disable|ignore|exclude|pending|xfail|allow|toleran|threshold|max|min/i;
const mostFiles = 200;
/** More than the sources of most repos; what is beyond it names nothing. */
const mostTexts = 20_000;

/**
 * Data on the work side that the checks hold the work against, such as a table of expected results in `data/`: a file
 * of pass 1 that is not a source, that a check names and no source in use does, and that lost something since. It
 * counts as the checks' side, so that the guard judges the work with the data as at pass 1. Repo paths, sorted.
 */
export function findExpectedData(
  record: WatchRecord,
  input: WatchInput,
  before: RepoBefore,
  readNow: (path: string) => string | null,
): string[] {
  const ofChecks = new Set(record.things.filter(({ kind }) => kind !== "script").map(({ name }) => name));
  const isWork = (path: string): boolean => testClass(path) === null && !ofChecks.has(path) && !isForeign(path);
  const lost = [...before.entries.keys()]
    .filter((path) => isWork(path) && !isCode(path) && !notData.test(lastPart(path)))
    .filter((path) => contentOf(before.entries.get(path)) !== contentOf(input.entries.get(path)))
    .slice(0, mostFiles)
    .filter((path) => hasLost(path, before.read(path), input.entries.has(path) ? readNow(path) : null));
  if (lost.length === 0) return [];
  const texts = readChecks(record, input, before);
  const named = lost.filter((path) => texts.some(namesData(path)));
  if (named.length === 0) return [];
  const sources = [...before.entries.keys()]
    .filter((path) => isWork(path) && isCode(path))
    .slice(0, mostTexts)
    .map((path) => ({ path, text: before.read(path) ?? "" }));
  const isProduct = (path: string): boolean => {
    const names = namesData(path);
    return sources.some((source) => {
      if (!names(source.text)) return false;
      const uses = usesSource(source.path);
      return texts.some(uses) || sources.some((other) => other !== source && uses(other.text));
    });
  };
  return named.filter((path) => !isProduct(path)).sort();
}

/** The same file with another mode is the same data. */
function contentOf(entry: string | undefined): string | undefined {
  return entry?.replace(/^file \d+ /, "file ");
}

function hasLost(path: string, before: string | null, now: string | null): boolean {
  return before === null || now === null || !hasOnlyGrown(path, before, now);
}

/**
 * Whether a text holds all that it held before, so that it can only ask for more: each line in the same order, of JSON
 * and TOML each value. A document may also be rewritten, as long as it does not get shorter, since it is written for
 * people.
 */
function hasOnlyGrown(path: string, before: string, now: string): boolean {
  const end = extname(path).toLowerCase();
  const [old, present] = [linesOf(before), linesOf(now)];
  if (documents.has(end)) return present.length >= old.length;
  if (end === ".json" || end === ".jsonc") return holdsAll(parse(JSON.parse, before), parse(JSON.parse, now));
  if (end === ".toml") return holdsAll(parse(parseToml, before), parse(parseToml, now));
  // A key of YAML that comes twice counts once.
  if (end === ".yaml" || end === ".yml") return old.join("\n") === present.slice(0, old.length).join("\n");
  return isSubsequence(old, present);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trimEnd()]));
}

/** Undefined if it cannot be read. */
function parse(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function holdsAll(before: unknown, now: unknown): boolean {
  if (before === undefined || now === undefined) return false;
  if (Array.isArray(before) && Array.isArray(now)) {
    return isSubsequence(
      before.map((one) => JSON.stringify(one)),
      now.map((one) => JSON.stringify(one)),
    );
  }
  if (!isObject(before) || !isObject(now)) return JSON.stringify(before) === JSON.stringify(now);
  return (
    Object.entries(before).every(([key, value]) => Object.hasOwn(now, key) && holdsAll(value, now[key])) &&
    Object.keys(now).every((key) => Object.hasOwn(before, key) || !switches.test(key))
  );
}

function isSubsequence(before: readonly unknown[], now: readonly unknown[]): boolean {
  let at = 0;
  for (const one of now) if (at < before.length && one === before[at]) at += 1;
  return at === before.length;
}

/** All that the checks were as at pass 1: their commands, the scripts of manifests that they run, and their files. */
function readChecks(record: WatchRecord, { checks }: WatchInput, before: RepoBefore): string[] {
  const files = new Set([...before.entries.keys()].filter((path) => testClass(path) !== null));
  const scripts: string[] = [];
  for (const { kind, name } of record.things) {
    if (kind === "check_file" || kind === "setting") files.add(fileOf(name));
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

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Whether a text names a file: by its name, as in `commands.txt`, or by its folder as something to be listed, as in
 * `readdir("data")` and `data/*.csv`.
 */
function namesData(path: string): (text: string) => boolean {
  const name = lastPart(path);
  const folder = lastPart(path.slice(0, Math.max(0, path.length - name.length - 1)));
  const words = [`(?<![\\w.-])${quoted(name)}(?![\\w-])`];
  if (folder !== "") words.push(`(?<![\\w.-])${quoted(folder)}(?:/?["'\`]|/[*$\{])`);
  const pattern = new RegExp(words.join("|"));
  return (text) => pattern.test(text);
}

/**
 * File names that stand for their folder, or that a tool finds by itself: any of them may be used without being named.
 */
const implied = /^(?:index|main|mod|lib|__init__|__main__|app|conftest)$/;

/** Whether a text uses a source file of the work: by its name, or as a module. */
function usesSource(path: string): (text: string) => boolean {
  const name = lastPart(path);
  const stem = name.slice(0, name.length - extname(name).length);
  // The files of a package of Go are all used with it.
  if (implied.test(stem) || name.endsWith(".go")) return () => true;
  const plain = quoted(stem);
  const words = [
    `(?<![\\w.-])${quoted(name)}(?![\\w-])`,
    `/${plain}["'\`]`,
    `\\b(?:import|from|mod|use|require|require_relative)\\b[^\\n]{0,200}\\b${plain}\\b`,
    ...(/^[A-Z]\w{2}/.test(stem) ? [`\\b${plain}\\b`] : []),
  ];
  const pattern = new RegExp(words.join("|"));
  return (text) => pattern.test(text);
}
