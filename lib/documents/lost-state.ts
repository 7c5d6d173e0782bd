import { join } from "node:path";
import { readRegularFile } from "../store/read-file.ts";
import type { Finding } from "../text/finding.ts";
import { readState } from "./read-state.ts";
import { taskFiles } from "./read-task-file.ts";

export interface LostState {
  /** Null: there is no file, or it cannot be kept as one. */
  readonly bytes: Buffer | null;
  /** Something else has its name, and has to go from there. */
  readonly isReplaced: boolean;
  /** Why it counts as a refused edit, for people. */
  readonly reason: string;
  readonly findings: readonly Finding[];
}

/**
 * A STATE.md that is gone, replaced or not to be read, in whose place the last accepted one is put back. Null if it can be
 * read, or only a person can go on: an unfinished merge, or missing rights.
 */
export function findLostState(taskDir: string): LostState | null {
  const path = join(taskDir, taskFiles.state.name);
  const found = readRegularFile(path, taskFiles.state.maxBytes);
  if (found.kind === "missing") return { bytes: null, isReplaced: false, reason: "it was removed", findings: [] };
  if (found.kind === "unreadable") return null;
  if (found.kind !== "file")
    return { bytes: null, isReplaced: true, reason: `it was replaced by ${others[found.kind]}`, findings: [] };
  const read = readState(found.bytes, path);
  if (read.kind !== "unreadable") return null;
  const { findings } = read;
  const [first] = findings;
  if (first === undefined || first.code === "TP_MERGE") return null;
  const where = first.line === null ? "" : `line ${first.line}: `;
  return { bytes: found.bytes, isReplaced: false, reason: `it cannot be read (${where}${first.message})`, findings };
}

const others = {
  link: "a symbolic link",
  folder: "a folder",
  special: "a FIFO, socket or device",
  too_big: "a file that is too large for it",
} as const;
