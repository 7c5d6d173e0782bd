import { statEntry } from "../../store/folder.ts";
import { type ChangedFile, changedLines } from "../wrong/changed-lines.ts";

/** What every machine has, or a package manager puts there. */
const ofTheSystem =
  /^\/(?:usr|bin|sbin|lib\w*|etc|proc|sys|opt|nix|snap|run|dev(?!\/shm\/)|var(?!\/(?:tmp|folders)\/)|System|Library|Applications)(?:\/|$)/;
/** Written for people, or by programs: nothing runs by what is in it. */
const forPeople = /\.(?:mdx?|rst|adoc|html?|log|txt|svg)$/;
const absolute = /(?<![\w.~/-])(?:file:\/\/)?(\/(?:[\w.@+~%-]+\/)*[\w.@+~%-]+)/g;
const longestLine = 10_000;
const mostNamed = 3;

/**
 * New lines that name a path of this machine outside the repo, or the repo itself by its full path: a clean copy finds
 * it as the repo does, and a colleague does not. `isSeen`: whether a check in a copy can open a path. For example
 * `src/a.mjs:3 names /home/ada/parts`; at most 3.
 */
export function findOutsidePaths(
  repo: string,
  files: readonly ChangedFile[],
  isSeen: (path: string) => boolean,
): string[] {
  const found: string[] = [];
  for (const { path, text, before } of files) {
    if (forPeople.test(path) || !text.includes("/")) continue;
    const lines = text.split("\n");
    for (const number of changedLines(before, text)) {
      const line = lines[number - 1] ?? "";
      const named = line.length > longestLine ? undefined : namedIn(line, repo).find((one) => isSeen(one));
      if (named !== undefined) found.push(`${path}:${number} names ${named}`);
      if (found.length === mostNamed) return found;
    }
  }
  return found;
}

function namedIn(line: string, repo: string): string[] {
  const words = [...line.matchAll(absolute)].map(([, word = ""]) => word.replace(/\.+$/, ""));
  const outside = words.filter((word) => !ofTheSystem.test(word) && word.includes("/", 1) && statEntry(word) !== null);
  return line.includes(repo) ? [repo, ...outside] : outside;
}
