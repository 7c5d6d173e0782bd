import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { findOuterGit } from "../../git/place.ts";
import { isUnder } from "../../process/bwrap.ts";
import { controlFile, guardedFiles, runnerArtifacts } from "../../rules/guarded-files.ts";
import { realOr } from "../../store/folder.ts";
import { findMatching, findWholeFolders } from "../../store/glob-paths.ts";
import { stateHome } from "../../store/state-home.ts";
import { rootPaths } from "../board-files.ts";
import { listOtherTasks } from "../guarded-paths.ts";
import type { PassPorts } from "../records/ports.ts";
import { stands, type TaskPlace } from "../records/task-place.ts";

/** Absolute, existing paths; everything else is read-only. */
export interface SandboxRules {
  readonly writable: readonly string[];
  /** Within writable paths. */
  readonly readOnly: readonly string[];
  /** Folders appear empty, files unreadable. */
  readonly hidden?: readonly string[];
}

export interface SandboxedPass {
  readonly place: TaskPlace;
  readonly repo: string;
  /** All possible configuration files of the next pass. */
  readonly configPaths: readonly string[];
  readonly protectedGlobs: readonly string[];
  readonly runnerPaths?: readonly string[];
  /** Further real paths to hide, beside the state folder. */
  readonly hidden?: readonly string[];
}

/**
 * Writable: the repo, its task folder, and a git folder kept elsewhere, without existing parts that a pass must not
 * change. Missing parts can be created, and STATE.md, TASKS.md, DECISIONS.md and EVIDENCE.md edited: all of it is
 * compared afterwards.
 */
export function sandboxRules(pass: SandboxedPass, ports: Pick<PassPorts, "env" | "home">): SandboxRules {
  const { place, repo } = pass;
  const roots = [repo, place.taskDir, ...findOuterGit(repo)].filter(isReal);
  const board = rootPaths(place.tasksRoot, repo);
  const guarded = [
    ...ownPaths(place),
    ...board,
    ...pass.configPaths.map(realOr),
    ...gitFile(repo),
    ...protectedPaths(pass),
    ...(pass.runnerPaths ?? []),
  ];
  const readOnly = new Set(guarded.filter((path) => isReal(path) && isUnder(path, roots)));
  const above = [...roots, ...readOnly].flatMap((path) => foldersAbove(path, roots, readOnly));
  const writable = new Set([...roots, join(repo, ".git"), ...above]);
  const home = realOr(stateHome(ports.env, ports.home));
  return {
    writable: [...writable].filter((path) => isReal(path) && !readOnly.has(path)),
    readOnly: [...readOnly],
    hidden: [...(isReal(home) ? [home] : []), ...(pass.hidden ?? [])],
  };
}

/** What only the runner or a person writes in a task folder and tasks root. */
function ownPaths(place: TaskPlace): string[] {
  const files = [...guardedFiles].flatMap(([name, { pass }]) => (pass === "edits" ? [] : [name]));
  return [
    ...[...files, controlFile].map((name) => join(place.taskDir, name)),
    ...runnerArtifacts.map((name) => join(place.artifacts, name)),
    place.passes,
    place.runtime,
    ...listOtherTasks(place),
  ];
}

/** `.git` as a file names a git folder kept elsewhere, and must not change. */
function gitFile(repo: string): string[] {
  const path = join(repo, ".git");
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? [path] : [];
}

/** Whole folders if all in them is protected, so that nothing is added; else path by path. */
function protectedPaths({ repo, protectedGlobs }: SandboxedPass): string[] {
  const matching = findMatching(repo, protectedGlobs);
  const whole = findWholeFolders(repo, protectedGlobs, matching).map((path) => join(repo, path));
  const outermost = whole.filter((path) => !isUnder(dirname(path), whole));
  return [...outermost, ...matching.map((path) => join(repo, path)).filter((path) => !isUnder(path, outermost))];
}

/** Folders between a path and the next ruled one become mounts too, which cannot be moved or removed. */
function foldersAbove(path: string, roots: readonly string[], readOnly: ReadonlySet<string>): string[] {
  const above: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if (readOnly.has(at)) return [];
    if (roots.includes(at)) return above;
    above.push(at);
  }
  return [];
}

/** A link cannot be protected, only what contains it. */
function isReal(path: string): boolean {
  return stands(path) && realOr(path) === path;
}
