import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { readText } from "../store/read-file.ts";
import type { GitPlace } from "./place.ts";

const mostBytes = 64 * 1024;

/** The working tree that has a branch, a full ref name, checked out; null: none has. Starts no process. */
export function checkedOutIn({ top, commonDir }: GitPlace, ref: string): string | null {
  const isOn = (gitDir: string) => readText(join(gitDir, "HEAD"), mostBytes)?.trim() === `ref: ${ref}`;
  if (isOn(commonDir)) return dirname(commonDir) === top ? top : commonDir;
  const linked = listNames(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));
  const found = linked.find(isOn);
  if (found === undefined) return null;
  const marker = readText(join(found, "gitdir"), mostBytes)?.trim();
  return marker === undefined ? found : dirname(marker);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
