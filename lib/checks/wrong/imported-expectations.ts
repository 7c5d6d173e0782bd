import { emptySource } from "./empty-functions.ts";
import { parseSource } from "./grammars.ts";
import { type LineVersion, listLineVersions } from "./line-versions.ts";

/** How JavaScript and Python import by name. */
const imports = [
  /\bimport\s*\{([^}]*)\}\s*from\b/g,
  /\{([^}]*)\}\s*=\s*(?:await\s+import|require)\s*\(/g,
  /^\s*from\s+\S+\s+import\s+\(?([\w\s,]+)/gm,
];

/** The names that a test file imports from other files, as those are named there. */
export function importedNames(text: string): Set<string> {
  const lists = imports.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ""));
  return new Set(lists.flatMap((list) => list.split(",")).map((one) => /\w+/.exec(one)?.[0] ?? ""));
}

/** Other values within what a file of the work declares at its top by one of these names; a function is no value. */
export async function listImportedValues(
  path: string,
  text: string,
  names: ReadonlySet<string>,
): Promise<LineVersion[]> {
  const parsed = await parseSource(path, text);
  if (parsed === null) return [];
  const every = new Set(text.split("\n").map((_line, index) => index + 1));
  const nameBefore = (from: number) => /(\w+)(?:\s*:[^=\n]*)?\s*=\s*$/.exec(text.slice(0, from))?.[1] ?? "";
  const places = emptySource(parsed, every).values.filter(({ from }) => names.has(nameBefore(from)));
  return listLineVersions(parsed, every).filter(
    ({ edit, change }) => change === "value" && places.some(({ from, to }) => edit.from >= from && edit.to <= to),
  );
}
