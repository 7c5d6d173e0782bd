import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitPaths } from "../../lib/git/commit.ts";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { git, gitEnv, makeRepo } from "./git-repo.ts";

/** A repository `repo` with one commit on main, its bare remote `remote.git`, and an empty `scratch`. */
export interface GitWorld {
  readonly folder: string;
  readonly repo: string;
  readonly remote: string;
  readonly scratch: string;
  git(...args: string[]): string;
  /** Commits exactly these paths as a pass does; the commit, or null. */
  commit(paths: readonly string[], pass?: number): Promise<string | null>;
  /** What `main` of the remote holds: files by path. */
  remoteFiles(branch?: string): Record<string, string>;
  /** Another clone commits these files and pushes. */
  others(files: Readonly<Record<string, string>>, branch?: string): void;
  /** A program that leaves a trace, and whether it did. */
  readonly trap: string;
  sprung(): boolean;
}

export function makeGitWorld(folder: string, files: Readonly<Record<string, string>>): GitWorld {
  const [repo, remote, scratch] = ["repo", "remote.git", "scratch"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  makeRepo(repo, files);
  mkdirSync(scratch);
  git(folder, "init", "-q", "--bare", remote);
  git(repo, "remote", "add", "origin", remote);
  git(repo, "push", "-q", "-u", "origin", "main");
  const trap = join(folder, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch '${folder}/sprung'\ncat\n`);
  chmodSync(trap, 0o755);
  return {
    folder,
    repo,
    remote,
    scratch,
    trap,
    git: (...args) => git(repo, ...args),
    commit: async (paths, pass = 1) => (await commitPaths(commitRequest(repo, scratch, paths, pass))).sha,
    remoteFiles: (branch = "main") => filesOf(remote, branch),
    others: (changed, branch = "main") => {
      const clone = join(folder, `others-${Object.keys(changed)[0]?.replace(/\W/g, "_")}`);
      git(folder, "clone", "-q", "-b", branch, remote, clone);
      for (const [path, text] of Object.entries(changed)) {
        mkdirSync(join(clone, path, ".."), { recursive: true });
        writeFileSync(join(clone, path), text);
      }
      git(clone, "add", "-A");
      git(clone, "commit", "-q", "-m", "others");
      git(clone, "push", "-q");
    },
    sprung: () => existsSync(join(folder, "sprung")),
  };
}

export function commitRequest(repo: string, scratch: string, paths: readonly string[], pass = 1) {
  const message = `task-phase: T-1 pass ${pass}\n\nTask-Phase-Task: T-1\nTask-Phase-Pass: ${pass}\n`;
  return { repo, scratch, paths, folders: [] as string[], message, checked: null, record: null, env: gitEnv };
}

export function filesOf(repo: string, commit: string): Record<string, string> {
  const names = git(repo, "ls-tree", "-r", "-z", "--name-only", commit).split("\0").slice(0, -1);
  return Object.fromEntries(names.map((name) => [name, git(repo, "cat-file", "-p", `${commit}:${name}`)]));
}

/** What `git status` tells a person, one line a path. */
export function statusOf(repo: string): string[] {
  return execFileSync("git", ["status", "--porcelain", "-z"], { cwd: repo, env: gitEnv, encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

/** What the checks ran on: the repo as it is now, and all that its passes changed. */
export async function checkedNow(repo: string, changed: readonly string[], since: string | null) {
  const { entries } = await takeFingerprint(repo, [join(repo, "tasks")], gitEnv);
  return { entries, leaveOut: [join(repo, "tasks")], since, changed, left: [] };
}

/** What is in the folder of a repository that has to do with its index, half-written files included. */
export function indexFiles(repo: string): string[] {
  return readdirSync(join(repo, ".git")).filter((name) => /index|\.tp-/.test(name));
}
