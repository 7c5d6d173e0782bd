import { join } from "node:path";
import type { Finding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readState } from "./read-state.ts";
import { taskFiles } from "./task-files.ts";

export interface LostState {
  /** Null: the file was removed. */
  readonly bytes: Buffer | null;
  /** Why it counts as a refused edit, for people. */
  readonly reason: string;
  readonly findings: readonly Finding[];
}

/**
 * A STATE.md that is gone or cannot be read, in whose place the last accepted one is put back. Null if it can be read,
 * or only a person can go on: an unfinished merge, or what is no regular file.
 */
export function findLostState(taskDir: string): LostState | null {
  const path = join(taskDir, taskFiles.state.name);
  const found = readRegularFile(path, taskFiles.state.maxBytes);
  if (found.kind === "missing") return { bytes: null, reason: "it was removed", findings: [] };
  const read = found.kind === "file" ? readState(found.bytes, path) : null;
  if (found.kind !== "file" || read?.kind !== "unreadable") return null;
  const { findings } = read;
  const [first] = findings;
  if (first === undefined || first.code === "TP_MERGE") return null;
  const where = first.line === null ? "" : `line ${first.line}: `;
  return { bytes: found.bytes, reason: `it cannot be read (${where}${first.message})`, findings };
}
