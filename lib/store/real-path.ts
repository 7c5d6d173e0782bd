import { realpathSync } from "node:fs";

/** The path with no link in it; null if it leads nowhere that can be seen. */
export function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** The same, or the path itself if it leads nowhere. */
export function realOr(path: string): string {
  return realOrNull(path) ?? path;
}
