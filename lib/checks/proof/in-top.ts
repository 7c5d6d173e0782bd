import { posix, relative, sep } from "node:path";
import { joinBytes, pathBytes, pathKey } from "../../store/path-key.ts";

/**
 * Where the repo is in its work tree of git, all of which is copied: `inside` is the repo's folder from
 * the top, empty if it is the top; paths of the repo, such as `../shared/a.js`, become those of the work tree, and back.
 */
export function inTop(repo: string, top: string) {
  const inside = relative(top, repo).split(sep).join("/");
  const folder = Buffer.from(inside);
  if (inside === "") return { inside, fromRepo: (path: string) => path, toRepo: (path: string) => path };
  return {
    inside,
    fromRepo: (path: string) =>
      path.startsWith("//") ? pathKey(joinBytes(folder, pathBytes(path))) : posix.join(inside, path),
    toRepo: (path: string) =>
      path.startsWith("//") ? pathKey(pathBytes(path).subarray(folder.length + 1)) : posix.relative(inside, path),
  };
}
