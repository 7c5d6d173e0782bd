import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Eta } from "eta/core";
import { yamlList, yamlString } from "../../text/yaml-string.ts";
import * as escapes from "./markdown-escape.ts";
import { mdInline } from "./markdown-escape.ts";
import { markdownLink, mdCode, mdCodeCell, mdFence, mdLink } from "./markdown-nodes.ts";
import { templatesFolder } from "./package-files.ts";
import { showHidden } from "./visible.ts";

/** The helpers that every template may call. In Markdown and YAML each piece of data goes through one of these. */
const nodes = { markdownLink, mdCode, mdCodeCell, mdFence, mdLink };
const helpers = { ...escapes, ...nodes, mdProse, yamlString, yamlList };
const header = `const { ${Object.keys(helpers).join(", ")} } = it.helpers;`;

/** HTML: each `<%= %>` shows hidden characters and escapes `& < > " '`. No template has a raw tag. */
const html = new Eta({
  autoEscape: true,
  autoFilter: true,
  filterFunction: (value) => showHidden(printable(value)),
  autoTrim: false,
});
/** Everything else: `<%= %>` prints as it is, so data goes through a helper. */
const text = new Eta({
  autoEscape: false,
  autoFilter: true,
  filterFunction: printable,
  autoTrim: false,
  functionHeader: header,
});

type Compiled = (data: object) => string;
const compiled = new Map<string, Compiled>();

/**
 * Renders a template of the package, such as `STATE.md` or `evidence.html`, with plain data. Data is never read as a
 * template. Throws if the template reads a key that the data does not have, or prints something other than a
 * string, a finite number or a boolean.
 */
export function renderTemplate(name: string, data: object): string {
  return compiledTemplate(name)(data);
}

export function readTemplate(file: string): string {
  return readFileSync(join(templatesFolder(), file), "utf8");
}

/** The template with its parts: a line `<!-- part NAME -->` includes the template of that name. */
export function readWholeTemplate(file: string): string {
  return readTemplate(file).replace(/^<!-- part ([a-z/-]+) -->\n/gm, (_line, name: string) =>
    readWholeTemplate(`${name}${file.slice(file.indexOf("."))}`),
  );
}

/** Compiles constant text of this package; `name` decides between HTML and plain text. */
export function compileTemplate(name: string, source: string): Compiled {
  const eta = name.endsWith(".html") ? html : text;
  const template = eta.compile(source);
  return (data) => template.call(eta, strictData({ ...data, helpers }));
}

function compiledTemplate(name: string): Compiled {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const made = compileTemplate(name, readWholeTemplate(`${name}.eta`));
  compiled.set(name, made);
  return made;
}

function printable(value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new Error(`a template prints ${value === null ? "null" : typeof value}; a string or a number was expected`);
}

/**
 * Wraps the data so that a missing key throws instead of giving `undefined`: a template with a spelling mistake fails
 * in the first test that renders it, and never prints a gap.
 */
function strictData<T extends object>(data: T, path = "it"): T {
  return new Proxy(data, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === "symbol" || typeof value === "function") return value;
      const place = `${path}.${key}`;
      if (value === undefined && !Array.isArray(target))
        throw new Error(`the template reads ${place}, which is not in its data`);
      return typeof value === "object" && value !== null ? strictData(value, place) : value;
    },
  });
}

/** The text in parts, so that single code spans show as code. Only their marks are lost. A cut in a span ends it. */
export function splitProse(text: string): { readonly text: string; readonly code: boolean }[] {
  const isCut = text.endsWith("…") && text.split("`").length % 2 === 0;
  return (isCut ? `${text}\`` : text)
    .split(/(?<!`)`([^`\n]+)`(?!`)/)
    .map((part, index) => {
      const code = index % 2 === 1;
      return code && part.trim() === "" ? { text: `\`${part}\``, code: false } : { text: part, code };
    })
    .filter((part) => part.text !== "");
}

/** The text as a cell of a table; code marks are kept, all other Markdown shows as it was typed. */
export function mdProse(text: string): string {
  const parts = splitProse(text).map((part) => (part.code ? mdCodeCell(part.text) : spaced(part.text)));
  return parts.join("").trim() || "–";
}

/** Escapes a line that is also read as plain text: marks get a backslash, never an entity. */
export function mdPlain(text: string): string {
  const marks: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
  return mdProse(text).replace(
    /&(?:amp|lt|gt|#(\d+));/g,
    (found, code: string | undefined) => `\\${marks[found] ?? String.fromCodePoint(Number(code))}`,
  );
}

/** Escaping trims, and the space between a word and code is wanted. */
function spaced(text: string): string {
  return `${/^\s/.test(text) ? " " : ""}${mdInline(text)}${/\s$/.test(text) ? " " : ""}`;
}

/** The digest of a template's one style sheet, which the policy of its page names, so that no other style can apply. */
export function hashStyle(file: string): string {
  const style = /<style>([\s\S]*?)<\/style>/.exec(readTemplate(file))?.[1] ?? "";
  return `sha256-${createHash("sha256").update(style).digest("base64")}`;
}
