import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { encodeSegment } from "../../templates/relative-href.ts";
import { showHidden } from "../../templates/visible.ts";

/** One regular file under artifacts/. */
export interface ArtifactRow {
  /** Relative to the task folder, with `/`; hidden characters and bytes that are no UTF-8 are spelled out. */
  readonly path: string;
  /** The same as an address relative to the task folder, percent-encoded from the bytes of the name. */
  readonly href: string;
  readonly size: number;
  readonly sha256: string;
  readonly kind: "agent" | "runner";
}

/** Rewritten with every verdict, so a digest of them would be wrong at once. They are never listed. */
const living = new Set([
  "artifacts/journal.jsonl",
  "artifacts/checkpoint.json",
  "artifacts/evidence.html",
  "artifacts/status.md",
]);

/** Leftovers of a runner that was killed while writing one of them. */
const debris = /^artifacts\/\.tp-[0-9a-f]{16}\.tmp$/;

/** True for a path, relative to the task folder, that a task-phase command writes. */
export function runnerArtifact(path: string): boolean {
  return living.has(path) || debris.test(path) || path === "artifacts/passes" || path.startsWith("artifacts/passes/");
}

/**
 * The regular files under artifacts/, sorted by path, each with its size and digest. Links, FIFOs and sockets are never
 * followed or opened, and are left out, as is a file that vanishes or cannot be read meanwhile. `agent` leaves out what
 * the runner wrote, and does not read it.
 */
export function listArtifacts(taskDir: string, which: "agent" | "all" = "all"): ArtifactRow[] {
  const rows: ArtifactRow[] = [];
  walk(Buffer.from(taskDir), [Buffer.from("artifacts")], which, rows);
  return rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function walk(taskDir: Buffer, names: readonly Buffer[], which: "agent" | "all", rows: ArtifactRow[]): void {
  const folder = join([taskDir, ...names]);
  for (const entry of readFolder(folder)) {
    const inner = [...names, entry.name];
    const path = inner.map(showName).join("/");
    const isRunners = runnerArtifact(path);
    if (living.has(path) || debris.test(path) || (isRunners && which === "agent")) continue;
    if (entry.isDirectory()) walk(taskDir, inner, which, rows);
    if (!entry.isFile()) continue;
    const digest = hashFile(join([folder, entry.name]));
    if (digest === null) continue;
    rows.push({ path, href: inner.map(encodeSegment).join("/"), ...digest, kind: isRunners ? "runner" : "agent" });
  }
}

function readFolder(folder: Buffer): Dirent<Buffer>[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch {
    return [];
  }
}

/** Reads in pieces, since an artifact may be larger than memory. */
function hashFile(path: Buffer): { size: number; sha256: string } | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) return null;
    const hash = createHash("sha256");
    const piece = Buffer.allocUnsafe(256 * 1024);
    let size = 0;
    for (;;) {
      const count = readSync(descriptor, piece, 0, piece.length, null);
      if (count === 0) return { size, sha256: hash.digest("hex") };
      hash.update(piece.subarray(0, count));
      size += count;
    }
  } catch {
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function showName(name: Buffer): string {
  if (isUtf8(name))
    return showHidden(name.toString("utf8")).replace(/[\n\t]/g, (character) =>
      character === "\n" ? "\\x0a" : "\\x09",
    );
  return showHidden(name.toString("latin1")).replace(
    /[\u00a0-\u00ff]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16)}`,
  );
}

function join(parts: readonly Buffer[]): Buffer {
  const slash = Buffer.from("/");
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [slash, part])));
}
