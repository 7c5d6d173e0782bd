import { statSync } from "node:fs";
import { join } from "node:path";
import { type GitAnswer, type GitOptions, gitError, gitTimeoutMs, maxOutputBytes, withoutGit } from "./answer.ts";
import type { GitPlace } from "./place.ts";
import { startGit } from "./start-git.ts";

/** The person's own choice of settings files. */
const keptVariables = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/**
 * The three commands that must see the repository's own common folder: `config`, which reads and writes its settings,
 * `for-each-ref` of names, which knows the other working trees, and `check-attr`, which knows all rules that a person's
 * git would follow. None of them runs a hook, a filter or a helper. Everything else goes through `runGit`. Throws
 * TP_GIT.
 */
export async function runInRepository(
  place: GitPlace,
  args: readonly ["config" | "for-each-ref" | "check-attr", ...string[]],
  env: NodeJS.ProcessEnv,
  options: Pick<GitOptions, "input" | "variables"> = {},
): Promise<GitAnswer> {
  const odd = [
    join(place.commonDir, "config"),
    join(place.gitDir, "config.worktree"),
    join(place.commonDir, "info", "attributes"),
  ].find((file) => statSync(file, { throwIfNoEntry: false })?.isFIFO() === true);
  // It would hold git as long as it may run.
  if (odd !== undefined) throw gitError(place, args, { exitCode: null, said: `${odd} is a pipe` });
  const kept = Object.fromEntries(
    keptVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const end = await startGit({
    args: [`--git-dir=${place.gitDir}`, `--work-tree=${place.top}`, "-c", "core.fsmonitor=false", ...args],
    cwd: place.top,
    env: {
      ...withoutGit(env),
      ...kept,
      GIT_ALLOW_PROTOCOL: "none",
      GIT_NO_LAZY_FETCH: "1",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      GIT_PAGER: "cat",
      GIT_EDITOR: "false",
      LC_ALL: "C",
      ...options.variables,
    },
    ...(options.input === undefined ? {} : { input: options.input }),
    timeoutMs: gitTimeoutMs,
    maxBytes: maxOutputBytes,
  });
  if (end.exitCode === 0) return { exitCode: 0, stdout: end.stdout };
  throw gitError(place, args, end);
}
