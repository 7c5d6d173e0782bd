import { sep } from "node:path";

/**
 * The environment in which a check runs in a copy: every path of the repo in a list such as PATH, and the variables that
 * are one, lead to the copy. Temporary files go to a folder of the copy's own, so that what an earlier run left in /tmp
 * proves nothing.
 */
export function copyEnvironment(
  env: Readonly<Record<string, string>>,
  repo: string,
  copy: string,
  temporary: string,
): Record<string, string> {
  const mapped = Object.entries(env).map(([name, value]): [string, string] => [
    name,
    value
      .split(":")
      .map((part) => toCopy(part, repo, copy))
      .join(":"),
  ]);
  return { ...Object.fromEntries(mapped), TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}

/** A word of a command: an absolute path of the repo is that of the copy. */
export function toCopy(word: string, repo: string, copy: string): string {
  if (word === repo) return copy;
  return word.startsWith(repo + sep) ? copy + word.slice(repo.length) : word;
}
