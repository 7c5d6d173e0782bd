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

/**
 * The circles among static imports, each once and from its first file on. A dynamic import is left out: that is how the
 * table of commands loads a command's body only when it is called.
 */
export function findCircles(files: readonly SourceFile[]): string[] {
  const targets = new Map(
    files.map((file) => [
      file.name,
      readImports(file.text.replace(/\bimport\(/g, "")).flatMap((to) => targetOf(file, to)),
    ]),
  );
  const circles: string[] = [];
  const finished = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    const at = way.indexOf(name);
    if (at >= 0) circles.push([...way.slice(at), name].join(" > "));
    if (at >= 0 || finished.has(name)) return;
    for (const target of targets.get(name) ?? []) visit(target, [...way, name]);
    finished.add(name);
  };
  for (const { name } of files) visit(name, []);
  return circles;
}

function targetOf(file: SourceFile, specifier: string): string[] {
  return specifier.startsWith(".") ? [path.posix.join(path.posix.dirname(file.name), specifier)] : [];
}
