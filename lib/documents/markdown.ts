import type { Nodes, Root } from "mdast";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { oneLine } from "../rules/wording.ts";
import { dataError } from "../text/errors.ts";
import { withPlainSpaces } from "./wide-space.ts";

const processor = unified().use(remarkParse).use(remarkFrontmatter, ["yaml"]).use(remarkGfm).freeze();

/**
 * The tree of a text that `checkText` passed: CommonMark, GFM and YAML front matter. Offsets are those of the text,
 * which must not begin with a byte-order mark, since the parser drops one and every offset would be off by one.
 *
 * No clock stops it: the same text is read the same way on a busy, a stopped and a suspended machine. The guard counts
 * what a text costs before it comes here. Throws a data error if the parser runs out of stack, which no text that
 * the guard passed was seen to do.
 */
export function parseMarkdown(text: string): Root {
  try {
    return processor.parse(withPlainSpaces(text));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw dataError("TP_TEXT_TOO_COMPLEX", "the Markdown is nested too deeply to be parsed", {
      fix: "simplify it, or move parts of it to files under artifacts/",
    });
  }
}

/** The visible text of a node: no marks, no HTML, an image as its alternative text; blocks on lines of their own. */
export function plainText(
  node: Nodes,
  struck: "kept" | "left out" = "kept",
  html: "kept" | "left out" = "left out",
): string {
  switch (node.type) {
    case "delete":
      if (struck === "left out") return "";
      break;
    case "text":
    case "inlineCode":
    case "code":
      return node.value;
    case "html":
      return html === "kept" ? node.value.replace(/<!--[\s\S]*?(?:-->|$)/g, "") : "";
    case "break":
      return "\n";
    case "image":
    case "imageReference":
      return node.alt ?? "";
    default:
      break;
  }
  if (!("children" in node)) return "";
  return node.children.map((child) => plainText(child, struck, html)).join(isFlow(node) ? "\n" : "");
}

export function plainLine(node: Nodes): string {
  return oneLine(plainText(node));
}

/** As `plainLine`, with what Markdown takes for HTML: whoever writes `List<String>` means these words. */
export function wholeLine(node: Nodes): string {
  return oneLine(plainText(node, "kept", "kept"));
}

/** Where a node is in the text that was parsed. */
export function offsetsOf(node: Nodes): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

function isFlow(node: Nodes): boolean {
  return ["root", "blockquote", "list", "listItem", "footnoteDefinition", "table", "tableRow"].includes(node.type);
}
