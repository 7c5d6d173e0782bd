import { createContext, Script } from "node:vm";
import type { Nodes, Root } from "mdast";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { dataError } from "../report/errors.ts";

const processor = unified().use(remarkParse).use(remarkFrontmatter, ["yaml"]).use(remarkGfm).freeze();

/** The guard bounds the cost by counting; this is for what it did not foresee. */
const parseLimitMs = 5_000;

const call = new Script("run()");
const sandbox = createContext({ run: (): void => undefined });

/**
 * The tree of a text that `checkText` passed: CommonMark, GFM and YAML front matter. Offsets are those of the text,
 * which must not begin with a byte-order mark, since the parser drops one and every offset would be off by one.
 * Throws a data error where the parser takes longer than `limitMs` or runs out of stack.
 */
export function parseMarkdown(text: string, limitMs = parseLimitMs): Root {
  let tree: Root | null = null;
  // Only a script of node:vm can be stopped while it runs; it may call a function of ours, and stops that too.
  sandbox.run = (): void => {
    tree = processor.parse(text);
  };
  try {
    call.runInContext(sandbox, { timeout: limitMs });
  } catch (cause) {
    if (!isOverrun(cause)) throw cause;
  }
  if (tree !== null) return tree;
  throw dataError("TP_TEXT_TOO_COMPLEX", "the Markdown is too deeply nested or too repetitive to be parsed", {
    fix: "simplify it, or move parts of it to files under artifacts/",
  });
}

function isOverrun(cause: unknown): boolean {
  return cause instanceof RangeError || (cause as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

/** What a reader sees of a node: no marks, no HTML, an image as its alternative text; blocks on lines of their own. */
export function plainText(node: Nodes): string {
  switch (node.type) {
    case "text":
    case "inlineCode":
    case "code":
      return node.value;
    case "break":
      return "\n";
    case "image":
    case "imageReference":
      return node.alt ?? "";
    default:
      return "children" in node ? node.children.map(plainText).join(isFlow(node) ? "\n" : "") : "";
  }
}

/** The same on one line. */
export function plainLine(node: Nodes): string {
  return plainText(node).replace(/\s+/g, " ").trim();
}

/** Where a node stands in the text that was parsed. */
export function offsetsOf(node: Nodes): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

function isFlow(node: Nodes): boolean {
  return ["root", "blockquote", "list", "listItem", "footnoteDefinition", "table", "tableRow"].includes(node.type);
}
