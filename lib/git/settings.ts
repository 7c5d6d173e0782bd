import { splitNul } from "./answer.ts";
import type { GitPlace } from "./place.ts";
import { runInRepository } from "./run-in-repository.ts";

export type GitSetting = readonly [key: string, value: string];

/** Git's configuration here, separated by who could have written it. Later values win. */
export interface GitSettings {
  /** The system's and the user's own files, conditional includes that match here among them. */
  readonly own: readonly GitSetting[];
  /** `.git/config` and what it includes: a pass may have written them. */
  readonly repo: readonly GitSetting[];
}

/** Reading settings runs nothing. Throws TP_GIT. */
export async function readSettings(place: GitPlace, env: NodeJS.ProcessEnv): Promise<GitSettings> {
  const { stdout } = await runInRepository(place, ["config", "-z", "--show-scope", "--list"], env);
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

/** Writes one setting of the repository. Throws TP_GIT. */
export async function writeSetting(place: GitPlace, key: string, value: string, env: NodeJS.ProcessEnv): Promise<void> {
  await runInRepository(place, ["config", "--local", key, value], env);
}

/** The value that holds; null if nobody set the key. Section and variable are in lower case. */
export function settingOf({ own, repo }: GitSettings, key: string): string | null {
  return [...own, ...repo].findLast(([name]) => name === key)?.[1] ?? null;
}

/** Names of the filters for which someone configured a program. */
export function filterNames({ own, repo }: GitSettings): Set<string> {
  const names = new Set<string>();
  for (const [key, value] of [...own, ...repo]) {
    const name = /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1];
    if (name !== undefined && value !== "") names.add(name);
  }
  return names;
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
