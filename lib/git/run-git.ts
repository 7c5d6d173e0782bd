import { join } from "node:path";
import { makeFolder, neverSynced, statEntry } from "../store/folder.ts";
import { hasCode, runWithCleanUp, type TaskPhaseError } from "../text/errors.ts";
import { type GitAnswer, type GitOptions, gitError, gitTimeoutMs, maxOutputBytes, withoutGit } from "./git-answer.ts";
import type { GitPlace } from "./place.ts";
import { openPlainPlace } from "./plain-place.ts";
import { startGit } from "./start-git.ts";

export { splitNul } from "./git-answer.ts";

/**
 * Runs git on exactly this repository and working tree, by the rule of `openPlainPlace`: no program of the repository,
 * no protocol, no prompt. Throws TP_GIT if git is missing or its exit code is not in `accept`.
 */
export async function runGit(place: GitPlace, args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  const logs = join(place.commonDir, "logs");
  // Otherwise a ref's first log would land in the runner's folder and be lost.
  if (["update-ref", "symbolic-ref"].includes(args[0] ?? "") && statEntry(logs) === null)
    makeFolder(logs, 0o777, neverSynced);
  const plain = await openPlainPlace(place, options.env, options.contents);
  const run = async (): Promise<GitAnswer> => {
    const settings = [...(options.durable === true ? [durableSetting] : []), ...(options.extra ?? [])];
    const extra = settings.flatMap((setting) => ["-c", setting]);
    const end = await startGit({
      args: [...plain.args, ...extra, ...args],
      cwd: options.cwd ?? place.top,
      env: { ...withoutGit(options.env), ...plain.variables, ...options.variables },
      timeoutMs: gitTimeoutMs,
      maxBytes: maxOutputBytes,
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    if (end.exitCode !== null && (options.accept ?? [0]).includes(end.exitCode)) {
      return { exitCode: end.exitCode, stdout: end.stdout };
    }
    const { GIT_INDEX_FILE: index, GIT_OBJECT_DIRECTORY: objects = index } = options.variables ?? {};
    throw gitError(place, args, end, objects);
  };
  return await runWithCleanUp(run, () => plain.close());
}

/** Otherwise a power cut can leave a branch that names nothing. */
export const durableSetting = "core.fsync=committed,reference,index";

type Looked<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "unreadable"; readonly error: TaskPhaseError };

/**
 * Tries again if git cannot read the repository, which another git may be changing, or memory was short. A second
 * failure is a fact about the repository; other errors pass through.
 */
export async function twiceIfGitFails<Value>(look: () => Promise<Value>): Promise<Looked<Value>> {
  for (let first = true; ; first = false) {
    try {
      return { kind: "done", value: await look() };
    } catch (error) {
      if (!hasCode(error, "TP_GIT")) throw error;
      if (!first) return { kind: "unreadable", error };
    }
  }
}
