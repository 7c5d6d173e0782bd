import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliAdapter } from "./adapter.ts";

/** Writes the settings that a CLI takes from a file alone, and names that file to it. Thrown is an error of the disk. */
export function settingsFileEnv(adapter: CliAdapter, workFolder: string): Readonly<Record<string, string>> {
  const file = adapter.settingsFile?.() ?? null;
  if (file === null) return {};
  const path = join(workFolder, "settings.json");
  writeFileSync(path, `${JSON.stringify(file.content)}\n`, { mode: 0o600 });
  return { [file.variable]: path };
}
