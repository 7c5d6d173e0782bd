import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { statEntry } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { escapePattern } from "../../text/escape-pattern.ts";

/**
 * The environment in which a check runs in a copy: every path of the repo, as in a list such as PATH, leads to the
 * copy. Temporary files go to `temporary`, so that what an earlier run left in /tmp proves nothing; null: that is not in /tmp.
 */
export function copyEnvironment(
  env: Readonly<Record<string, string>>,
  repo: string,
  copy: string,
  temporary: string | null,
): Record<string, string> {
  const mapped = Object.entries(env).map(([name, value]): [string, string] => [name, toCopy(value, repo, copy)]);
  return {
    ...Object.fromEntries(mapped),
    ...(temporary === null ? {} : { TMPDIR: temporary, TMP: temporary, TEMP: temporary }),
    // No repository above the copy is the one that a check asks git about.
    GIT_CEILING_DIRECTORIES: dirname(copy),
  };
}

/**
 * A word of a command, or a value of the environment: each absolute path of the repo in it is that of the copy, as in
 * `--config=/repo/a.json`, `-I/repo/include` and `cd /repo && make`.
 */
export function toCopy(word: string, repo: string, copy: string): string {
  const whole = new RegExp(
    `(^|[^\\w./~-]|^-[A-Za-z]|file://)${escapePattern(repo)}(?=$|[^\\w.-]|\\.(?:$|[^\\w.]))`,
    "g",
  );
  return word.replace(whole, (_found, before: string) => before + copy);
}

/** By these files a virtual environment finds the code that it was installed for, and its own programs. */
const leadingBack =
  /(?:^|\/)(?:pyvenv\.cfg|direct_url\.json|[^/]+\.(?:pth|egg-link)|__editable__[^/]*\.py|(?:bin|Scripts)\/[^/]+)$/;
const mostRewritten = 1024 * 1024;

/**
 * A path of the repo in a file of a virtual environment becomes the copy's, or checks would run the work in the repo.
 * `path` is the file's in the repo, `to` the copied file. Throws what the disk throws.
 */
export function leadIntoCopy(path: Buffer, to: Buffer, repo: Buffer, copy: Buffer): void {
  if (!leadingBack.test(path.toString("latin1"))) return;
  const read = readRegularFile(to, mostRewritten);
  const mode = statEntry(to)?.mode;
  if (read.kind !== "file" || mode === undefined || !read.bytes.includes(repo)) return;
  const text = toCopy(read.bytes.toString("latin1"), repo.toString("latin1"), copy.toString("latin1"));
  // The file may be read-only.
  rmSync(to);
  writeFileSync(to, Buffer.from(text, "latin1"), { mode: mode & 0o777, flag: "wx" });
}
