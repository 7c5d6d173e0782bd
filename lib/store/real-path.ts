import { realpathSync } from "node:fs";
import { passMachineFault } from "./error-code.ts";

/** The path with no link in it; null if it points to nothing that can be seen. */
export function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    passMachineFault(error);
    return null;
  }
}

/** The same, or the path itself if it points to nothing. */
export function realOr(path: string): string {
  return realOrNull(path) ?? path;
}
