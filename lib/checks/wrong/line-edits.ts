import type { SyntaxNode } from "@lezer/common";
import { applyEdits, type Edit } from "./edit.ts";
import { childrenOf, type Parsed } from "./grammars.ts";

export const stringNode =
  /^(?:(?:Heredoc|Raw|Format|Template)?String|StringLiteral|TextBlock|JSXAttributeValue|CharLiteral|CharacterLiteral|Rune|Char)$/;

/** What a string begins with: raw ones of C++, heredocs, and those in quotes. */
const opening =
  /^(?:[uUL]?8?R"[^()\s\\"]{0,16}\(|<<<[ \t]*["']?\w+["']?\r?\n|(?:u8|[A-Za-z]{0,3})#*(?:"""(?:\r?\n)?|'''|["'`]))/;

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

const escaped = /\\(?:u\{[^}]*\}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[0-7]{1,3}|.)/s;
/** `%(name)s`, `%1$s`, `%[1]d`, `%lu` */
const format = /%(?:\(\w+\)|\[\d+\]|\d+\$)?[-+#\d.*]*(?:hh?|ll?|[jzt])?[A-Za-z]/;
/** `\\d` and `(?<name>`: with another letter many of them are no pattern. */
const pattern = /\\\\\w|\(\?P?[<=>]?\w*/;
const filledIn = /\{[^{}]*\}|\$\w+/;

/** Words, and beside them what stays as it is. */
const words = new RegExp(
  `${[pattern, escaped, format, filledIn].map(({ source }) => source).join("|")}|&\\w+;|([\\p{L}\\p{N}])[\\p{L}\\p{N}_]*`,
  "gsu",
);
const character = new RegExp(`^\\w{0,2}'(?:[^'\\\\]|${escaped.source})'$`, "s");

/** Each word with another first letter, so that a test that looks for a part of the text notices; null if it has none. */
export function otherWords(text: string): string | null {
  const made = text.replace(words, (word: string, first?: string) =>
    first === undefined ? word : `${first === "x" ? "y" : "x"}${word.slice(first.length)}`,
  );
  return made === text ? null : made;
}

/**
 * A string with another text in place of what is put into it, which is what the string is about, and with other words; one
 * that has neither with a letter more. `content`: where it begins and ends in the text.
 */
export function wrongStrings(text: string, content: Pick<Edit, "from" | "to">, holes: readonly Edit[]): string[] {
  const starts = [content.from, ...holes.map(({ to }) => to)];
  const ends = [...holes.map(({ from }) => from), content.to];
  const others = starts.flatMap((from, index): Edit[] => {
    const to = ends[index] ?? from;
    const made = otherWords(text.slice(from, to));
    return made === null ? [] : [{ from, to, text: made }];
  });
  const more = { from: content.from, to: content.from, text: "x" };
  const all = [holes, others].filter((edits) => edits.length > 0);
  return (all.length === 0 ? [[more]] : all).map((edits) => applyEdits(text, edits));
}

export function wrongLiteral(text: string, node: SyntaxNode): Edit[] {
  const { from } = node;
  const open = opening.exec(text)?.[0];
  if (open === undefined) return [];
  const edit = (made: string): Edit => ({ from, to: from + text.length, text: made });
  // A character in quotes has room for one.
  if (character.test(text)) return [edit(`${open}${text === `${open}x'` ? "y" : "x"}'`)];
  const holes = childrenOf(node)
    .filter(({ name }) => holeNode.test(name))
    .map((one) => ({ from: one.from - from, to: one.to - from, text: otherPart }));
  const end = /(?:\)\w*"|\n[ \t]*\w+|)$/.exec(text)?.[0] ?? "";
  return wrongStrings(text, { from: open.length, to: text.length - end.length }, holes).map(edit);
}

/** Each line of a text between tags. */
export function wrongTagText(text: string, from: number): Edit[] {
  return [...text.matchAll(/\S(?:.*\S)?/g)].flatMap(({ index, 0: line }): Edit[] => {
    const made = otherWords(line);
    return made === null ? [] : [{ from: from + index, to: from + index + line.length, text: made }];
  });
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
