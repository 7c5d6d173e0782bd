import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { GitPlace } from "./place.ts";

/** The working tree that has a branch, a full ref name, checked out; null: none has. Starts no process. */
export function checkedOutIn({ top, commonDir }: GitPlace, ref: string): string | null {
  const isOn = (gitDir: string) => readText(join(gitDir, "HEAD")) === `ref: ${ref}`;
  if (isOn(commonDir)) return dirname(commonDir) === top ? top : commonDir;
  const linked = listNames(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));
  const found = linked.find(isOn);
  if (found === undefined) return null;
  const marker = readText(join(found, "gitdir"));
  return marker === null ? found : dirname(marker);
}

function readText(path: string): string | null {
  const read = readRegularFile(path, 64 * 1024);
  return read.kind === "file" ? read.bytes.toString("utf8").trim() : null;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
