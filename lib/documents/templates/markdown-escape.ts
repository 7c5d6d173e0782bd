import { showHidden, showOneLine } from "./visible.ts";

/**
 * Text as inline Markdown that reads as the same characters on every host: no emphasis, link, autolink, image, HTML,
 * mathematics, mention, reference or emoji comes from it, and it starts no block. One line. What a host would make a
 * link by itself is written as code, since hosts look for addresses and references after they have undone the escapes.
 */
export function mdInline(text: string): string {
  return showOneLine(text)
    .split(/([\s<>`|]+)/)
    .map((part, index) => (index % 2 === 0 && becomesLink.test(part) ? `\`${part}\`` : escapeMarks(part)))
    .join("")
    .replace(/^[-+=]|(?<=^\d{1,9})[.)](?=\s|$)/, entity);
}

/**
 * Addresses, mentions and references: to an issue or a pull request (`#12`, `GH-12`, `owner/name#12`, GitLab's `!12`) and to a
 * commit (7 to 40 hexadecimal digits), which notify somebody or close something.
 */
const becomesLink =
  /:\/\/|www\.|@|(?<![\p{L}\p{N}])GH-\d|[#!]\d|(?<![\p{L}\p{N}])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\p{L}\p{N}])/iu;

/**
 * Entities, since a reader that counts marks counts an escaped one too. An underscore inside a word marks nothing, an
 * ampersand only before a letter or a number sign, and no emoji has a name of one or two digits, as the parts of a time
 * are; `:100:` and `:1234:` are emoji.
 */
function escapeMarks(text: string): string {
  const marks = /&(?=[a-z#])|[<>\\`*[\]~$#|^]|:(?!\d{1,2}:)(?=[a-z0-9_+-]+:)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;
  return text.replace(marks, entity);
}

function entity(mark: string): string {
  return { "&": "&amp;", "<": "&lt;", ">": "&gt;" }[mark] ?? `&#${mark.codePointAt(0)};`;
}

/** A cell of a table: as `mdInline`; an empty one is a dash, since some hosts collapse empty cells. */
export function mdCell(text: string): string {
  return mdInline(text) || "–";
}

/** One line for a reader of plain text, such as a model: nothing is escaped but what would start a block. */
export function mdLine(text: string): string {
  return showOneLine(text)
    .replace(/^(?=[!-/:-@[-`{-~])/, "\\")
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}

/** Markdown by the author of a question, on one line: a comment in it would not be read back. */
export function mdSource(text: string): string {
  return showOneLine(text).replaceAll("<!--", "&lt;!--");
}

/** Output of a program inside `<pre>`: safe between any Markdown, and blank lines do not end it. */
export function mdPre(text: string): string {
  const escaped = showHidden(text).replace(
    /[&<>]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "",
  );
  return `<pre>\n${escaped.replace(/\n+$/, "")}\n</pre>`;
}
