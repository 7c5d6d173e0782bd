import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { contentBounds, startMeter } from "../../git/content-bounds.ts";
import { type ContentEntry, readEntry } from "../../git/content-entries.ts";
import type { TreeEntry } from "../../git/list-tree.ts";
import { storing } from "../../store/error-code.ts";
import { bytesIn, joinBytes, pathBytes, pathKey } from "../../store/path-key.ts";
import type { Origin } from "../../task/origin.ts";
import { makeParents, type Source, writeFile, writeLink } from "./copy-entry.ts";

/**
 * The intended content of a copy: entries of a fingerprint by repo path, each as the repo has it now or as at pass 1.
 */
export type CopyContents = ReadonlyMap<string, CopyEntry>;

export interface CopyEntry {
  readonly entry: string;
  /** `git`: no file of the repo has these bytes, and git wrote them. */
  readonly from: "repo" | "origin" | "git";
  /** What git has for it; missing or null: the copy's index does not name it. */
  readonly blob?: TreeEntry | null;
  /** What is written in place of the file's own bytes: a version that is wrong on purpose. */
  readonly text?: string;
}

/** Everything that is listed but nested repositories, which no clone has, and the runner's own settings. */
export function contentsOf(
  entries: ReadonlyMap<string, string>,
  from: "repo" | "origin",
  { nested, settings }: { readonly nested: readonly string[]; readonly settings: readonly string[] },
): CopyContents {
  const found = [...entries].filter(
    ([path]) => !settings.includes(path) && !nested.some((folder) => path.startsWith(`${folder}/`)),
  );
  return new Map(found.map(([path, entry]) => [path, { entry, from }]));
}

export interface CopyRequest {
  /** Its real path. */
  readonly repo: string;
  /** Null: everything is taken from the repo. */
  readonly origin: Origin | null;
  /** Where what git wrote is kept, under its sha256; null if nothing is from there. */
  readonly blobs: string | null;
  readonly contents: CopyContents;
  /** Absolute; is made, private to this user. */
  readonly target: string;
  /** The bytes of a file or link that the target has already, see kept-copy.ts; null: it is written. */
  readonly held?: (path: string) => number | null;
  readonly signal: AbortSignal | null;
}

export type CopyOutcome =
  /** `leftOut`: repo paths that are in no copy, such as links that leave the repo. */
  | { readonly kind: "made"; readonly leftOut: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "aborted" };

/**
 * Makes a private folder with exactly these files: each is read once, and its bytes have to be those that the
 * fingerprint names. Links that stay in the tree are kept; those that leave it, and special files, are left out and
 * named. Throws TP_DISK if the copy cannot be written.
 */
export async function makeCopy(request: CopyRequest): Promise<CopyOutcome> {
  const root = Buffer.from(request.target);
  const meter = startMeter("the repo", contentBounds, () => performance.now());
  const leftOut: string[] = [];
  const folders = new Set<string>();
  const blocked = findBlocked(request.contents);
  if (blocked !== null) return { kind: "refused", reason: blocked };
  storing("make the folder", root.toString("utf8"), () => mkdirSync(root, { recursive: true, mode: 0o700 }));
  let count = 0;
  for (const [path, { entry: text, from, text: instead }] of request.contents) {
    count += 1;
    if (count % 64 === 0) await nextTurn();
    if (request.signal?.aborted === true) return { kind: "aborted" };
    const entry = readEntry(text);
    if (entry === null) {
      if (/^(?:special|unreadable|folder) /.test(text)) leftOut.push(path);
      continue;
    }
    const held = request.held?.(path) ?? null;
    if (held !== null) {
      const tooMuch = meter.add(held);
      if (tooMuch !== null) return { kind: "refused", reason: tooMuch };
      continue;
    }
    const source = sourceOf(request, path, entry, from);
    const target = joinBytes(root, pathBytes(path));
    makeParents(target, root.length, folders);
    const written =
      entry.kind === "link" ? writeLink(source, target, path, entry) : writeFile(source, target, entry, instead);
    if (written === "leaves") leftOut.push(path);
    if (written === "differs") return { kind: "refused", reason: renderLost(path, from) };
    const tooMuch = meter.add(typeof written === "number" ? written : 0);
    if (tooMuch !== null) return { kind: "refused", reason: tooMuch };
  }
  return { kind: "made", leftOut };
}

/** Two versions can be at odds: a path is a file in one, and a folder in the other. */
function findBlocked(contents: CopyContents): string | null {
  const clear = new Set<string>();
  for (const [path, { entry }] of contents) {
    if (readEntry(entry) === null) continue;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const above = keyAbove(path, end);
      if (clear.has(above)) break;
      const there = contents.get(above);
      if (there !== undefined && readEntry(there.entry) !== null)
        return `${above} is a folder in one version but not in the other`;
      clear.add(above);
    }
  }
  return null;
}

/** The bytes above a name that is not UTF-8 may well be. */
function keyAbove(path: string, end: number): string {
  const above = path.slice(0, end);
  return above.startsWith("//") ? pathKey(pathBytes(above)) : above;
}

function sourceOf(
  { repo, origin, blobs }: CopyRequest,
  path: string,
  entry: ContentEntry,
  from: CopyEntry["from"],
): Source {
  if (from === "git" && blobs !== null) return { path: Buffer.from(join(blobs, entry.digest)), isBlob: true };
  return origin !== null && from === "origin"
    ? { path: Buffer.from(origin.blobPath(entry.digest)), isBlob: true }
    : { path: bytesIn(repo, path), isBlob: false };
}

function renderLost(path: string, from: CopyEntry["from"]): string {
  return from === "repo" ? `${path} changed while it was copied` : `the copy of ${path} is gone or damaged`;
}
