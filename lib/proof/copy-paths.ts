import { dirname } from "node:path";

/**
 * The environment in which a check runs in a copy: every path of the repo, as in a list such as PATH, leads to the
 * copy. Temporary files go to a folder of the copy's own, so that what an earlier run left in /tmp
 * proves nothing.
 */
export function copyEnvironment(
  env: Readonly<Record<string, string>>,
  repo: string,
  copy: string,
  temporary: string,
): Record<string, string> {
  const mapped = Object.entries(env).map(([name, value]): [string, string] => [name, toCopy(value, repo, copy)]);
  return {
    ...Object.fromEntries(mapped),
    ...{ TMPDIR: temporary, TMP: temporary, TEMP: temporary },
    // No repository above the copy is the one that a check asks git about.
    GIT_CEILING_DIRECTORIES: dirname(copy),
  };
}

/**
 * A word of a command, or a value of the environment: each absolute path of the repo in it is that of the copy, as in
 * `--config=/repo/a.json`, `-I/repo/include` and `cd /repo && make`.
 */
export function toCopy(word: string, repo: string, copy: string): string {
  const escaped = repo.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const whole = new RegExp(`(^|[^\\w./~-]|^-[A-Za-z]|file://)${escaped}(?=$|[^\\w.-]|\\.(?:$|[^\\w.]))`, "g");
  return word.replace(whole, (_found, before: string) => before + copy);
}
