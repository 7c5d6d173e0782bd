import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface SourceFile {
  /** Relative to lib/, with forward slashes. */
  readonly name: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Every source file of lib/, with what it imports: static, re-exported, dynamic, and types too. */
export function readSources(lib: string): SourceFile[] {
  return readdirSync(lib, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => {
      const text = readFileSync(path.join(lib, name), "utf8");
      return { name, room: name.split(path.sep)[0] ?? "", text, imports: readImports(text) };
    });
}

/** The sources are formatted and all import with literals, so a pattern is enough here. */
export function readImports(text: string): string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^;"'`]*?\bfrom\s*"([^"]+)"|(?:^|\n)\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** The room of lib/ that an import leads to; null where it leads out of lib/ or to a package. */
export function importedRoom(file: SourceFile, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  const target = path.posix.join(path.posix.dirname(file.name), specifier);
  return target.startsWith("..") ? null : (target.split("/")[0] ?? null);
}
