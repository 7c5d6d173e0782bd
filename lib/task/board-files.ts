import { basename, join } from "node:path";
import * as v from "valibot";
import type { PathChange } from "../store/compare-manifest.ts";
import { statEntry } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonOr, readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";
import { recordOf } from "../text/shape.ts";
import type { PassPorts } from "./records/ports.ts";
import { runtimeFilesOf } from "./runtime-files.ts";

/** The two files of the board, directly in the tasks root. */
export const boardNames = { markdown: "BOARD.md", page: "index.html" } as const;

/** What `init` writes for git, directly in the tasks root. */
const gitNames = [".gitattributes", ".gitignore"] as const;
/** Begins what `init` wrote into one of these; a file without it is a person's alone. */
export const gitMark = "# task-phase:";

type StatePorts = Pick<PassPorts, "env" | "home">;

/**
 * The board's files as what belongs to the runner: no part of the repo's contents, and no pass's to change. None if
 * the tasks root is the repo itself, since an index.html there is the app's own.
 */
export function boardPaths(tasksRoot: string, repo: string): string[] {
  return tasksRoot === repo ? [] : Object.values(boardNames).map((name) => join(tasksRoot, name));
}

/** Adds the files for git, which say how the runner's files are shown and kept. */
export function rootPaths(tasksRoot: string, repo: string): string[] {
  return tasksRoot === repo ? [] : [...boardPaths(tasksRoot, repo), ...gitNames.map((name) => join(tasksRoot, name))];
}

/**
 * Paths that may be left out of the repo's contents. A link or a folder in their place was not written by task-phase
 * and hides nothing; nor does a file for git in which `init` wrote nothing.
 */
export function rootExcludes(tasksRoot: string, repo: string): string[] {
  return rootPaths(tasksRoot, repo).filter((path) => {
    const stats = statEntry(path);
    return stats === null || (stats.isFile() && (!isForGit(path) || holdsMark(path)));
  });
}

export function isForGit(path: string): boolean {
  return gitNames.some((name) => name === basename(path));
}

function holdsMark(path: string): boolean {
  const read = readRegularFile(path, 1024 * 1024);
  return (
    read.kind === "file" &&
    read.bytes
      .toString("latin1")
      .split("\n")
      .some((line) => line.startsWith(gitMark))
  );
}

const noteName = "board.json";
const schema = recordOf(v.array(v.string()));
type Notes = Readonly<Record<string, readonly string[]>>;

/**
 * Puts the files in place by `put`, so that a pass that is running on the same tasks root takes them for what they
 * are: this user's own copy of the runtime files holds their digests before the tasks root has the bytes. Throws
 * TP_DISK and TP_STATE_HOME.
 */
export function putNoted(
  tasksRoot: string,
  files: Readonly<Record<string, string>>,
  ports: StatePorts,
  put: (path: string, text: string) => void,
): void {
  const known = readNotes(tasksRoot, ports);
  const digests = Object.entries(files).map(([path, text]) => [path, sha256(text)] as const);
  recordDigests(tasksRoot, ports, digests, (path) => (known[path] ?? []).slice(-1));
  for (const [path, text] of Object.entries(files)) put(path, text);
  recordDigests(tasksRoot, ports, digests, () => []);
}

/** True if what is there is what `task-phase board` or `init` last wrote, with the rights that the file had. */
export function isRootWrite(tasksRoot: string, { path, was, now }: PathChange, ports: StatePorts): boolean {
  if (now?.type !== "file" || now.sha256 === undefined) return false;
  if (was?.type === "file" && was.mode !== now.mode) return false;
  return readNotes(tasksRoot, ports)[path]?.includes(now.sha256) === true;
}

function recordDigests(
  tasksRoot: string,
  { env, home }: StatePorts,
  digests: readonly (readonly [string, string])[],
  before: (path: string) => readonly string[],
): void {
  const { own } = runtimeFilesOf(tasksRoot, env, home);
  openPrivateFolder(own);
  const noted: Notes = Object.fromEntries(digests.map(([path, digest]) => [path, [...before(path), digest]]));
  const notes: Notes = { ...readNotes(tasksRoot, { env, home }), ...noted };
  putFile(join(own, noteName), JSON.stringify(notes), { mode: 0o600 });
}

/** Notes that cannot be read name nothing: then a board that was written meanwhile is restored as any other change. */
function readNotes(tasksRoot: string, { env, home }: StatePorts): Notes {
  return readJsonOr(join(runtimeFilesOf(tasksRoot, env, home).own, noteName), schema, 1024 * 1024, {});
}
