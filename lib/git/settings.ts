import { isUtf8 } from "node:buffer";
import { diskError } from "../report/errors.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";

export type GitSetting = readonly [key: string, value: string];

/** What git's configuration says here, apart by who could have written it. Later values win. */
export interface GitSettings {
  /** The system's and the user's own files, conditional includes that match here among them. */
  readonly own: readonly GitSetting[];
  /** `.git/config` and what it includes: a pass may have written them. */
  readonly repo: readonly GitSetting[];
}

/** Reading settings runs nothing. Throws TP_GIT. */
export async function readSettings(place: GitPlace, env: NodeJS.ProcessEnv): Promise<GitSettings> {
  const args = ["config", "-z", "--show-scope", "--list"];
  const { stdout } = await runGit(place, args, { cwd: place.top, env });
  // A name that cannot be said back to git could not be switched off either.
  if (!isUtf8(stdout)) {
    throw diskError("TP_GIT", `the git settings of ${place.top} are not UTF-8`, {
      file: place.gitDir,
      fix: "look at git config --list --show-origin, and remove what is not text",
    });
  }
  const own: GitSetting[] = [];
  const repo: GitSetting[] = [];
  const parts = splitNul(stdout).map(String);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const list = listOf(parts[at] ?? "", own, repo);
    const entry = parts[at + 1] ?? "";
    const end = entry.indexOf("\n");
    // A key without a value is a switch that is on.
    list?.push(end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)]);
  }
  return { own, repo };
}

/** Null for what this program itself says on the command line. */
function listOf(scope: string, own: GitSetting[], repo: GitSetting[]): GitSetting[] | null {
  if (scope === "system" || scope === "global") return own;
  return scope === "command" ? null : repo;
}

/** The value that holds; null where nobody set the key. Section and variable are in lower case. */
export function settingOf({ own, repo }: GitSettings, key: string): string | null {
  return [...own, ...repo].findLast(([name]) => name === key)?.[1] ?? null;
}

/** Names of the filters that would run a program over file contents, whoever configured them. */
export function filterNames({ own, repo }: GitSettings): Set<string> {
  const names = new Set<string>();
  for (const [key, value] of [...own, ...repo]) {
    const name = /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1];
    if (name !== undefined && value !== "") names.add(name);
  }
  return names;
}

/**
 * The `GIT_CONFIG_…` variables that switch off every filter and every merge program: a program that a pass may have
 * named must not run. A merge program that fails means a conflict, so nothing is lost. Variables, since git cuts
 * `-c NAME=VALUE` at the first `=`, which the name of a filter may hold.
 */
export function programsOff(settings: GitSettings): Record<string, string> {
  const off = new Map<string, string>();
  for (const [key] of [...settings.own, ...settings.repo]) {
    if (/^filter\..*\.(?:clean|smudge|process)$/s.test(key)) off.set(key, "");
    else if (/^filter\..*\.required$/s.test(key)) off.set(key, "false");
    else if (/^merge\..*\.driver$/s.test(key)) off.set(key, "false");
  }
  return settingVariables([...off]);
}

/** The same settings as environment variables, which no other user can read, unlike a command line. */
export function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
