import type { SyntaxNode } from "@lezer/common";
import { applyEdits, type Edit } from "./edit.ts";
import { childrenOf, type Parsed } from "./grammars.ts";

export const stringNode =
  /^(?:String|StringLiteral|RawString|FormatString|TemplateString|CharLiteral|CharacterLiteral|Rune|Char)$/;

export function otherNumber(text: string): string | null {
  const match = /^(\d[\d_]*)(.*)$/s.exec(text);
  if (match === null) return null;
  const [, whole = "", rest = ""] = match;
  if (/^[xXbBoO]/.test(rest)) return `${text.slice(0, 2)}1${rest.length > 1 ? rest.slice(2) : ""}`;
  return `${BigInt(whole.replaceAll("_", "")) + 1n}${rest}`;
}

/** In place of what is put into a string. */
export const otherPart = "wrong";
const holeNode = /^(?:Interpolation|FormatReplacement|VariableName|MemberExpression|SubscriptExpression)$/;

/**
 * With another text in place of what is put into it, which is what the string is about; else with one letter more at the
 * beginning.
 */
export function wrongString(text: string, node: SyntaxNode): Edit | null {
  const { from } = node;
  const holes = childrenOf(node)
    .filter(({ name }) => holeNode.test(name))
    .map((one) => ({ from: one.from - from, to: one.to - from, text: otherPart }));
  if (holes.length > 0) return { from, to: from + text.length, text: applyEdits(text, holes) };
  const open = /^[A-Za-z]{0,3}#*(?:"""|'''|["'`])/.exec(text)?.[0];
  if (open === undefined) return null;
  // A character in quotes has room for one.
  if (/^'(?:[^'\\]|\\.)'$/.test(text) && open === "'" && text.length <= 4) {
    return { from, to: from + text.length, text: text === "'x'" ? "'y'" : "'x'" };
  }
  return { from, to: from + text.length, text: `${open}x${text.slice(open.length)}` };
}

const nothing: Readonly<Record<string, (parsed: Parsed) => string>> = {
  javascript: ({ isTyped }) => (isTyped ? "undefined as any" : "undefined"),
  python: () => "None",
  java: () => "null",
  php: () => "null",
  cpp: () => "0",
};

/** Nothing in place of an expression; null in a language without it. */
export function instead(parsed: Parsed, { from, to }: Pick<SyntaxNode, "from" | "to">): Edit | null {
  const made = nothing[parsed.language]?.(parsed) ?? null;
  return made === null ? null : { from, to, text: made };
}

export function wrongReturn(parsed: Parsed, node: SyntaxNode): Edit | null {
  const value = node.firstChild?.nextSibling ?? null;
  if (value === null || value.name === ";") return null;
  const last = node.lastChild?.name === ";" ? (node.lastChild.prevSibling ?? value) : (node.lastChild ?? value);
  const was = parsed.text.slice(value.from, last.to);
  const isNothing = /^(?:undefined|null|None|0|nullptr|NULL)$/.test(was);
  return isNothing ? null : instead(parsed, { from: value.from, to: last.to });
}

export function wrongArrow(parsed: Parsed, node: SyntaxNode): Edit | null {
  const body = node.lastChild;
  if (parsed.language !== "javascript" || body === null || body.name === "Block") return null;
  return { from: body.from, to: body.to, text: parsed.isTyped ? "(undefined as any)" : "undefined" };
}

/** Without the statement; null for one that is the value of its block. */
export function dropped({ language, text }: Parsed, { from, to, firstChild }: SyntaxNode): Edit | null {
  if (firstChild !== null && stringNode.test(firstChild.name) && firstChild.to >= to - 1) return null;
  if (language === "rust" && !text.slice(from, to).endsWith(";")) return null;
  return { from, to, text: language === "python" ? "pass" : language === "go" ? "" : ";" };
}
