import { copyFileSync, readlinkSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { errorCode } from "../store/error-code.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { joinBytes } from "../store/path-key.ts";
import { runWithCleanUp } from "../text/errors.ts";
import { readAttributes } from "./attributes.ts";
import type { GitOptions } from "./git-answer.ts";
import { settingOf } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { joinNul, type SortedPaths } from "./stage.ts";

export interface StagedEntry {
  readonly path: Buffer;
  /** 100644, 100755, or 120000 for a link. */
  readonly mode: string;
  readonly oid: string;
}

interface StageOptions {
  readonly env: NodeJS.ProcessEnv;
  /** May point to another index and object folder. */
  readonly variables: Readonly<Record<string, string>>;
  readonly durable?: boolean;
}

/** Stores what is on disk byte by byte, without attributes and filters. Returns present entries. Throws TP_GIT. */
export async function stagePaths(
  place: GitPlace,
  { present, gone }: SortedPaths,
  options: StageOptions,
): Promise<StagedEntry[]> {
  const entries = await writeBlobs(place, present, options);
  await stageEntries(place, entries, gone, options);
  return entries;
}

/** Adds entries of existing blobs and removes others. Throws TP_GIT. */
export async function stageEntries(
  place: GitPlace,
  entries: readonly StagedEntry[],
  gone: readonly Buffer[],
  options: StageOptions,
): Promise<void> {
  // Without --force-remove git looks through links, and refuses.
  if (gone.length > 0) {
    await runGit(place, ["update-index", "--force-remove", "-z", "--stdin"], { ...options, input: joinNul(gone) });
  }
  if (entries.length === 0) return;
  const lines = entries.map(({ path, mode, oid }) => Buffer.concat([Buffer.from(`${mode} ${oid}\t`), path]));
  await runGit(place, ["update-index", "-z", "--index-info"], { ...options, input: joinNul(lines) });
}

/** Stores the bytes of files and the text of links. Throws TP_GIT. */
export async function writeBlobs(
  place: GitPlace,
  paths: readonly Buffer[],
  options: StageOptions,
): Promise<StagedEntry[]> {
  if (paths.length === 0) return [];
  const scratch = makeTemporaryFolder("links");
  const write = async (): Promise<StagedEntry[]> =>
    await writeSources(place, await readSources(place, paths, { scratch, copies: "links" }, options), options);
  return await runWithCleanUp(write, () => removeAll(scratch));
}

/** A future entry and the file with its bytes, absolute or relative to the top. */
export interface BlobSource {
  readonly path: Buffer;
  readonly mode: string;
  readonly file: Buffer;
}

/** Copies the text of links into `scratch`, since git would follow them; with `copies` "all" files too. */
export async function readSources(
  place: GitPlace,
  paths: readonly Buffer[],
  { scratch, copies }: { readonly scratch: string; readonly copies: "links" | "all" },
  options: StageOptions,
): Promise<BlobSource[]> {
  if (paths.length === 0) return [];
  const top = Buffer.from(place.top);
  const modes = await readModes(place, paths, options);
  return paths.map((path, index) => {
    const mode = modes[index] ?? fileMode;
    if (mode !== linkMode && copies === "links") return { path, mode, file: path };
    const copy = join(scratch, String(index));
    const from = joinBytes(top, path);
    if (mode === linkMode) writeFileSync(copy, readlinkSync(from, { encoding: "buffer" }));
    else copyFileSync(from, copy);
    return { path, mode, file: Buffer.from(copy) };
  });
}

export async function writeSources(
  place: GitPlace,
  sources: readonly BlobSource[],
  options: StageOptions,
): Promise<StagedEntry[]> {
  if (sources.length === 0) return [];
  const input = Buffer.concat(sources.map(({ file }) => quoteLine(file)));
  const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const { stdout } = await runGit(place, args, { ...options, input });
  const oids = stdout.toString("latin1").split("\n");
  return sources.map(({ path, mode }, index) => ({ path, mode, oid: oids[index] ?? "" }));
}

/**
 * By path, as latin1, the blob that git itself would store, with line endings, `$Id$` and encodings applied; no entry
 * where that is unknown. `raw`: the paths as `writeBlobs` stored them, if the index remembers no file times: git reads each
 * file then, and stores just that where nothing converts. Leaves the options' index alone. Throws TP_GIT.
 */
export async function stageAsGit(
  place: GitPlace,
  paths: readonly Buffer[],
  { raw, ...options }: StageOptions & { readonly raw?: readonly StagedEntry[] },
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const attributes = await readAttributes(place, paths, options);
  if (raw !== undefined && attributes.size === 0) {
    const converts = settingOf(await knownSettings(place, options.env), "core.autocrlf") ?? "";
    if (/^(?:false|no|off|0)?$/i.test(converts))
      return new Map(raw.map(({ path, oid }) => [path.toString("latin1"), oid]));
  }
  // A wrong encoding ends git; a right one stores other bytes.
  const plain = paths.filter((path) => {
    const encoding = attributes.get(path.toString("latin1"))?.get("working-tree-encoding") ?? "unset";
    return encoding === "unset" || /^utf-?8$/i.test(encoding);
  });
  const scratch = makeTemporaryFolder("index");
  const stage = async (): Promise<ReadonlyMap<string, string>> => {
    const index = join(scratch, "index");
    copyIndex(options.variables.GIT_INDEX_FILE ?? join(place.gitDir, "index"), index);
    const call = { ...options, variables: { ...options.variables, GIT_INDEX_FILE: index } };
    const input = joinNul(plain);
    // --replace: a file may replace a folder, or a folder a file.
    await runGit(place, ["update-index", "--add", "--replace", "-z", "--stdin"], { ...call, input });
    const wanted = new Set(plain.map((path) => path.toString("latin1")));
    const found = [...(await listStaged(place, call))].filter(([path]) => wanted.has(path));
    return new Map(found.map(([path, entry]) => [path, entry.split(" ")[1] ?? ""]));
  };
  return await runWithCleanUp(stage, () => removeAll(scratch));
}

/** Keeps the times: git doubts files as young as the index. */
export function copyIndex(from: string, to: string): void {
  try {
    const { atime, mtimeMs } = statSync(from);
    copyFileSync(from, to);
    utimesSync(to, atime, Math.floor(mtimeMs) / 1000);
  } catch (error) {
    // Before the first `git add` there is no index.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

const [fileMode, programMode, linkMode] = ["100644", "100755", "120000"];

/** If the disk keeps no executable bit (core.fileMode is false), the entry's counts. */
async function readModes(place: GitPlace, paths: readonly Buffer[], options: StageOptions): Promise<string[]> {
  const top = Buffer.from(place.top);
  const keepsBit = settingOf(await knownSettings(place, options.env), "core.filemode") !== "false";
  const known = keepsBit ? new Map<string, string>() : await listStaged(place, options);
  return paths.map((path) => {
    const mode = statEntry(joinBytes(top, path))?.mode ?? 0;
    if ((mode & 0o170000) === 0o120000) return linkMode;
    const isProgram = keepsBit
      ? (mode & 0o100) !== 0
      : known.get(path.toString("latin1"))?.split(" ")[0] === programMode;
    return isProgram ? programMode : fileMode;
  });
}

/** The index: by path, as latin1, `MODE OID STAGE`. Throws TP_GIT. */
export async function listStaged(place: GitPlace, options: GitOptions): Promise<Map<string, string>> {
  const { stdout } = await runGit(place, ["ls-files", "-z", "--stage"], options);
  return new Map(
    splitNul(stdout).map((line) => {
      const tab = line.indexOf(0x09);
      return [line.toString("latin1", tab + 1), line.toString("latin1", 0, tab)];
    }),
  );
}

/** Git reads lists of paths by lines; C-quote what a line cannot hold. */
function quoteLine(path: Buffer): Buffer {
  const isPlain = path[0] !== 0x22 && path.every((byte) => byte >= 0x20 && byte !== 0x7f);
  if (isPlain) return Buffer.concat([path, Buffer.from("\n")]);
  const bytes = [...path].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return Buffer.from(`"${bytes.join("")}"\n`);
}
