import type { ReadParts } from "./setting-parts.ts";

/** Settings that decide what a check does. */
export interface SettingRow {
  /** Matches the end of a repo path, from the start of a name on. */
  readonly files: RegExp;
  /** Only if a check names one of these; missing: always. */
  readonly tools?: readonly string[];
  /** Only in the repo's own folder and in those that checks work in: elsewhere such a file serves something else. */
  readonly near?: boolean;
  /** Only these parts of it; missing: the whole file. */
  readonly parts?: ReadParts;
}

export function row(files: string, more: Omit<SettingRow, "files"> = {}): SettingRow {
  return { files: new RegExp(`(?:^|/)(?:${files})$`), ...more };
}

export const raw = String.raw;
export const script = raw`\.(?:[cm]?[jt]s|json[c5]?|ya?ml|toml)`;
