import { existsSync } from "node:fs";
import path from "node:path";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

export interface RenderedTable {
  readonly head: readonly string[];
  /** The text of each cell of the body. */
  readonly rows: readonly (readonly string[])[];
  /** The summary of the details around it; null outside of any. */
  readonly inside: string | null;
}

/** What a reader of a git host sees of a Markdown file. */
export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly string[];
  readonly tables: readonly RenderedTable[];
  readonly links: readonly { readonly text: string; readonly href: string }[];
  readonly details: readonly string[];
  /** The kind and the words of each alert: a quote at the top whose first line is the mark alone. */
  readonly alerts: readonly { readonly kind: string; readonly text: string }[];
  /** The text of each Mermaid diagram. */
  readonly diagrams: readonly string[];
  /** Every element with its attributes, as `a href`, in order and without doubles. */
  readonly shapes: readonly string[];
}

interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  readonly properties?: { readonly href?: unknown; readonly className?: unknown };
  readonly children?: readonly Node[];
}

const host = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  // Its schema is the one that GitHub sanitises with.
  .use(rehypeSanitize)
  .use(rehypeStringify);

/** Renders GFM with the HTML in it, and keeps of that what GitHub keeps. */
export function renderLikeAHost(markdown: string): RenderedPage {
  const tree = host.runSync(host.parse(markdown)) as unknown as Parameters<typeof host.stringify>[0];
  const root = tree as Node;
  const elements = listElements(root, null);
  const named = (name: string) => elements.filter(({ node }) => node.tagName === name);
  const top = root.children ?? [];
  return {
    html: host.stringify(tree),
    headings: elements.filter(({ node }) => /^h\d$/.test(node.tagName ?? "")).map(({ node }) => textOf(node)),
    tables: named("table").map(({ node, inside }) => ({ ...readTable(node), inside })),
    links: named("a").map(({ node }) => ({ text: textOf(node), href: String(node.properties?.href ?? "") })),
    details: named("details").map(({ node }) => summaryOf(node)),
    alerts: top.flatMap((node) => readAlert(node)),
    diagrams: named("code")
      .filter(({ node }) => String(node.properties?.className).includes("language-mermaid"))
      .map(({ node }) => textOf(node)),
    shapes: [...new Set(elements.map(({ node }) => shapeOf(node)))],
  };
}

/** The links of a page that lead nowhere: relative ones without a file in the folder. */
export function brokenLinks({ links }: RenderedPage, folder: string): string[] {
  return links
    .map(({ href }) => href)
    .filter((href) => !/^https?:/.test(href) && !href.startsWith("#"))
    .filter((href) => !existsSync(path.join(folder, decodeURIComponent(href))));
}

interface Place {
  readonly node: Node;
  readonly inside: string | null;
}

function listElements(node: Node, inside: string | null): Place[] {
  const here = node.type === "element" ? [{ node, inside }] : [];
  const deeper = node.tagName === "details" ? summaryOf(node) : inside;
  return [...here, ...(node.children ?? []).flatMap((child) => listElements(child, deeper))];
}

function readTable(table: Node): Omit<RenderedTable, "inside"> {
  const rows = listElements(table, null).filter(({ node }) => node.tagName === "tr");
  const cells = rows.map(({ node }) =>
    (node.children ?? []).filter((cell) => cell.tagName === "td" || cell.tagName === "th").map(textOf),
  );
  return { head: cells[0] ?? [], rows: cells.slice(1) };
}

function readAlert(node: Node): RenderedPage["alerts"] {
  if (node.tagName !== "blockquote") return [];
  const [mark = "", ...lines] = textOf(node).trim().split("\n");
  const kind = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$/.exec(mark)?.[1];
  return kind === undefined ? [] : [{ kind, text: lines.join("\n") }];
}

function summaryOf(details: Node): string {
  const summary = details.children?.find((child) => child.tagName === "summary");
  return summary === undefined ? "" : textOf(summary);
}

function shapeOf({ tagName = "", properties = {} }: Node): string {
  return [tagName, ...Object.keys(properties).sort()].join(" ");
}

function textOf(node: Node): string {
  return node.type === "text" ? (node.value ?? "") : (node.children ?? []).map(textOf).join("");
}
