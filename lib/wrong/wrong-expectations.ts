import type { SyntaxNode } from "@lezer/common";
import { linesOf } from "./edit.ts";
import { type Parsed, walkTree } from "./grammars.ts";
import { type LineVersion, listLineVersions } from "./line-versions.ts";

/** How assertions are called in the libraries of these languages. */
const assertion =
  /\b(?:[aA]ssert\w*|expect\w*|should|require|must|check|verify|is|equal\w*|deepEqual|same|ok|t\.(?:Error|Fatal)\w*|[A-Z]\w*\.(?:Equal|True|False|That)\w*)\b/;
const call =
  /^(?:CallExpression|CallExpr|MethodInvocation|MacroInvocation|AssertStatement|FunctionCallExpression|ExpressionStatement)$/;
const literal =
  /^(?:String|StringLiteral|TemplateString|FormatString|Number|Integer|IntegerLiteral|Float|BooleanLiteral|Boolean|true|false)$/;

/**
 * The literals in the assertions of a test, each made wrong: what a test compares with, or what it calls the work with.
 * A comparison in front of a reported error, as tests in Go are written, counts as an assertion. The last literal of an
 * assertion comes first, since most libraries take what is expected last.
 */
export function listWrongExpectations(parsed: Parsed, every: ReadonlySet<number>): LineVersion[] {
  const lines = linesOf(parsed.text);
  const ranges: { readonly from: number; readonly to: number }[] = [];
  walkTree(parsed.top, (node) => {
    const range = assertionRange(parsed, node);
    if (range !== null) ranges.push(range);
    return range === null;
  });
  const versions = listLineVersions(parsed, every).filter(
    ({ edit }) => literalAt(parsed, edit.from, edit.to) && every.has(lines.lineAt(edit.from)),
  );
  return ranges.flatMap(({ from, to }) => versions.filter(({ edit }) => edit.from >= from && edit.to <= to).reverse());
}

function assertionRange({ text, language }: Parsed, node: SyntaxNode): { from: number; to: number } | null {
  if (language === "go" && node.name === "IfStatement") {
    const body = text.slice(node.from, node.to);
    return /\b[tb]\.(?:Error|Fatal)\w*\(/.test(body) ? { from: node.from, to: node.from + body.indexOf("{") } : null;
  }
  if (!call.test(node.name)) return null;
  const open = text.indexOf("(", node.from);
  const head = text.slice(node.from, open === -1 || open > node.to ? node.to : open);
  if (node.name === "AssertStatement") return { from: node.from, to: node.to };
  // `expect(x).toBe(1)`: what is called is itself a call.
  return assertion.test(head) || /^\s*expect\b/.test(text.slice(node.from, node.to))
    ? { from: node.from, to: node.to }
    : null;
}

function literalAt({ top }: Parsed, from: number, to: number): boolean {
  const node = top.resolve(from, 1);
  return literal.test(node.name) && node.from === from && node.to === to;
}
