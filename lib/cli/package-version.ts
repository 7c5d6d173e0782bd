import { readFileSync } from "node:fs";
import path from "node:path";

/** The version in the package.json that this file was shipped with. */
export function packageVersion(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const found = readPackage(path.join(folder, "package.json"));
    if (found?.name === "task-phase") return String(found.version);
    if (folder === path.dirname(folder)) return "unknown";
  }
}

function readPackage(file: string): { name?: unknown; version?: unknown } | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { name?: unknown };
  } catch {
    return null;
  }
}
