import { machineError } from "../process/no-room.ts";
import { storeError } from "../store/error-code.ts";
import { configError, diskError } from "../text/errors.ts";
import { shorten } from "../text/shorten.ts";
import type { GitPlace } from "./place.ts";

/** Bounds a call that blocks on a pipe in place of a file. */
export const gitTimeoutMs = 120_000;
export const maxOutputBytes = 1 << 29;

export interface GitOptions {
  /** Default: the top of the working tree. */
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly accept?: readonly number[];
  readonly input?: Buffer;
  readonly extra?: readonly string[];
  /** Git has synced what it wrote when it ends; a git before 2.36 cannot. */
  readonly durable?: boolean;
  /** "loose": without the index and the commits, as in `openPlainPlace`. */
  readonly contents?: "recorded" | "loose";
  readonly variables?: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
}

/** Keeps `GIT_…` variables of the caller's environment from pointing git at another repository, index or program. */
export function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_")));
}

/** System messages, in English, that mean a failing machine; the first match counts. */
const machineWords: readonly (readonly [RegExp, string])[] = [
  // Git says the second of a write that ended early.
  [/No space left on device|Out of diskspace/, "ENOSPC"],
  [/[Dd]isk quota exceeded/, "EDQUOT"],
  [/Input\/output error/, "EIO"],
  [/Read-only file system/, "EROFS"],
  [/Too many open files in system|\bENFILE\b/, "ENFILE"],
  [/Too many open files|\bEMFILE\b/, "EMFILE"],
  [/Cannot allocate memory|Out of memory|out of memory|\bENOMEM\b/, "ENOMEM"],
  [/Stale file handle/, "ESTALE"],
  [/File too large/, "EFBIG"],
  [/Resource temporarily unavailable|\bEAGAIN\b/, "EAGAIN"],
];

/** TP_GIT; TP_DISK if the machine failed; TP_GIT_OLD. `written`: where git writes, which may be on another disk. */
export function gitError(
  place: GitPlace,
  args: readonly string[],
  end: { readonly exitCode: number | null; readonly said: string },
  written = place.top,
): Error {
  const why =
    end.said === "" ? `it ended with ${end.exitCode ?? "a signal"}` : shorten(end.said.replace(/\s*\n\s*/g, " "), 200);
  const code = machineWords.find(([words]) => words.test(end.said))?.[1];
  if (code !== undefined) {
    const cause = Object.assign(new Error(end.said), { code });
    const full = code === "EAGAIN" ? machineError(`git ${args[0] ?? ""} failed in ${place.top}`, cause) : null;
    return full ?? storeError(`run git ${args[0] ?? ""} in`, written, cause);
  }
  if (end.said.startsWith("git is not on the PATH"))
    return diskError("TP_GIT", `this is a git repository, and ${end.said}`, {
      file: place.top,
      fix: "install git, or put its folder on PATH",
    });
  // How to call the one that git had before.
  if (args[0] === "merge-tree" && end.exitCode === 129) {
    const old = `this git is older than ${mergingGit}, and cannot merge two branches without a working tree`;
    const fix = `install git ${mergingGit} or newer, then run it again; git --version says which one is on PATH`;
    return configError("TP_GIT_OLD", old, { fix });
  }
  const message = `git ${args[0] ?? ""} failed in the repository at ${place.top}: ${why}`;
  return diskError("TP_GIT", message, { file: place.gitDir, fix: "make sure that git status works there" });
}

/** Where what was done holds, whatever git says. */
export const seeStatus = "make sure that git status works there; the next run tries again";

/** The first git that merges two branches without a working tree. */
export const mergingGit = "2.38";

/** One text a line, for the standard input of git. */
export function joinLines(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(""));
}

export function splitNul(list: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let end = list.indexOf(0); end >= 0; end = list.indexOf(0, at)) {
    if (end > at) parts.push(list.subarray(at, end));
    at = end + 1;
  }
  return parts;
}
