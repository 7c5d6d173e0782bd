import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import {
  type GitAnswer,
  type GitOptions,
  gitError,
  gitTimeoutMs,
  maxOutputBytes,
  splitNul,
  withoutGit,
} from "./git-answer.ts";
import type { GitPlace } from "./place.ts";
import { startGit } from "./start-git.ts";

export type GitSetting = readonly [key: string, value: string];

/** Settings by who could have written them. Later values win. */
export interface GitSettings {
  /** System and user files, with conditional includes that match here. */
  readonly own: readonly GitSetting[];
  /** `.git/config` and its includes, which a pass may have written. */
  readonly repo: readonly GitSetting[];
}

/** Runs nothing. Throws TP_GIT. */
export async function readSettings(place: GitPlace, env: NodeJS.ProcessEnv): Promise<GitSettings> {
  const { stdout } = await runInRepository(place, ["config", "-z", "--show-scope", "--list"], env);
  const own: GitSetting[] = [];
  const repo: GitSetting[] = [];
  const parts = splitNul(stdout).map(String);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const list = listOf(parts[at] ?? "", own, repo);
    const entry = parts[at + 1] ?? "";
    const end = entry.indexOf("\n");
    // A key without a value is a true switch.
    list?.push(end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)]);
  }
  return { own, repo };
}

function listOf(scope: string, own: GitSetting[], repo: GitSetting[]): GitSetting[] | null {
  if (scope === "system" || scope === "global") return own;
  return scope === "command" ? null : repo;
}

export async function writeSetting(place: GitPlace, key: string, value: string, env: NodeJS.ProcessEnv): Promise<void> {
  await runInRepository(place, ["config", "--local", key, value], env);
}

/** The effective value. Section and variable are in lower case. */
export function settingOf({ own, repo }: GitSettings, key: string): string | null {
  return [...own, ...repo].findLast(([name]) => name === key)?.[1] ?? null;
}

/** The path that a setting names, from the top of the working tree and with `~/` as the home folder; null if it is not set. */
export function settingPath(
  place: GitPlace,
  settings: GitSettings,
  key: string,
  env: NodeJS.ProcessEnv,
): string | null {
  const value = settingOf(settings, key);
  if (value === null) return null;
  return resolve(place.top, value.startsWith("~/") ? join(env.HOME ?? homedir(), value.slice(2)) : value);
}

export function filterNames({ own, repo }: GitSettings): Set<string> {
  const names = new Set<string>();
  for (const [key, value] of [...own, ...repo]) {
    const name = /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1];
    if (name !== undefined && value !== "") names.add(name);
  }
  return names;
}

/** As environment variables, which other users cannot read, unlike a command line. */
export function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

const fallback = { NAME: "task-phase", EMAIL: "task-phase@localhost" };

/**
 * Author and committer from the environment, else the person's settings, which the runner's git does not read; else
 * `task-phase <task-phase@localhost>`. Git alone would invent one from the host name.
 */
export function identityVariables(settings: GitSettings, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.assign({}, ...(["AUTHOR", "COMMITTER"] as const).map((role) => variablesOf(role, settings, env)));
}

function variablesOf(role: "AUTHOR" | "COMMITTER", settings: GitSettings, env: NodeJS.ProcessEnv): object {
  const known = (["NAME", "EMAIL"] as const).map((part) => {
    const keys = [`${role}.${part}`, `user.${part}`].map((key) => settingOf(settings, key.toLowerCase()));
    const general = part === "EMAIL" ? [env.EMAIL] : [];
    const value = [env[`GIT_${role}_${part}`], ...keys, ...general].find((text) => (text ?? "").trim() !== "");
    return [`GIT_${role}_${part}`, value ?? null] as const;
  });
  if (known.every(([, value]) => value !== null)) return Object.fromEntries(known);
  return { [`GIT_${role}_NAME`]: fallback.NAME, [`GIT_${role}_EMAIL`]: fallback.EMAIL };
}

const keptVariables = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/**
 * Three commands need the repository's own common folder: `config` reads and writes its settings, `for-each-ref` knows
 * the other working trees, and `check-attr` all rules of a person's git. None runs a hook, filter or helper. Everything
 * else uses `runGit`. Throws TP_GIT.
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
  // It would block git.
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
