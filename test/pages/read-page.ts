import { type DefaultTreeAdapterTypes, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.Node;

/** What a browser makes of a page. */
export interface ReadPage {
  /** Every element with each of its attributes, as `a href`; without doubles. */
  readonly shapes: ReadonlySet<string>;
  /** The values of attributes that a browser follows, loads or finds something by, as `a href`. */
  readonly values: readonly { readonly shape: string; readonly value: string }[];
  readonly comments: readonly string[];
  /** All that is read, without the style sheet; runs of white space are one space. */
  readonly text: string;
  /** What stands only in attributes for who cannot see: titles, labels, other texts. */
  readonly spoken: string;
  /** What a strict parser has against it; empty where it was not asked, since that takes three times as long. */
  readonly errors: readonly string[];
}

const spokenNames = new Set(["alt", "aria-label", "title"]);

/** Reads a page as browsers do. */
export function readPage(html: string, strict = false): ReadPage {
  const errors: string[] = [];
  const root = strict ? parse(html, { onParseError: ({ code }) => errors.push(code) }) : parse(html);
  const shapes = new Set<string>();
  const values: { shape: string; value: string }[] = [];
  const comments: string[] = [];
  const text: string[] = [];
  const spoken: string[] = [];
  const walk = (node: Node): void => {
    if (node.nodeName === "#comment" && "data" in node) comments.push(node.data);
    if (node.nodeName === "#text" && "value" in node) text.push(node.value);
    if ("tagName" in node) {
      shapes.add(node.tagName);
      for (const { name, value } of node.attrs) {
        shapes.add(`${node.tagName} ${name}`);
        if (spokenNames.has(name)) spoken.push(value);
        else values.push({ shape: `${node.tagName} ${name}`, value });
      }
      if (node.tagName === "style") return;
    }
    if ("childNodes" in node) for (const child of node.childNodes) walk(child);
  };
  walk(root);
  return { shapes, values, comments, text: oneLine(text.join("")), spoken: oneLine(spoken.join(" ")), errors };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
