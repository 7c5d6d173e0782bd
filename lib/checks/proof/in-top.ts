import { posix, relative, sep } from "node:path";
import { joinBytes, pathBytes, pathKey } from "../../store/path-key.ts";

/** Where the repo is in the work tree of git that holds it: a copy is made of all of that. */
export interface InTop {
  /** The repo's folder from the top; empty if it is the top. */
  readonly inside: string;
  /** From a path of the repo, such as `../shared/a.js`, to one of the work tree. */
  fromRepo(path: string): string;
  /** And back. */
  toRepo(path: string): string;
}

export function inTop(repo: string, top: string): InTop {
  const inside = relative(top, repo).split(sep).join("/");
  const folder = Buffer.from(inside);
  if (inside === "") return { inside, fromRepo: (path) => path, toRepo: (path) => path };
  return {
    inside,
    fromRepo: (path) =>
      path.startsWith("//") ? pathKey(joinBytes(folder, pathBytes(path))) : posix.join(inside, path),
    toRepo: (path) =>
      path.startsWith("//") ? pathKey(pathBytes(path).subarray(folder.length + 1)) : posix.relative(inside, path),
  };
}
