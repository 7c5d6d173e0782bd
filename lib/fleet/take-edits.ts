import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { mergeTexts } from "../git/merge.ts";
import type { GitPlace } from "../git/place.ts";
import { mostWordBytes, renderConflict, type Taken, unsure, writeTaken } from "../queue/views/taken-words.ts";
import { controlFile } from "../rules/guarded-files.ts";
import { readRegularFile, readText } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { runnersPaths } from "../task/records/task-place.ts";
import { dataError } from "../text/errors.ts";
import { branchName } from "../text/ref-name.ts";
import { sha256 } from "../text/sha256.ts";
import { quoteWord } from "../text/shell-words.ts";

const mostFiles = 200;

/** The runner writes these; STATE.md and DECISIONS.md are everybody's. */
const notTaken: ReadonlySet<string> = new Set(
  runnersPaths.filter((path) => path !== "STATE.md" && path !== "DECISIONS.md"),
);

/** What Emacs and Vim keep beside a file that is open: no words of a person, and a link of Emacs breaks `node --test`. */
const editorsName = /^\.#|^#.*#$|~$|^\..*\.sw[a-p]$/;

/** A person's files of the task, as they are in the working tree. */
export function readEdits(treeDir: string): Taken {
  const files: Record<string, string> = {};
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(treeDir, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && path !== "artifacts" && !entry.name.startsWith(".")) visit(path);
      const isTaken = entry.isFile() && !notTaken.has(path) && !editorsName.test(entry.name);
      if (!isTaken || Object.keys(files).length >= mostFiles) continue;
      const read = readRegularFile(join(treeDir, path), mostWordBytes);
      if (read.kind === "file" && !read.bytes.includes(0)) files[path] = read.bytes.toString("utf8");
    }
  };
  if (existsSync(treeDir)) visit("");
  return { version: 1, files };
}

/** The whole task folder of the working tree, for a branch that begins with it. */
export function bringFolder(treeDir: string, taskDir: string): void {
  rmSync(taskDir, { recursive: true, force: true });
  mkdirSync(dirname(taskDir), { recursive: true });
  const filter = (from: string) => !editorsName.test(basename(from)) || lstatSync(from).isDirectory();
  cpSync(treeDir, taskDir, { recursive: true, verbatimSymlinks: true, filter });
}

/**
 * A person edits the task in their working tree, where they always did, while its newest state is on its branch. What
 * they changed since the last look is taken along: each file is compared with what was taken before, and joined with
 * what the branch has.
 *
 * Puts what a person changed since `taken` into the task folder of the clone; gives the paths. Throws a data error
 * (TP_EDIT_CONFLICT) if the branch has changed the same lines, once for each text of a person: of a later one they hold.
 */
export async function takeEdits(
  git: GitPlace,
  { now, taken }: { readonly now: Taken; readonly taken: Taken },
  { taskDir, treeDir, note, ref }: EditedTask,
  tools: { readonly env: NodeJS.ProcessEnv; readonly scratch: string },
): Promise<string[]> {
  const changed = Object.entries(now.files).filter(([path, text]) => taken.files[path] !== text);
  const put: string[] = [];
  for (const [path, text] of changed) {
    const target = join(taskDir, path);
    const there = readText(target, mostWordBytes);
    if (there === text) continue;
    const before = taken.files[path];
    const joined =
      there === null || there === before || before === unsure
        ? text
        : await join3(git, path, [there, before ?? "", text], { ...tools, holds: wasRefused(taken, path, text) });
    if (joined === null) {
      writeTaken(note, { ...taken, refused: { ...taken.refused, [path]: text } });
      throw conflict(path, treeDir, `${branchName(ref)}:${relative(git.top, target)}`);
    }
    openPrivateFolder(dirname(target));
    writeFileSync(target, joined);
    put.push(path);
  }
  return put;
}

interface EditedTask {
  readonly taskDir: string;
  readonly treeDir: string;
  /** As `takenPlace` returns it. */
  readonly note: string;
  /** The branch, a full name. */
  readonly ref: string;
}

/** Whether a person wrote this version after they had been told what the branch has. */
function wasRefused({ refused }: Taken, path: string, text: string): boolean {
  return refused?.[path] !== undefined && refused[path] !== text;
}

/** Null: both changed the same lines. Of CONTROL.md the newest word of a person is what they want now. */
async function join3(
  git: GitPlace,
  path: string,
  [ours, base, theirs]: readonly [string, string, string],
  { env, scratch, holds }: { readonly env: NodeJS.ProcessEnv; readonly scratch: string; readonly holds: boolean },
): Promise<string | null> {
  const nameOf = (side: string) => join(scratch, `edit-${side}-${sha256(path).slice(0, 12)}`);
  const files = { ours: nameOf("ours"), base: nameOf("base"), theirs: nameOf("theirs") };
  try {
    writeFileSync(files.ours, ours);
    writeFileSync(files.base, base);
    writeFileSync(files.theirs, theirs);
    const merged = await mergeTexts(git, files, env, holds ? ["--theirs"] : []);
    return merged?.toString("utf8") ?? (path === controlFile ? theirs : null);
  } finally {
    for (const name of Object.values(files)) rmSync(name, { force: true });
  }
}

function conflict(path: string, treeDir: string, shown: string) {
  const fix = `git show ${quoteWord(shown)} shows the other; write what holds into this file, then run again`;
  return dataError("TP_EDIT_CONFLICT", renderConflict(path), { file: join(treeDir, path), fix });
}
