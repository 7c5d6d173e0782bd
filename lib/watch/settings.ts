import { join } from "node:path";
import { lookAt } from "../store/folder.ts";
import { listFolder } from "../store/walk.ts";
import { sha256 } from "../text/sha256.ts";
import { readText } from "./manifests.ts";
import { absolutePath, describePath, gone, type LookedAt, lookThrough } from "./places.ts";
import type { WatchedPart, WatchInput } from "./record.ts";
import { type SettingRow, settingRows } from "./setting-rows.ts";
import { isFixture, isForeign } from "./test-paths.ts";

/** What settings a repo has depends on these beside its files. */
export interface SettingScope {
  readonly tools: readonly string[];
  readonly folders: readonly string[];
}

/** Folders for CI, which git may ignore like any other. */
const ciFolders = [
  ".github/workflows",
  ".gitea/workflows",
  ".forgejo/workflows",
  ".circleci",
  ".woodpecker",
  ".cargo",
  ".mvn",
];

/** The settings that stand in the repo, also where git ignores them beside a command's own folder. */
export function findSettings(input: WatchInput, scope: SettingScope): WatchedPart[] {
  const tools = new Set(scope.tools);
  const near = new Set(["", ...scope.folders]);
  const rows = settingRows.filter((row) => row.tools === undefined || row.tools.some((tool) => tools.has(tool)));
  const found: WatchedPart[] = [];
  for (const path of candidates(input, near)) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (isFixture(path) && !near.has(folder)) continue;
    const row = rows.find((one) => one.files.test(path) && (one.near !== true || near.has(folder)));
    if (row !== undefined) found.push(...readSetting(input, path, row, tools));
  }
  return found;
}

/** Whether a repo path is a settings file as a whole, so that it is no test as well. */
export function isWholeSetting(path: string, scope: SettingScope): boolean {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const near = folder === "" || scope.folders.includes(folder);
  if (isFixture(path) && !near) return false;
  return settingRows.some(
    (row) =>
      row.parts === undefined &&
      row.files.test(path) &&
      (row.tools === undefined || row.tools.some((tool) => scope.tools.includes(tool))) &&
      (row.near !== true || near),
  );
}

function candidates({ repo, entries }: WatchInput, near: ReadonlySet<string>): string[] {
  const found = new Set([...entries.keys()].filter((path) => mayBeSetting(path) && !isForeign(path)));
  for (const folder of [...near, ...ciFolders]) {
    const prefix = folder === "" ? "" : `${folder}/`;
    for (const name of namesIn(join(repo, folder))) {
      if (mayBeSetting(prefix + name) && !isForeign(prefix + name)) found.add(prefix + name);
    }
  }
  return [...found].sort();
}

/** Quick, since it sees every path of the repo. */
function mayBeSetting(path: string): boolean {
  return anyRow.test(path);
}

const anyRow = new RegExp(settingRows.map(({ files }) => files.source).join("|"));

function namesIn(folder: string): string[] {
  try {
    return listFolder(Buffer.from(folder))
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name.toString("utf8"));
  } catch {
    return [];
  }
}

function readSetting(input: WatchInput, path: string, row: SettingRow, tools: ReadonlySet<string>): WatchedPart[] {
  const text = row.parts === undefined ? null : readText(input.repo, path);
  const parts = text === null ? null : (row.parts?.(text, tools) ?? null);
  if (parts === null) {
    // What cannot be taken apart is watched as a whole: a change of it could be anything.
    const whole = lookAtWhole(input, path);
    return whole.digest === gone ? [] : [partOf(path, whole.digest, whole.size)];
  }
  return [...parts].map(([key, digest]) => partOf(key === "" ? path : `${path}#${key}`, digest));
}

function lookAtWhole({ repo, entries }: WatchInput, path: string): LookedAt {
  const entry = entries.get(path) ?? describePath(repo, path);
  if (entry === null) return { digest: gone, size: null };
  // Of a link what it leads to counts as well.
  if (entry.startsWith("link ")) return lookThrough(join(repo, path), path);
  return { digest: sha256(entry), size: entry.startsWith("file ") ? sizeOf(absolutePath(repo, path)) : null };
}

function sizeOf(path: Buffer): number | null {
  try {
    return lookAt(path)?.size ?? null;
  } catch {
    return null;
  }
}

function partOf(name: string, digest: string, size: number | null = null): WatchedPart {
  return { kind: "setting", name, digest, word: "", was: "", size };
}

/** `package.json#jest` is in `package.json`. */
export function fileOf(name: string): string {
  const slash = name.lastIndexOf("/");
  const mark = name.indexOf("#", slash + 1);
  return mark < 0 ? name : name.slice(0, mark);
}
