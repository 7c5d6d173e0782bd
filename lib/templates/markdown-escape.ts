import { relativeHref } from "./relative-href.ts";
import { showHidden, showOneLine } from "./visible.ts";

/**
 * Text as inline Markdown that reads as the same characters on every host: no emphasis, link, autolink, image, HTML,
 * mathematics, mention, reference or emoji comes from it, and it starts no block. One line. What a host would make a
 * link of its own accord stands as code, since some look for addresses after they have undone the escapes.
 */
export function mdInline(text: string): string {
  return showOneLine(text)
    .split(/([\s<>`|]+)/)
    .map((part, index) => (index % 2 === 0 && /:\/\/|www\.|@/i.test(part) ? mdCode(part) : escapeMarks(part)))
    .join("")
    .replace(/^[-+=]|(?<=^\d{1,9})[.)]/, entity);
}

/** Entities, since a reader that counts marks counts an escaped one too. An underscore inside a word marks nothing. */
function escapeMarks(text: string): string {
  const marks = /[&<>\\`*[\]~$#|^]|:(?=[a-z0-9_+-]+:)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;
  return text.replace(marks, entity);
}

function entity(mark: string): string {
  return { "&": "&amp;", "<": "&lt;", ">": "&gt;" }[mark] ?? `&#${mark.codePointAt(0)};`;
}

/** A cell of a table: as `mdInline`; an empty one is a dash, since some hosts collapse empty cells. */
export function mdCell(text: string): string {
  return mdInline(text) || "–";
}

/** The text as a code span on one line; as escaped text where it could be taken for a comment of ours. */
export function mdCode(text: string): string {
  const line = showOneLine(text);
  if (line === "") return "–";
  if (/<!--|-->/.test(line)) return mdInline(line);
  const fence = "`".repeat(longestRun(line, "`") + 1);
  const space = /^`|`$/.test(line) ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** A code span in a cell of a table; hosts differ on bars inside one, so such text is escaped instead. */
export function mdCodeCell(text: string): string {
  return text.includes("|") ? mdInline(text) : mdCode(text);
}

/** One line for a reader of plain text, such as a model: nothing is escaped but what would start a block. */
export function mdLine(text: string): string {
  return showOneLine(text)
    .replace(/^(?=[!-/:-@[-`{-~])/, "\\")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

/** A relative link; the address must come from `relativeHref`. Without one: the text alone. */
export function mdLink(text: string, href: string | null): string {
  return href === null ? mdInline(text) : `[${mdInline(text) || "–"}](${href})`;
}

/** A link to a file by its path, relative to the folder of the document; the text alone where the path leaves that folder. */
export function markdownLink(text: string, path: string): string {
  return mdLink(text, relativeHref(path));
}

/** A fenced block whose fence is longer than any run of the same character in the text. Ends without a newline. */
export function mdFence(text: string, language = "text"): string {
  const shown = showHidden(text).replace(/\n+$/, "");
  const fence = "`".repeat(Math.max(3, longestRun(shown, "`") + 1));
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** Text inside an HTML tag that stands in Markdown, such as `<summary>`: Markdown may or may not be read there. */
export function mdHtml(text: string): string {
  return showOneLine(text).replace(/[^\p{L}\p{N} ]/gu, entity);
}

/** Output of a program inside `<pre>`: safe between any Markdown, and blank lines do not end it. */
export function mdPre(text: string): string {
  const escaped = showHidden(text).replace(
    /[&<>]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "",
  );
  return `<pre>\n${escaped.replace(/\n+$/, "")}\n</pre>`;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const each of text) {
    run = each === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
