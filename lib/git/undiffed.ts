import { readdirSync } from "node:fs";
import { join } from "node:path";
import { lookOr } from "../store/error-code.ts";
import { hashFile } from "../store/hash-file.ts";
import { readSettings } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";

/** Settings and hooks by name, such as `core.fsmonitor` or `hooks/pre-push`, with a value that tells whether they changed. */
export type Undiffed = ReadonlyMap<string, string>;

/**
 * What git acts on in this repository and no diff shows. Without the settings of branches, which an agent changes with each
 * `git switch --create`. Throws TP_GIT.
 */
export async function readUndiffed(place: GitPlace, env: NodeJS.ProcessEnv): Promise<Undiffed> {
  const found = new Map<string, string>();
  for (const [key, value] of (await readSettings(place, env)).repo)
    if (!key.startsWith("branch.")) found.set(key, `${found.get(key) ?? ""}${value}\0`);
  const hooks = lookOr(() => readdirSync(join(place.commonDir, "hooks")), []);
  for (const name of [...hooks.map((hook) => `hooks/${hook}`), "info/attributes"]) {
    const file = hashFile(join(place.commonDir, name));
    if (file.kind === "link") found.set(name, "link");
    if (file.kind === "file" && !name.endsWith(".sample")) found.set(name, `${file.stats.mode} ${file.sha256}`);
  }
  return found;
}

export function listChanged(before: Undiffed, after: Undiffed): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}
