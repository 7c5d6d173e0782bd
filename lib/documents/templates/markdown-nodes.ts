import type { Code, Heading, List, ListItem, PhrasingContent, RootContent, Text } from "mdast";
import { defaultHandlers } from "mdast-util-to-markdown";
import remarkGfm from "remark-gfm";
import remarkStringify from "remark-stringify";
import { unified } from "unified";
import { mdInline } from "./markdown-escape.ts";
import { relativeHref } from "./relative-href.ts";
import { showHidden, showOneLine } from "./visible.ts";

/** Text of anybody, which reads as its own characters; or nodes. */
export type Words = string | number | readonly PhrasingContent[];

/**
 * How the nodes that we make are written. Structure is the library's: fences, spans, indents, checkboxes, addresses.
 * Text is ours, since a host makes mentions, references, emoji and links of more than Markdown knows.
 */
const writer = unified()
  .use(remarkGfm)
  .use(remarkStringify, {
    bullet: "-",
    listItemIndent: "one",
    resourceLink: true,
    handlers: {
      text: ({ value }: { readonly value: string }) => mdInline(value),
      inlineCode: writeCode,
    },
  })
  .freeze();

/** Blocks as Markdown, one blank line between two of them; ends with a newline. */
export function writeMarkdown(...children: readonly RootContent[]): string {
  return writer.stringify({ type: "root", children: [...children] });
}

/** One line of Markdown: the literal parts are Markdown of ours, each value is text that stays text, or nodes. */
export function words(literals: TemplateStringsArray, ...values: readonly Words[]): PhrasingContent[] {
  return literals.flatMap((literal, index) => {
    const value = values[index] ?? [];
    const nodes: readonly PhrasingContent[] = typeof value === "object" ? value : [textOf(String(value))];
    return literal === "" ? nodes : [{ type: "html" as const, value: literal }, ...nodes];
  });
}

/** Markdown that was judged to be one harmless line, as it is. */
export function source(markdown: string): PhrasingContent[] {
  return markdown === "" ? [] : [{ type: "html", value: markdown }];
}

export function code(value: string): PhrasingContent[] {
  return [{ type: "inlineCode", value }];
}

/** The address must come from `relativeHref`. Without one: the text alone. */
export function link(text: string, href: string | null): PhrasingContent[] {
  const shown = textOf(text);
  return href === null ? [shown] : [{ type: "link", url: href, children: shown.value === "" ? source("–") : [shown] }];
}

export function heading(depth: Heading["depth"], children: readonly PhrasingContent[]): Heading {
  return { type: "heading", depth, children: [...children] };
}

export function paragraph(children: readonly PhrasingContent[]): RootContent {
  return { type: "paragraph", children: [...children] };
}

/** With a box if `checked` says whether it is ticked. */
export function item(children: readonly PhrasingContent[], below?: List, checked: boolean | null = null): ListItem {
  const first: ListItem["children"] = [{ type: "paragraph", children: [...children] }];
  return { type: "listItem", spread: false, checked, children: below === undefined ? first : [...first, below] };
}

export function list(items: readonly ListItem[]): List {
  return { type: "list", spread: false, children: [...items] };
}

/** A block of code, its trailing blank lines left out. */
export function fence(text: string, lang = "text"): Code {
  return { type: "code", lang, value: showHidden(text).replace(/\n+$/, "") };
}

/** The text as a code span on one line; as escaped text if it could be taken for a comment of ours. */
export function mdCode(text: string): string {
  return writeLine(code(text));
}

/** A code span in a cell of a table; hosts differ on bars inside one, so such text is escaped instead. */
export function mdCodeCell(text: string): string {
  return text.includes("|") ? mdInline(text) : mdCode(text);
}

/** A link as one line of Markdown, as `link`. */
export function mdLink(text: string, href: string | null): string {
  return writeLine(link(text, href));
}

/** A link to a path relative to the document's folder; the text alone if the path leaves that folder. */
export function markdownLink(text: string, path: string): string {
  return mdLink(text, relativeHref(path));
}

export function mdFence(text: string, language = "text"): string {
  return writeMarkdown(fence(text, language)).trimEnd();
}

/** On one line, since the library writes a heading that contains a line break in another form. */
function textOf(text: string): Text {
  return { type: "text", value: showOneLine(text) };
}

function writeLine(children: readonly PhrasingContent[]): string {
  return writeMarkdown(paragraph(children)).trimEnd();
}

function writeCode(...[node, parent, state]: Parameters<typeof defaultHandlers.inlineCode>): string {
  const value = showOneLine(node.value);
  if (value === "") return "–";
  if (/<!--|-->/.test(value)) return mdInline(value);
  return defaultHandlers.inlineCode({ type: "inlineCode", value }, parent, state);
}
