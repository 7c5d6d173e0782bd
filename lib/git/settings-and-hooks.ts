import { readdirSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { lookOr } from "../store/error-code.ts";
import { hashFile } from "../store/hash-file.ts";
import { sha256 } from "../text/sha256.ts";
import { settingPath } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";

/** Settings and hooks by name, such as `core.fsmonitor` or `.git/hooks/pre-push`, with a digest, since a value may be secret. */
export type SettingsAndHooks = ReadonlyMap<string, string>;

/** See githooks(5). */
const hooks: ReadonlySet<string> = new Set(
  `applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist
  post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update
  pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive
  push-to-checkout reference-transaction sendemail-validate update`.split(/\s+/),
);

/**
 * What git acts on in this repository and no diff shows. Without the settings of branches, which an agent changes with each
 * `git switch --create`. Hooks in the folder of `core.hooksPath` are named by `./` and their path in `repo`. Throws TP_GIT.
 */
export async function readSettingsAndHooks(
  place: GitPlace,
  repo: string,
  env: NodeJS.ProcessEnv,
): Promise<SettingsAndHooks> {
  const found = new Map<string, string>();
  const settings = await knownSettings(place, env);
  for (const [key, value] of settings.repo)
    if (!key.startsWith("branch.")) found.set(key, `${found.get(key) ?? ""}${value}\0`);
  const add = (folder: string, entry: string, name: string) => {
    const path = join(folder, entry);
    const file = hashFile(path);
    if (file.kind === "link")
      found.set(
        name,
        lookOr(() => readlinkSync(path), ""),
      );
    if (file.kind === "file" && !entry.endsWith(".sample")) found.set(name, `${file.stats.mode} ${file.sha256}`);
  };
  // A folder with more, such as /usr/bin, is none of hooks: its setting is named.
  const list = (folder: string) => {
    const names = lookOr(() => readdirSync(folder), []);
    // Those that git runs come first and are not counted, so that no number of others hides one.
    const others = names.filter((name) => !hooks.has(name)).sort();
    return [...names.filter((name) => hooks.has(name)).sort(), ...others.slice(0, 100)];
  };
  add(place.commonDir, "info/attributes", ".git/info/attributes");
  const usual = join(place.commonDir, "hooks");
  for (const hook of list(usual)) add(usual, hook, `.git/hooks/${hook}`);
  const chosen = settingPath(place, settings, "core.hookspath", env) ?? usual;
  if (chosen !== usual) for (const hook of list(chosen)) add(chosen, hook, `./${relative(repo, join(chosen, hook))}`);
  return new Map([...found].map(([name, value]) => [name, sha256(value)]));
}

/** The names of what changed, without hooks at the paths `visible`; none if one is not known. */
export function nameChanged(
  before: SettingsAndHooks | null,
  after: SettingsAndHooks | null,
  visible: readonly string[] = [],
): string[] {
  if (before === null || after === null) return [];
  const names = new Set([...before.keys(), ...after.keys()]);
  const shown = new Set(visible.map((path) => `./${path}`));
  return [...names].filter((name) => before.get(name) !== after.get(name) && !shown.has(name));
}
