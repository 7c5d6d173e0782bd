import { isUtf8 } from "node:buffer";
import { removeAll } from "../store/folder.ts";

import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { shorten } from "../text/shorten.ts";
import { runGit } from "./run-git.ts";
import { isRuntime, type SortedPaths, sortPaths } from "./stage.ts";
import { stagePaths } from "./stage-paths.ts";
import { type CapturedTree, maxCapturedBytes } from "./tree.ts";

/** Larger than anyone reviews, small enough to commit with every pass. */
const maxPatchBytes = 5 * 1024 * 1024;
const maxNamed = 20;
/** Linux allows 2 MiB for arguments and environment together. */
const maxArgumentBytes = 512 * 1024;

export interface SinceCommit {
  readonly commit: string;
  readonly paths: readonly string[];
}

/**
 * `pass`: changes since the capture at these paths (`pathKey`, relative to the repo) as a diff for `git apply`, with
 * untracked files, deletions, modes and links, binary files only named. Lines above the diff name what it cannot show.
 * Of more than `maxBytes` the longest diffs are left out, and named there too. `task`: from a commit to the present at the task's
 * paths alone; null without `since` or if the commit is unknown. Uses up the capture. Throws TP_GIT.
 */
export async function makePatches(
  captured: CapturedTree,
  request: { readonly changedPaths: readonly string[]; readonly since: SinceCommit | null },
  env: NodeJS.ProcessEnv,
  maxBytes = maxPatchBytes,
): Promise<{ readonly pass: Buffer | null; readonly task: Buffer | null }> {
  const { since } = request;
  try {
    const staged = await stageNow(captured, request.changedPaths, env);
    const diff = await diffIndex(captured, await captured.tree(), [], env);
    const pass = diff === null ? null : patchOf(captured, staged.left, diff, maxBytes);
    if (since === null) return { pass, task: null };
    const all = await stageNow(captured, since.paths, env);
    const { named, left } = nameable([...all.present, ...all.gone]);
    const whole = named.length === 0 ? null : await diffIndex(captured, since.commit, named, env);
    return { pass, task: whole === null ? null : patchOf(captured, [...all.left, ...left], whole, maxBytes) };
  } finally {
    removeAll(captured.scratch);
  }
}

/** Added plus removed lines; binary files have none. The capture stays usable. Throws TP_GIT. */
export async function countChangedLines(
  captured: CapturedTree,
  changedPaths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { place, variables } = captured;
  await stageNow(captured, changedPaths, env);
  const tree = await captured.tree();
  const args = ["diff-index", "--numstat", "--cached", "-M", "--no-ext-diff", "--no-textconv", tree, "--"];
  const { stdout } = await runGit(place, args, { env, variables });
  const counts = stdout.toString("latin1").matchAll(/^(\d+)\t(\d+)\t/gm);
  return [...counts].reduce((sum, [, added, removed]) => sum + Number(added) + Number(removed), 0);
}

/** The capture's tree must exist already. */
async function stageNow(
  { place, inside, variables, tree }: CapturedTree,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<SortedPaths> {
  const changed = paths.map(pathBytes).filter((path) => !isRuntime(path));
  const full = changed.map((path) => joinBytes(inside, path));
  const sorted = sortPaths(place, full, maxCapturedBytes);
  await tree();
  await stagePaths(place, sorted, { env, variables });
  return sorted;
}

async function diffIndex(
  { place, inside, variables }: CapturedTree,
  from: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Buffer | null> {
  // .git/config could name any program as textconv or external diff.
  const args = ["diff-index", "-p", "--cached", "-M", "--no-color", "--no-ext-diff", "--no-textconv"];
  const here = inside.length === 0 ? [] : [`--relative=${inside.toString("utf8")}/`];
  const accept = paths.length === 0 ? [0] : [0, 128];
  const end = await runGit(place, [...args, ...here, from, "--", ...paths], { env, variables, accept });
  return end.exitCode === 0 ? end.stdout : null;
}

/** UTF-8 names, as many as fit on a command line. */
function nameable(paths: readonly Buffer[]) {
  const named: string[] = [];
  const left: { path: Buffer; why: string }[] = [];
  let length = 0;
  for (const path of paths) {
    length += path.length + 1;
    if (!isUtf8(path)) left.push({ path, why: "a name that is not UTF-8" });
    else if (length > maxArgumentBytes) left.push({ path, why: "too many paths" });
    else named.push(path.toString("utf8"));
  }
  return { named, left };
}

interface LeftOut {
  readonly path: Buffer;
  readonly why: string;
}

function patchOf({ inside }: CapturedTree, left: SortedPaths["left"], diff: Buffer, maxBytes: number): Buffer | null {
  const fitting = fit(diff, maxBytes);
  const prefix = inside.length === 0 ? 0 : inside.length + 1;
  const head = leftLines([...left.map(({ path, why }) => ({ path: path.subarray(prefix), why })), ...fitting.left]);
  return diff.length === 0 && head === "" ? null : Buffer.concat([Buffer.from(head), ...fitting.kept]);
}

/** `git apply` skips lines before the first file. */
function leftLines(left: readonly LeftOut[]): string {
  if (left.length === 0) return "";
  const names = left.slice(0, maxNamed).map(({ path, why }) => `#   ${shorten(pathKey(path), 200)} (${why})\n`);
  const more = left.length - names.length;
  return `# changed, and not shown here:\n${names.join("")}${more > 0 ? `#   and ${more} more\n` : ""}\n`;
}

/** As many files as have room, the short diffs first: a large file of data hides no code. */
function fit(diff: Buffer, maxBytes: number): { readonly kept: readonly Buffer[]; readonly left: readonly LeftOut[] } {
  if (diff.length <= maxBytes) return { kept: [diff], left: [] };
  const parts: Buffer[] = [];
  for (let from = 0; from < diff.length; ) {
    const next = diff.indexOf("\ndiff --git ", from);
    const to = next === -1 ? diff.length : next + 1;
    parts.push(diff.subarray(from, to));
    from = to;
  }
  let room = maxBytes;
  const kept = new Set<Buffer>();
  for (const part of [...parts].sort((one, other) => one.length - other.length)) {
    room -= part.length;
    if (room >= 0) kept.add(part);
  }
  const left = parts
    .filter((part) => !kept.has(part))
    .map((part) => ({ path: nameOf(part), why: `a diff of ${part.length} bytes` }));
  return { kept: parts.filter((part) => kept.has(part)), left };
}

/** From its head; a binary file and a new mode have it in the first line alone, twice. */
function nameOf(part: Buffer): Buffer {
  const head =
    part
      .subarray(0, 3 * 4096)
      .toString("latin1")
      .split("\n@@ ", 1)[0] ?? "";
  const found =
    /^\+\+\+ "?b\/(.+)$/m.exec(head) ??
    /^--- "?a\/(.+)$/m.exec(head) ??
    /^rename to "?(.+)$/m.exec(head) ??
    /^diff --git "?a\/(.+?)"? "?b\/\1"?$/m.exec(head);
  return Buffer.from((found?.[1] ?? "").replace(/["\t]+$/, ""), "latin1");
}
