import { dirname, join, relative } from "node:path";
import { lookOr } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { bytesIn } from "../../store/path-key.ts";
import { listFolder } from "../../store/walk.ts";
import { aboveRows } from "./above-rows.ts";
import { readRepoText } from "./manifests.ts";
import { digestEntry, isOutside, type LookedAt, nothing, readEntry, readThrough } from "./places.ts";
import type { WatchedThing, WatchInput } from "./record.ts";
import { countsFor, onlyFor, type SettingRow } from "./setting-parts.ts";
import { settingRows } from "./setting-rows.ts";
import { isFixture, isForeign } from "./test-paths.ts";

/** The inputs that decide which settings a repo has, besides its files. */
export interface SettingScope {
  readonly tools: readonly string[];
  readonly folders: readonly string[];
}

/** Folders of settings, which git may ignore like any other. */
const settingFolders =
  ".github/workflows .gitea/workflows .forgejo/workflows .circleci .woodpecker .cargo .mvn .config".split(" ");

/**
 * The settings of the repo, also what git ignores beside a command's own folder; then those of the folders above it.
 */
export function findSettings(input: WatchInput, scope: SettingScope): WatchedThing[] {
  const tools = new Set(scope.tools);
  const near = new Set(["", ...scope.folders]);
  const rows = onlyFor(settingRows, tools);
  const found: WatchedThing[] = [];
  for (const path of candidates(input, near)) {
    const folder = folderOf(path);
    if (isFixture(path) && !near.has(folder)) continue;
    const row = rows.find((one) => one.files.test(path) && (one.near !== true || near.has(folder)));
    if (row !== undefined) found.push(...readSetting(input, path, row, tools));
  }
  const above = onlyFor(aboveRows, tools);
  for (const path of candidatesAbove(input)) {
    const row = above.find((one) => one.files.test(path));
    if (row !== undefined) found.push(...readSetting(input, path, row, tools));
  }
  return found;
}

/** Whether a repo path is a settings file as a whole, so that it is not a test as well. */
export function isWholeSetting(path: string, scope: SettingScope): boolean {
  const folder = folderOf(path);
  const near = folder === "" || scope.folders.includes(folder);
  if (isFixture(path) && !near) return false;
  const row = settingRows.find(
    (one) =>
      one.files.test(path) && countsFor(one, (tool) => scope.tools.includes(tool)) && (one.near !== true || near),
  );
  return row !== undefined && row.parts === undefined;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function candidates({ repo, entries }: WatchInput, near: ReadonlySet<string>): string[] {
  const found = new Set([...entries.keys()].filter((path) => mayBeSetting(path) && !isForeign(path)));
  for (const folder of [...near, ...settingFolders]) {
    const prefix = folder === "" ? "" : `${folder}/`;
    for (const name of namesIn(join(repo, folder))) {
      if (mayBeSetting(prefix + name) && !isForeign(prefix + name)) found.add(prefix + name);
    }
  }
  return [...found].sort();
}

/** Files of the folders above the repo, the nearest first: up to the home folder, else to the root, as tools search. */
function candidatesAbove({ repo, home }: WatchInput): string[] {
  const found: string[] = [];
  for (let at = repo; at !== home && at !== dirname(at); ) {
    at = dirname(at);
    for (const folder of [at, join(at, ".cargo")]) {
      const names = namesIn(folder).map((name) => `${relative(repo, folder)}/${name}`);
      found.push(...names.filter((path) => anyRowAbove.test(path)).sort());
    }
  }
  return found;
}

/** Quick, since they see every path of the repo. */
function mayBeSetting(path: string): boolean {
  return anyRow.test(path);
}

const anyOf = (rows: readonly SettingRow[]): RegExp => new RegExp(rows.map(({ files }) => files.source).join("|"));
const anyRow = anyOf(settingRows);
const anyRowAbove = anyOf(aboveRows);

function namesIn(folder: string): string[] {
  const entries = lookOr(() => listFolder(Buffer.from(folder)), []);
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name.toString("utf8"));
}

function readSetting(
  input: WatchInput,
  path: string,
  row: SettingRow,
  tools: ReadonlySet<string>,
): readonly WatchedThing[] {
  const unlisted = isOutside(path) || !input.entries.has(path);
  const partOf = (name: string, digest: string, size: number | null = null): WatchedThing => ({
    ...{ kind: "setting", name, digest, word: "", was: "", size, unlisted },
  });
  const text = row.parts === undefined ? null : readRepoText(input.repo, path);
  const parts = text === null ? null : (row.parts?.(text, tools) ?? null);
  if (parts === null) {
    // A file that cannot be parsed is watched as a whole: any change of it could matter.
    const whole = digestWhole(input, path);
    return whole === nothing ? [] : [partOf(path, whole.digest, whole.size)];
  }
  return [...parts].map(([key, digest]) => partOf(key === "" ? path : `${path}#${key}`, digest));
}

function digestWhole({ repo, entries }: WatchInput, path: string): LookedAt {
  const entry = entries.get(path) ?? readEntry(repo, path);
  if (entry === null) return nothing;
  // The target of a link counts as well.
  if (entry.startsWith("link ")) return readThrough(join(repo, path), path);
  return {
    ...nothing,
    digest: digestEntry(entry),
    size: entry.startsWith("file ") ? sizeOf(bytesIn(repo, path)) : null,
  };
}

function sizeOf(path: Buffer): number | null {
  return lookOr(() => statEntry(path)?.size ?? null, null);
}

/** `package.json#jest` is in `package.json`. */
export function fileOf(name: string): string {
  // The name of a script, and a member of a workspace, may contain a slash.
  const manifest = /^(?:.*?\/)??(?:package\.json|Cargo\.toml)(?=#)/.exec(name)?.[0];
  if (manifest !== undefined) return manifest;
  const slash = name.lastIndexOf("/");
  const mark = name.indexOf("#", slash + 1);
  return mark < 0 ? name : name.slice(0, mark);
}
