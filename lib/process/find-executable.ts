import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { orElse } from "../text/attempt.ts";

/** With a slash relative to `cwd`, else from PATH. Null if there is no executable regular file. */
export function findExecutable(word: string, cwd: string, pathVariable: string): string | null {
  if (word === "") return null;
  if (word.includes("/")) return executableOrNull(resolve(cwd, word));
  for (const folder of pathVariable.split(delimiter)) {
    // An empty entry means the current folder: POSIX, section 8.3.
    const found = executableOrNull(resolve(cwd, folder, word));
    if (found !== null) return found;
  }
  return null;
}

/** If `findExecutable` finds nothing: the first entry of that name that is no executable regular file. */
export function findUnusable(word: string, cwd: string, pathVariable: string): string | null {
  if (word === "") return null;
  const places = word.includes("/")
    ? [word]
    : pathVariable.split(delimiter).map((folder) => resolve(cwd, folder, word));
  return places.map((place) => resolve(cwd, place)).find((place) => existsSync(place)) ?? null;
}

function executableOrNull(path: string): string | null {
  return orElse(() => {
    if (!statSync(path).isFile()) return null;
    accessSync(path, constants.X_OK);
    return path;
  }, null);
}
