import { closeSync, readSync } from "node:fs";
import { errorCode } from "../../store/error-code.ts";
import { joinBytes } from "../../store/path-key.ts";
import { type OpenedFile, openRegularFile, readRegularFile } from "../../store/read-file.ts";
import { formatSize } from "../view/format.ts";

/** The part of a file that could be read, or why none could, in words that follow its name. */
export type PageRead<Value> = Value | { readonly problem: string };

/** The path on disk of an artifact, from its address: the bytes of its name, whatever they are. */
export function pathOfHref(taskDir: string, href: string): Buffer {
  const bytes = href.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return joinBytes(Buffer.from(taskDir), Buffer.from(bytes, "latin1"));
}

/** The whole of a regular file; links are not followed. */
export function readWhole(path: string | Buffer, maxBytes: number): PageRead<{ readonly bytes: Buffer }> {
  const read = readRegularFile(path, maxBytes);
  if (read.kind === "file") return { bytes: read.bytes };
  return { problem: read.kind === "too_big" ? `is too large to be shown (${formatSize(read.size)})` : problemOf(read) };
}

/** The first bytes of a regular file; null if it cannot be read. */
export function readStart(path: string | Buffer, count: number): Buffer | null {
  const opened = openRegularFile(path);
  if (opened.kind !== "open") return null;
  try {
    const bytes = Buffer.alloc(count);
    return bytes.subarray(0, readSync(opened.descriptor, bytes, 0, count, 0));
  } catch {
    return null;
  } finally {
    closeSync(opened.descriptor);
  }
}

const pieceBytes = 1 << 18;

/** The last `keep` bytes of a regular file of any size, where they begin in it, and how many lines are before them. */
export function readTail(
  path: string | Buffer,
  keep: number,
): PageRead<{
  readonly bytes: Buffer;
  readonly offset: number;
  readonly size: number;
  readonly linesBefore: number;
}> {
  const opened = openRegularFile(path);
  if (opened.kind !== "open") return { problem: problemOf(opened) };
  const piece = Buffer.allocUnsafe(pieceBytes);
  let kept = Buffer.alloc(0);
  let size = 0;
  let newlines = 0;
  try {
    for (;;) {
      const count = readSync(opened.descriptor, piece, 0, pieceBytes, null);
      if (count === 0) break;
      size += count;
      newlines += countNewlines(piece.subarray(0, count));
      const both = Buffer.concat([kept, piece.subarray(0, count)]);
      kept = Buffer.from(both.subarray(Math.max(0, both.length - keep)));
    }
  } catch (error) {
    return { problem: `cannot be read (${errorCode(error)})` };
  } finally {
    closeSync(opened.descriptor);
  }
  return { bytes: kept, offset: size - kept.length, size, linesBefore: newlines - countNewlines(kept) };
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

function problemOf(read: Exclude<OpenedFile, { kind: "open" }> | { kind: "file" | "too_big" }): string {
  const what: Readonly<Record<string, string>> = {
    missing: "no longer exists",
    link: "is a symbolic link, and not followed",
    folder: "is a folder",
    special: "is a FIFO, socket or device",
  };
  return what[read.kind] ?? `cannot be read (${"code" in read ? read.code : read.kind})`;
}
