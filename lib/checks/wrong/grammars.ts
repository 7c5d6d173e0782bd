import { extname } from "node:path";
import type { SyntaxNode } from "@lezer/common";

/** A language whose sources can be made wrong by its grammar. */
export type Language = "javascript" | "python" | "go" | "rust" | "java" | "cpp" | "php";

export interface Parsed {
  readonly language: Language;
  /** Types are written out and may be checked. */
  readonly isTyped: boolean;
  /** C, and not C++. */
  readonly isPlainC: boolean;
  readonly text: string;
  readonly top: SyntaxNode;
}

const languages: Readonly<Record<string, Language>> = {
  ...same("javascript", [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"]),
  ...same("python", [".py"]),
  ...same("go", [".go"]),
  ...same("rust", [".rs"]),
  ...same("java", [".java"]),
  ...same("cpp", [".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp"]),
  ...same("php", [".php"]),
};

function same(language: Language, ends: readonly string[]): Record<string, Language> {
  return Object.fromEntries(ends.map((end) => [end, language]));
}

/** The language of a source by the end of its name; null if there is no grammar for it. */
export function languageOf(path: string): Language | null {
  return languages[extname(path).toLowerCase()] ?? null;
}

/** Reads a source; null if there is no grammar for it. A grammar is loaded when it is first needed: 2 to 9 ms each. */
export async function parseSource(path: string, text: string): Promise<Parsed | null> {
  const language = languageOf(path);
  if (language === null) return null;
  const end = extname(path).toLowerCase();
  const { loadParser } = await import("./load-parser.ts");
  const parser = await loadParser(language, end);
  return {
    language,
    isTyped: /^\.[mc]?tsx?$/.test(end),
    isPlainC: end === ".c",
    text,
    top: parser.parse(text).topNode,
  };
}

/** Every node, the outer ones first; `enter` says false to pass over what is within. */
export function walkTree(top: SyntaxNode, enter: (node: SyntaxNode) => boolean | undefined): void {
  top.cursor().iterate((ref) => enter(ref.node));
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

/** How tests for Vitest in a source begin, and not what is done where it does not run. */
export const ofVitest = /^if\s*\(\s*import\.meta\.vitest\b(?!\s*=)/m;

/** A test within a source of Rust, or tests in one for Vitest: they are no part of the work that is made wrong. */
export function isInnerTest({ language, text }: Parsed, node: SyntaxNode): boolean {
  if (language === "javascript" && node.name === "IfStatement" && node.parent?.parent === null)
    return node.getChild("else") === null && text.slice(node.from, node.to).search(ofVitest) === 0;
  if (language !== "rust" || node.name !== "AttributeItem") return false;
  const attribute = node.firstChild;
  return (
    attribute !== null && /^#\[\s*(?:cfg\(\s*test\s*\)|(?:\w+::)*test\b)/.test(text.slice(attribute.from, attribute.to))
  );
}
