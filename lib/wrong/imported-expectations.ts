import { type Parsed, parseSource, walkTree } from "./grammars.ts";
import { type LineVersion, listLineVersions } from "./line-versions.ts";

/** How JavaScript and Python import by name. */
const imports = [
  /\bimport\s*\{([^}]*)\}\s*from\b/g,
  /\{([^}]*)\}\s*=\s*(?:await\s+import|require)\s*\(/g,
  /^\s*from\s+\S+\s+import\s+\(?([\w\s,]+)/gm,
];
const declaration = /^(?:VariableDeclaration|AssignStatement)$/;

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
  const places = findDeclared(parsed, names);
  const every = new Set(text.split("\n").map((_line, index) => index + 1));
  return listLineVersions(parsed, every).filter(
    ({ edit, change }) => change === "value" && places.some(({ from, to }) => edit.from >= from && edit.to <= to),
  );
}

function findDeclared({ top, text }: Parsed, names: ReadonlySet<string>): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  walkTree(top, (node) => {
    if (!declaration.test(node.name)) return;
    const isTop = node.parent?.name === "Script" || node.parent?.parent?.name === "Script";
    const [, name = ""] = /^(?:(?:const|let|var)\s+)?(\w+)/.exec(text.slice(node.from, node.to)) ?? [];
    const isFunction =
      /Function|Lambda|Class/.test(node.lastChild?.name ?? "") ||
      /=>|\bfunction\b/.test(text.slice(node.from, node.to));
    if (isTop && names.has(name) && !isFunction) found.push({ from: node.from, to: node.to });
    return false;
  });
  return found;
}
