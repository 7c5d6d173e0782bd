import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A JSON value and its place in the text; `end` is exclusive. */
export type JsonNode = (
  | { readonly kind: "object"; readonly members: readonly JsonMember[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" }
) & { readonly start: number; readonly end: number };

export interface JsonMember {
  readonly key: string;
  /** The place of the key with its quotes. */
  readonly start: number;
  readonly end: number;
  readonly value: JsonNode;
}

export interface JsonProblem {
  readonly kind: "bad";
  readonly offset: number;
  readonly problem: string;
  readonly fix: string;
}

/** No real file nests deeper, and the parser recurses at each level. */
const maxDepth = 100;

/** The good start of a text in double quotes, as RFC 8259 has it. */
const textStart = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*/uy;

/**
 * Reads JSON and remembers places, which `JSON.parse` does not; or names the first mistake. Takes what `JSON.parse`
 * takes, except for a key that an object has twice and for nesting beyond a hundred levels.
 */
export function readJson(text: string): { readonly kind: "json"; readonly root: JsonNode } | JsonProblem {
  const problems: JsonProblem[] = [];
  const tooDeep = findTooDeep(text);
  if (tooDeep !== null) {
    const problem = `the values are nested deeper than ${maxDepth} levels`;
    problems.push({ kind: "bad", offset: tooDeep, problem, fix: "reduce the nesting" });
  }
  const { root, errors } = parse(text.slice(0, tooDeep ?? text.length));
  problems.push(...errors.slice(0, 1).map(({ offset }) => explainMistake(text, offset)));
  const node = root === undefined ? null : toNode(root, problems);
  const [first] = problems.sort((one, other) => one.offset - other.offset);
  return first ?? (node === null ? miss(text, 0, "value") : { kind: "json", root: node });
}

/** The entry of that key; null if the node is not an object or has no such key. */
export function memberOf(node: JsonNode, key: string): JsonMember | null {
  return (node.kind === "object" ? node.members.find((member) => member.key === key) : undefined) ?? null;
}

function parse(text: string): { root: Node | undefined; errors: ParseError[] } {
  const errors: ParseError[] = [];
  return { root: parseTree(text, errors, { disallowComments: true }), errors };
}

function findTooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const mark = text[scanner.getTokenOffset()];
    if (mark === "}" || mark === "]") depth -= 1;
    if ((mark === "{" || mark === "[") && ++depth > maxDepth + 1) return scanner.getTokenOffset();
  }
  return null;
}

/** The parser's tree in our kinds. Each key that appears twice is added to the problems. */
function toNode(node: Node, problems: JsonProblem[]): JsonNode {
  const place = { start: node.offset, end: node.offset + node.length };
  const value: unknown = node.value;
  if (typeof value === "string") return { kind: "text", value, ...place };
  if (typeof value === "number") return { kind: "number", value, ...place };
  if (typeof value === "boolean") return { kind: "boolean", value, ...place };
  const children = node.children ?? [];
  if (node.type === "array")
    return { kind: "array", items: children.map((child) => toNode(child, problems)), ...place };
  if (node.type !== "object") return { kind: "null", ...place };
  const keys = new Set<string>();
  const members = children.flatMap(({ children: [name, inner] = [] }): JsonMember[] => {
    if (name === undefined || inner === undefined) return [];
    const key = String(name.value);
    const member = { key, start: name.offset, end: name.offset + name.length, value: toNode(inner, problems) };
    const problem = "the key appears twice in one object";
    if (keys.has(key)) problems.push({ kind: "bad", offset: member.start, problem, fix: "keep one of the two" });
    keys.add(key);
    return [member];
  });
  return { kind: "object", members, ...place };
}

function explainMistake(text: string, offset: number): JsonProblem {
  if (text[offset] === '"') {
    textStart.lastIndex = offset;
    const end = offset + (textStart.exec(text)?.[0].length ?? 0);
    if (end === text.length)
      return { kind: "bad", offset, problem: "the quoted text is never closed", fix: "end it with a double quote" };
    if (text[end] !== '"') return miss(text, end, text[end] === "\\" ? "escape" : "character");
  }
  return miss(text, offset, nameExpected(text.slice(0, offset), text[offset]));
}

const expected = {
  value: ["a value", "write text in double quotes, a number, true, false or null"],
  key: ["a key in double quotes", "write the key in double quotes"],
  colon: ["a colon after the key", "put a colon between key and value"],
  "}": ["a comma or }", "put a comma between two entries, and close each bracket"],
  "]": ["a comma or ]", "put a comma between two entries, and close each bracket"],
  another: ["another entry after the comma", "remove the last comma"],
  end: ["the end of the file", "remove what follows the last bracket"],
  escape: ["an escape that JSON knows", "write \\\\ for a backslash"],
  character: ["text without line breaks and control characters", "write \\n for a line break"],
} as const;

/** What could have followed this text: the parser names it as the first thing that is missing at its end. */
function nameExpected(before: string, next: string | undefined): keyof typeof expected {
  const [missing] = parse(before).errors;
  const last = before.trimEnd().at(-1);
  switch (missing === undefined ? "" : printParseErrorCode(missing.error)) {
    case "":
      return "end";
    case "ColonExpected":
      return "colon";
    case "CloseBraceExpected":
      return last === "{" ? "key" : "}";
    case "CloseBracketExpected":
      return last === "[" ? "value" : "]";
    case "PropertyNameExpected":
      return next === "}" ? "another" : "key";
    default:
      return last === "," && next === "]" ? "another" : "value";
  }
}

function miss(text: string, offset: number, wanted: keyof typeof expected): JsonProblem {
  const rest = text.slice(offset, offset + 20).split(/[\r\n]/)[0] ?? "";
  const found = offset >= text.length ? "the end of the file" : rest === "" ? "the end of the line" : rest;
  const [thing, fix] = expected[wanted];
  return { kind: "bad", offset, problem: `expected ${thing}, found ${found}`, fix };
}
