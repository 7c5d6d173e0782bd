import { join } from "node:path";
import { keepFirst } from "../report/keep-first.ts";
import { lookAt, makeFolder, neverSynced } from "../store/folder.ts";
import { type GitAnswer, type GitOptions, gitError, gitTimeoutMs, maxOutputBytes, withoutGit } from "./answer.ts";
import type { GitPlace } from "./place.ts";
import { openPlainPlace } from "./plain-place.ts";
import { startGit } from "./start-git.ts";

export { splitNul } from "./answer.ts";

/**
 * Runs git on exactly this repository and working tree, by the rule of `openPlainPlace`: no program that the
 * repository names, no protocol, no question. Throws TP_GIT if git is missing or ends with a code that is not in
 * `accept`.
 */
export async function runGit(place: GitPlace, args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  if (writesRefs.has(args[0] ?? "")) makeLogs(place);
  const plain = await openPlainPlace(place, options.env, options.contents);
  const run = async (): Promise<GitAnswer> => {
    const settings = [...(options.durable === true ? [durableSetting] : []), ...(options.extra ?? [])];
    const extra = settings.flatMap((setting) => ["-c", setting]);
    const end = await startGit({
      args: [...plain.args, ...extra, ...args],
      cwd: options.cwd,
      env: { ...withoutGit(options.env), ...plain.variables, ...options.variables },
      timeoutMs: gitTimeoutMs,
      maxBytes: maxOutputBytes,
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    if (end.exitCode !== null && (options.accept ?? [0]).includes(end.exitCode)) {
      return { exitCode: end.exitCode, stdout: end.stdout };
    }
    throw gitError(place, args, end);
  };
  return await keepFirst(run, () => plain.close());
}

/** Else a power cut can leave a branch that names nothing, and with it a task that is done and not there. */
const durableSetting = "core.fsync=committed,reference,index";

const writesRefs = new Set(["update-ref", "symbolic-ref"]);

/** The log of a ref would otherwise begin in the runner's own folder, and be lost with it. */
function makeLogs({ commonDir }: GitPlace): void {
  const logs = join(commonDir, "logs");
  if (lookAt(logs) === null) makeFolder(logs, 0o777, neverSynced);
}
