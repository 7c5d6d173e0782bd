import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../cli/arrange.ts";

/** What a person does in their repository, beside a loop or without one: the same each time. */
export interface Act {
  readonly name: string;
  /** `repo`: its folder in the world. */
  play(world: World, repo: string): void;
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const git =
  (...args: string[]) =>
  (world: World, repo: string) =>
    void world.git(repo, ...args);

/** Each group of acts begins and ends on the branch main, with no change stashed away. */
export function chooseActs(random: () => number, count: number): Act[] {
  const acts: Act[] = [];
  for (let at = 0; acts.length < count; at += 1) {
    const text = `line ${at} ${Math.floor(random() * 1e6)}\n`;
    const edit: Act = { name: "edit", play: (world, repo) => void world.write(`${repo}/work.txt`, text) };
    const file: Act = { name: "new file", play: (world, repo) => void world.write(`${repo}/mine-${at}.txt`, text) };
    const commit: Act = { name: "commit", play: git("commit", "-q", "--allow-empty", "-m", `mine ${at}`, "work.txt") };
    const groups: readonly (readonly Act[])[] = [
      [edit],
      [edit, commit],
      [file, { name: "add", play: git("add", `mine-${at}.txt`) }],
      [edit, { name: "stash", play: git("stash", "-q") }, { name: "pop", play: git("stash", "pop", "-q", "--index") }],
      [
        file,
        { name: "stash all", play: git("stash", "-q", "-u") },
        { name: "pop all", play: git("stash", "pop", "-q") },
      ],
      [
        edit,
        commit,
        { name: "branch", play: git("switch", "-q", "-c", `own-${at}`) },
        file,
        { name: "add all", play: git("add", "--", `mine-${at}.txt`, "work.txt") },
        { name: "commit there", play: git("commit", "-q", "--allow-empty", "-m", `there ${at}`) },
        { name: "switch back", play: git("switch", "-q", "main") },
      ],
      [{ name: "worktree", play: git("worktree", "add", "-q", "-b", `tree-${at}`, `../tree-${at}`) }],
      [{ name: "gc", play: git("gc", "-q", "--prune=now") }],
      [edit, commit, { name: "amend", play: git("commit", "-q", "--allow-empty", "--amend", "-m", `again ${at}`) }],
      [{ name: "tag", play: git("tag", `mine-${at}`) }],
      [{ name: "tasks", play: git("add", "tasks") }, commitAll(at)],
      [
        { name: "pause", play: control("- [ ] PAUSE\n") },
        { name: "go on", play: control("") },
      ],
    ];
    acts.push(...(groups[Math.floor(random() * groups.length)] ?? []));
  }
  return acts;
}

function commitAll(at: number): Act {
  return { name: "commit tasks", play: git("commit", "-q", "--allow-empty", "-m", `tasks ${at}`, "tasks") };
}

function control(line: string): Act["play"] {
  return (world, repo) => void world.write(`${repo}/tasks/T-1/CONTROL.md`, `# Control\n\n${line}`);
}

/** Whatever of a repository is its person's, as text. */
export function describeOwn(world: World, repo: string): string {
  const read = (...args: string[]) => world.git(repo, ...args);
  const refs = read("for-each-ref", "--format=%(refname) %(objectname)").split("\n");
  // A run that is killed between the commit and the branch leaves one, which git collects some day; without its message,
  // if it was killed before git had read that.
  const unreachable = read("fsck", "--unreachable", "--no-progress")
    .split("\n")
    .filter((line) => line.startsWith("unreachable commit"))
    .map((line) => `${line} ${read("log", "-1", "--format=%s", line.split(" ")[2] ?? "").trim()}`)
    .filter((line) => !/^unreachable commit \S+ (?:task-phase: |$)/.test(line));
  return [
    read("status", "--porcelain=v1", "--untracked-files=all"),
    read("stash", "list", "--format=%H %gs"),
    read("symbolic-ref", "HEAD"),
    ...refs.filter((ref) => !/^refs\/(heads\/)?task-phase\//.test(ref)),
    read("ls-files", "--stage"),
    read("reflog", "--format=%H %gs"),
    ...unreachable.sort(),
    ...listFiles(world.path(repo), ""),
  ].join("\n");
}

/** The files of a working tree with their content, without what git or the runner keep beside them. */
function listFiles(top: string, folder: string): string[] {
  return readdirSync(join(top, folder), { withFileTypes: true })
    .filter(({ name }) => name !== ".git" && name !== ".task-phase")
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(top, path);
      return `${path}: ${entry.isSymbolicLink() ? readlinkSync(join(top, path)) : readFileSync(join(top, path), "utf8")}`;
    });
}
