import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { gitEnv } from "../git/git-repo.ts";

export interface CommitSpec {
  /** Content by path; null removes, also a whole folder; a pair is a link, or another mode of git. */
  readonly files: Readonly<Record<string, string | null | readonly [mode: string, content: string]>>;
  readonly message?: string;
  readonly author?: string;
  /** Places in the list; the one before without it, none for a new root. */
  readonly parents?: readonly number[];
}

export interface MadeRepo {
  readonly folder: string;
  /** Their names, in order. */
  readonly commits: readonly string[];
  git(...args: string[]): string;
}

/** A repository of these commits, the last one checked out by name alone: its files are not written to disk. */
export function makeGitRepo(t: Pick<TestContext, "after">, commits: Iterable<CommitSpec>): MadeRepo {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-git-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return fillGitRepo(folder, commits);
}

export function fillGitRepo(folder: string, commits: Iterable<CommitSpec>): MadeRepo {
  const gitDir = path.join(folder, ".git");
  for (const part of ["objects", "refs"]) mkdirSync(path.join(gitDir, part), { recursive: true });
  writeFileSync(path.join(gitDir, "HEAD"), "ref: refs/heads/main\n");
  const parts: (string | Buffer)[] = [];
  let count = 0;
  for (const commit of commits) {
    count++;
    parts.push(...commitStream(commit, count));
  }
  if (count > 0) parts.push("reset refs/heads/main\n", `from :${count}\n\n`);
  const git = (args: readonly string[], input?: Buffer) =>
    execFileSync("git", args, { cwd: folder, env: gitEnv, maxBuffer: 1 << 29, ...(input ? { input } : {}) }).toString();
  const marks = path.join(gitDir, "marks");
  const input = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  if (count > 0) git(["fast-import", "--quiet", "--force", `--export-marks=${marks}`], input);
  return { folder, commits: count > 0 ? readMarks(marks) : [], git: (...args) => git(args) };
}

function commitStream(
  { files, message = "a commit", author = "Ann <ann@example.invalid>", parents }: CommitSpec,
  mark: number,
) {
  const from = parents ?? (mark === 1 ? [] : [mark - 2]);
  const who = `${author} ${1767225600 + mark * 60} +0000`;
  const parts = [`commit refs/made/${mark}\nmark :${mark}\nauthor ${who}\ncommitter ${who}\n`, ...data(message)];
  const [first, ...others] = from;
  if (first !== undefined) parts.push(`from :${first + 1}\n`);
  for (const other of others) parts.push(`merge :${other + 1}\n`);
  for (const [name, content] of Object.entries(files)) {
    const shown = JSON.stringify(name).replaceAll("\\u001b", "\\033");
    if (content === null) parts.push(`D ${shown}\n`);
    else {
      const [mode, text] = typeof content === "string" ? ["100644", content] : content;
      if (mode === "160000") parts.push(`M ${mode} ${text} ${shown}\n`);
      else parts.push(`M ${mode} inline ${shown}\n`, ...data(text));
    }
  }
  return [...parts, "\n"];
}

function data(text: string): string[] {
  return [`data ${Buffer.byteLength(text)}\n`, text, "\n"];
}

function readMarks(file: string): string[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const marks = lines.map((line) => line.split(" ") as [string, string]);
  return marks.sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1))).map(([, sha]) => sha);
}
