import { passPath } from "../../documents/pass-pack.ts";
import type { HostedCode } from "../../rules/verdict-event.ts";
import type { WatchedChange } from "../../rules/watched.ts";
import type { ArtifactRow } from "../files/list-artifacts.ts";
import type { PassRow } from "./passes.ts";

export interface PatchRow {
  readonly pass: number;
  /** It shows all that the task changed up to this pass; else what this pass alone changed. */
  readonly whole: boolean;
  /** Relative to the task folder. */
  readonly path: string;
}

/** The parts of a task's evidence that its patches are found and explained from. */
export interface PatchedTask {
  /** Oldest first. */
  readonly passes: readonly PassRow[];
  /** The diffs among those that together show what the task changed, oldest first. */
  readonly patches: readonly PatchRow[];
  /** Paths of the repo that passes changed, each once, sorted. */
  readonly changedPaths: readonly string[];
  readonly code: HostedCode | null;
}

/** As many paths of one pass as the journal lists at most. */
const mostListed = 200;

/** The newest patch of the whole task, then those of later passes alone; without one, those of all passes. */
export function listPatches(
  passes: readonly PassRow[],
  rows: readonly Pick<ArtifactRow, "path">[],
  packed: ReadonlyMap<string, string> = new Map(),
): PatchRow[] {
  const there = new Set([...rows.map(({ path }) => path), ...packed.keys()]);
  const numbers = [...new Set(passes.map(({ pass }) => pass))].sort((a, b) => a - b);
  const find = (pass: number, whole: boolean): PatchRow[] => {
    const path = `${passPath(pass)}/${whole ? "task" : "changes"}.patch`;
    return there.has(path) ? [{ pass, whole, path }] : [];
  };
  const newest = numbers.flatMap((pass) => find(pass, true)).at(-1);
  const since = numbers.filter((pass) => newest === undefined || pass > newest.pass);
  return [...(newest === undefined ? [] : [newest]), ...since.flatMap((pass) => find(pass, false))];
}

/** Why there is no patch; empty if there is one. */
export function whyNoPatch({ patches, changedPaths, code }: PatchedTask): string {
  if (patches.length > 0) return "";
  if (changedPaths.length === 0) return "no pass changed a path of the repo";
  const commit = code?.commit ?? null;
  return commit === null ? "the repo is not under git, or had no commit yet" : "git made none, or its file was removed";
}

/**
 * Why a reader finds no such change in any patch; empty if one may show it. Patches are made of the paths that
 * passes changed, and those are never files that git ignores.
 */
export function renderUnpatched({ kind, name }: Pick<WatchedChange, "kind" | "name">, changed: ChangedPaths): string {
  if (name.startsWith("/") || name.startsWith("../")) return "not in the diff: it is outside the repo";
  if (kind !== "executable" && kind !== "check_file") return "";
  if (changed.cut || changed.paths.has(name)) return "";
  return "not in the diff: git ignores it, or no pass changed it";
}

export type ChangedPaths = Readonly<ReturnType<typeof changedPathsOf>>;

/** `cut`: the journal lists not all of them. */
export function changedPathsOf({ changedPaths, passes }: PatchedTask) {
  return { paths: new Set(changedPaths), cut: passes.some(({ changed }) => changed >= mostListed) };
}
