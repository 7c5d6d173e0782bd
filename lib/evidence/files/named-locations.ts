import { basename } from "node:path";

/**
 * The paths under artifacts/ that an Evidence location names among other words: in links, in code marks, and bare. A
 * path that leads through the task's own folder counts from there. Without doubles, in their order.
 */
export function namedLocations(location: string, taskDir: string): string[] {
  const marked: string[] = [];
  const take = (path: string): string => {
    marked.push(path);
    return " ";
  };
  const bare = location
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/!?\[[^\]]*\]\(<?([^()<>]*)>?\)/g, (_, target: string) => take(decode(target)))
    .replace(/(`+)([^`]+)\1/g, (_, __: string, path: string) => take(path));
  const words = bare.split(/[\s,;|]+/).map((word) => word.replace(/^[<("'“*_[+-]+|[>)"'”*_\].,;:!?]+$/g, ""));
  const paths = [...marked, ...words].map((path) => fromTask(path.trim(), taskDir));
  return [...new Set(paths.filter((path) => /^artifacts(?:\/|$)/.test(path)))];
}

function fromTask(path: string, taskDir: string): string {
  const own = `${basename(taskDir)}/`;
  const at = path.startsWith("/") ? (path.startsWith(`${taskDir}/`) ? taskDir.length + 1 : 0) : path.indexOf(own);
  const inTask = path.startsWith("/")
    ? path.slice(at)
    : at >= 0 && startsName(path, at)
      ? path.slice(at + own.length)
      : path;
  return inTask.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function startsName(path: string, at: number): boolean {
  return at === 0 || path[at - 1] === "/";
}

/** The target of a Markdown link as a path. */
export function decode(address: string): string {
  try {
    return decodeURIComponent(address.trim());
  } catch {
    return address;
  }
}
