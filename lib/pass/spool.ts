import { readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { makeFolder, putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { Redactor } from "../text/redact.ts";
import type { Anchor } from "./anchor.ts";

/** Kept copies of an agent's files are cut here; logs are capped where they are captured. */
const maxKeptBytes = 17 * 1024 * 1024;

/**
 * Moves what the runner captured while processes were alive from the spool to the folder of the pass, once nothing is
 * left that could change it. Copies of an agent's own files are redacted on the way.
 */
export function moveSpool(anchor: Anchor, folder: string, redactor: Redactor): string[] {
  const moved: string[] = [];
  for (const path of listFiles(anchor.spool)) {
    const inside = relative(anchor.spool, path);
    const target = join(folder, inside);
    makeFolder(join(target, ".."));
    putFile(target, cleanBytes(path, redactor));
    rmSync(path);
    moved.push(inside);
  }
  return moved;
}

function cleanBytes(path: string, redactor: Redactor): Buffer {
  const read = readRegularFile(path, maxKeptBytes);
  if (read.kind === "too_big") return Buffer.from(`[task-phase: not kept, ${read.size} bytes]\n`);
  if (read.kind !== "file") return Buffer.from(`[task-phase: not kept, ${read.kind}]\n`);
  // Byte for byte, so that a binary file stays what it is where it holds nothing secret.
  return Buffer.from(redactor.redact(read.bytes.toString("latin1")), "latin1");
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}
