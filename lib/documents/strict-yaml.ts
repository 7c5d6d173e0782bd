import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  visit,
} from "yaml";
import { errorFinding, type Finding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";

/** One step into a YAML value: the key of a map or the index of a list. */
export type YamlStep = string | number;

export interface YamlSource {
  /** The YAML alone. */
  readonly text: string;
  readonly file: string;
  /** How many lines are before `text` in the file. */
  readonly linesBefore: number;
}

export interface StrictYaml {
  readonly kind: "yaml";
  /** Plain values; an empty document is an empty map. */
  readonly value: unknown;
  /** The place of the value at a path, or of its key; the nearest that exists. */
  readonly locate: (path: readonly YamlStep[], what: "key" | "value") => { file: string; line: number; column: number };
}

export type YamlRead = StrictYaml | { readonly kind: "bad"; readonly findings: readonly Finding[] };

/** Keys cost the parser quadratic time; 32 KiB of the shortest ones take about half a second. */
export const yamlMaxLength = 32 * 1024;

const fixes: Record<string, string> = {
  DUPLICATE_KEY: "keep one of the two",
  MULTIPLE_DOCS: "keep one document",
  BAD_INDENT: "indent with the same number of spaces as the lines beside it",
  TAB_AS_INDENT: "indent with spaces",
};

/**
 * Reads one document of YAML 1.2, core schema. Refused with their place: anchors, aliases, directives, tags outside
 * the core schema, doubled keys, and more than one document. A file never decides how it is read.
 */
export function readStrictYaml({ text, file, linesBefore }: YamlSource): YamlRead {
  const lines = new LineCounter();
  const findings: Finding[] = [];
  const placeAt = (offset: number): { file: string; line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1) + linesBefore, column: Math.max(col, 1) };
  };
  const add = (code: string, message: string, offset: number, fix: string | null): void => {
    findings.push(errorFinding(code, message, { ...placeAt(offset), fix }));
  };
  if (text.length > yamlMaxLength) {
    const message = `the YAML has ${text.length} characters; the limit is ${yamlMaxLength}`;
    return { kind: "bad", findings: [errorFinding("TP_YAML_TOO_BIG", message, { ...placeAt(0), fix: "shorten it" })] };
  }
  const documents = compose(text, lines, add);
  const [document, second] = documents;
  if (second !== undefined) {
    add("TP_YAML_SYNTAX", "a second YAML document begins here; one is expected", second.range[0], "keep one document");
  }
  for (const problem of document === undefined ? [] : [...document.errors, ...document.warnings]) {
    const { message, fix } = explain(problem, text);
    add("TP_YAML_SYNTAX", message, problem.pos[0], fix);
  }
  if (document !== undefined && findings.length === 0) findReferences(document, add);
  if (findings.length > 0) return { kind: "bad", findings };
  const root = document?.contents ?? null;
  const value: unknown = document === undefined || root === null ? {} : document.toJS({ maxAliasCount: 0 });
  return { kind: "yaml", value: value ?? {}, locate: (path, what) => placeAt(findOffset(root, path, what)) };
}

type AddFinding = (code: string, message: string, offset: number, fix: string | null) => void;

function compose(text: string, lines: LineCounter, add: AddFinding): Document.Parsed[] {
  const composer = new Composer({ version: "1.2", schema: "core", uniqueKeys: true, merge: false, logLevel: "silent" });
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  for (const token of tokens) {
    if (token.type !== "directive") continue;
    add(
      "TP_YAML_DIRECTIVE",
      "a YAML directive (a line that begins with %) is not allowed",
      token.offset,
      "remove the line",
    );
  }
  try {
    return [...composer.compose(tokens, true, text.length)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    add("TP_YAML_SYNTAX", "the YAML is nested too deeply", 0, "reduce the nesting");
    return [];
  }
}

function findReferences(document: Document.Parsed, add: AddFinding): void {
  visit(document, {
    Node: (_, node) => {
      const at = node.range?.[0] ?? 0;
      if (isAlias(node)) add("TP_YAML_ALIAS", `the alias *${node.source} is not allowed`, at, "write the value out");
      else if (node.anchor !== undefined) {
        add(
          "TP_YAML_ALIAS",
          `the anchor &${node.anchor} is not allowed`,
          at,
          "remove it, and write the value out where it is used",
        );
      }
    },
  });
}

function findOffset(root: Node | null, path: readonly YamlStep[], what: "key" | "value"): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) return offset;
      const last = index === path.length - 1;
      node = pair.value;
      const target = (last && what === "key") || !isNode(pair.value) ? pair.key : pair.value;
      offset = isNode(target) ? (target.range?.[0] ?? offset) : offset;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = isNode(node) ? (node.range?.[0] ?? offset) : offset;
    }
  }
  return offset;
}

function explain(
  problem: { code: string; message: string; pos: [number, number] },
  text: string,
): { message: string; fix: string | null } {
  const line = (problem.message.split("\n")[0] ?? "").replace(/ at line \d+.*$/, "").replace(/:$/, "");
  const fix = line.startsWith("Flow ")
    ? "close the bracket that is open"
    : line.startsWith("Missing closing")
      ? "end the quoted text with the quote that it starts with"
      : (fixes[problem.code] ?? "correct the YAML here; quote text that contains characters such as : # or &");
  if (problem.code !== "DUPLICATE_KEY") return { message: line, fix };
  const key = /[^\s:,{}]+/.exec(text.slice(problem.pos[0]))?.[0] ?? "";
  return { message: `the key \`${shorten(key)}\` appears twice in one map`, fix };
}
