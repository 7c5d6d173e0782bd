import { diskError } from "../report/errors.ts";
import { shorten } from "../text/shorten.ts";
import type { GitPlace } from "./place.ts";

/** The person's own choice of configuration files; every other `GIT_…` variable could lead git elsewhere. */
const keptVariables = new Set(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]);

/**
 * A pass may have written `.git/config`. None of these may run a program, hide a file or make git ask, so the
 * command line decides them.
 */
const settings = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.quotepath=off",
  "core.ignoreCase=false",
  "core.sshCommand=false",
  "core.askPass=",
  "credential.helper=",
  "submodule.recurse=false",
  "status.submoduleSummary=false",
  "protocol.allow=never",
  "advice.detachedHead=false",
];

/** A pipe in the place of a file that git reads would hold it for ever. */
const timeoutMs = 120_000;

export interface GitEnd {
  readonly exitCode: number;
  readonly stdout: Buffer;
}

/**
 * Runs git on exactly this repository and working tree, with hooks, fsmonitor and prompts off, from `cwd` (which
 * must be in the working tree). Throws TP_GIT where git is missing or ends with a code that is not in `accept`.
 */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  options: {
    cwd: string;
    env: NodeJS.ProcessEnv;
    accept?: readonly number[];
    input?: Buffer;
    extra?: readonly string[];
    /** `GIT_…` variables that the caller sets itself, such as an index of its own. */
    variables?: Readonly<Record<string, string>>;
  },
): Promise<GitEnd> {
  // 100 ms to import: only where a process is really started.
  const { execa } = await import("execa");
  const argv = gitArguments(place, args, options.extra);
  const end = await execa("git", argv, {
    cwd: options.cwd,
    env: { ...gitEnvironment(options.env), ...options.variables },
    extendEnv: false,
    encoding: "buffer",
    stripFinalNewline: false,
    reject: false,
    timeout: timeoutMs,
    maxBuffer: 1 << 29,
    ...(options.input === undefined ? { stdin: "ignore" as const } : { input: options.input }),
  });
  if (end.exitCode !== undefined && (options.accept ?? [0]).includes(end.exitCode)) {
    return { exitCode: end.exitCode, stdout: Buffer.from(end.stdout) };
  }
  throw gitError(place, args, end);
}

/** The words after `git` that keep it to this repository, with every program that it could run switched off. */
export function gitArguments(place: GitPlace, args: readonly string[], extra: readonly string[] = []): string[] {
  const chosen = [...settings, ...extra].flatMap((setting) => ["-c", setting]);
  return [`--git-dir=${place.gitDir}`, `--work-tree=${place.top}`, ...chosen, ...args];
}

export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || keptVariables.has(name));
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
}

/** What git said, as an error that names the repository. */
export function gitError(
  place: GitPlace,
  args: readonly string[],
  end: { timedOut: boolean; code?: string | undefined; stderr: Uint8Array; exitCode?: number | undefined },
): Error {
  const said = Buffer.from(end.stderr ?? [])
    .toString("utf8")
    .trim();
  const why = end.timedOut
    ? `it did not end within ${timeoutMs / 1000} s`
    : end.code === "ENOENT"
      ? "git is not there"
      : said === ""
        ? `it ended with ${end.exitCode ?? "a signal"}`
        : shorten(said, 200);
  const message = `git ${args[0] ?? ""} cannot read the repository at ${place.top}: ${why}`;
  return diskError("TP_GIT", message, { file: place.gitDir, fix: "see that git status works there" });
}

/** The parts of a list that git ends with NUL each. */
export function splitNul(list: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let end = list.indexOf(0); end >= 0; end = list.indexOf(0, at)) {
    if (end > at) parts.push(list.subarray(at, end));
    at = end + 1;
  }
  return parts;
}
