import { mdInline } from "../../documents/templates/markdown-escape.ts";
import { mdCode, mdLink } from "../../documents/templates/markdown-nodes.ts";
import { renderTemplate } from "../../documents/templates/render-template.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { type BoardGraph, drawGraph, type GraphLine, type GraphNode, listGraph, openGraph } from "./graph.ts";
import { type BoardInput, groupRows, limitRows } from "./groups.ts";
import type { BoardAsk, BoardRow } from "./rows.ts";
import { formatMinute, summarise, summariseSpend } from "./standings.ts";

/** Hosts stop rendering Markdown files that are much longer. */
const limits = { rows: 400, bytes: 300_000 };
const shownLines = 60;
const shownNeeds = 8;
/** A longer address makes a line that some readers refuse. */
const longestHref = 1_000;

/** BOARD.md of a tasks root, for a phone in a git host. Deterministic. */
export function renderBoardMarkdown(input: BoardInput): string {
  const graph = drawGraph(input.tasks);
  const lines = listGraph(graph, shownNeeds);
  return renderTemplate("BOARD.md", {
    iso: input.at,
    root: showShort(input.root, 80) || "tasks",
    at: formatMinute(input.at),
    summary: summarise(input.tasks),
    spent: summariseSpend(input.tasks),
    groups: limitRows(groupRows(input, limits.rows), limits).map((group) => ({
      ...group,
      rows: group.rows.map(writeRow),
    })),
    diagram: mermaidGraph(graph),
    lines: lines.slice(0, shownLines).map(writeLine),
    moreLines: Math.max(0, lines.length - shownLines),
  });
}

/** A task as an item of a list, and the items below it, as Markdown. */
function writeRow(row: BoardRow) {
  const { links, hosted } = row;
  const name = row.title === "" ? row.name : `${row.name}: ${row.title}`;
  const link = isShort(links.state) ? mdLink(name, links.state) : mdInline(name);
  // A host shows HTML as source: the page is linked where it is served, and that is what `hosted` leads to then.
  const proof = isShort(links.evidence) ? [mdLink("evidence", links.evidence)] : [];
  const note = hosted === null || hosted.note === "" ? "" : ` (${mdInline(hosted.note)})`;
  const onHost = hosted !== null && isShort(hosted.href) ? [`[online](${hosted.href})${note}`] : [];
  const spent = [row.passes, row.cost, row.tokens].filter((part) => part !== "").join(", ");
  return {
    head: `**${link}** · ${[row.stands, row.phase].filter((part) => part !== "").join(", ")}`,
    items: [
      mdInline(row.need),
      row.blockers === "" ? "" : `Blockers: ${mdInline(row.blockers)}`,
      ...row.questions.flatMap((ask) => writeAsk(ask, row)),
      row.moreQuestions === 0 ? "" : `and ${row.moreQuestions} more questions`,
      ...row.problems.map(mdInline),
      row.reason === "" ? "" : `${mdInline(row.verdict)}: ${mdInline(row.reason)}`,
      [row.moved, spent, ...proof, ...onHost].filter((part) => part !== "").join(" · "),
    ].filter((item) => item !== ""),
  };
}

function writeAsk({ id, title, more, command }: BoardAsk, { links, editor }: BoardRow): string[] {
  const place = isShort(links.decisions) ? mdLink(id, links.decisions) : mdInline(id);
  const edit = isShort(editor) ? `, or [edit DECISIONS.md](${editor})` : "";
  return [
    `**${place}**: ${mdInline(title)}`,
    ...(more.length === 0 ? [] : [more.map(mdInline).join(" · ")]),
    `Answer: ${mdCode(command)}${edit}`,
  ];
}

function isShort(href: string): boolean {
  return href !== "" && href.length <= longestHref;
}

function writeLine({ name, words, needs, more }: GraphLine): string {
  const list = needs.map(
    (need) => `${mdInline(need.name)} (${mdInline(need.words)}${need.circle ? "; they need each other" : ""})`,
  );
  return `${mdInline(name)} (${mdInline(words)}) needs ${list.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** From here on some hosts draw a diagram only after a click. */
const longest = 1_999;
const labelLength = 28;

/**
 * The graph as a Mermaid flowchart without its fence; that of the open tasks if the whole is too long, else null.
 * `openOnly`: true if tasks that are done were left out.
 */
export function mermaidGraph(graph: BoardGraph): { readonly text: string; readonly openOnly: boolean } | null {
  const whole = draw(graph);
  if (whole.length <= longest) return { text: whole, openOnly: false };
  const open = openGraph(graph);
  const text = open.nodes.length === 0 || open.nodes.length === graph.nodes.length ? null : draw(open);
  return text === null || text.length > longest ? null : { text, openOnly: true };
}

/** Names of our own: an id may hold words and marks of the language. */
function draw({ nodes, edges }: BoardGraph): string {
  const names = new Map(nodes.map((node, index) => [node.key, `n${index}`]));
  const arrow = (circle: boolean) => (circle ? "-. circle .->" : "-->");
  const kinds = (["done", "person", "unknown"] as const).map((kind) => ({
    kind,
    members: nodes.filter((node) => node.kind === kind).map(({ key }) => names.get(key)),
  }));
  return [
    "flowchart LR",
    ...nodes.map((node) => `  ${names.get(node.key)}["${label(node)}"]`),
    ...edges.map(({ from, to, circle }) => `  ${names.get(from)} ${arrow(circle)} ${names.get(to)}`),
    ...kinds
      .filter(({ members }) => members.length > 0)
      .map(({ kind, members }) => `  class ${members.join(",")} ${kind}`),
    "  classDef done stroke:#14663a,stroke-width:3px",
    "  classDef person stroke:#a01f22,stroke-width:3px",
    "  classDef unknown stroke:#a01f22,stroke-dasharray:5 4",
  ].join("\n");
}

/** Every mark but those of plain ids as a numbered entity, so that a label stays a label. */
function label({ name, words }: GraphNode): string {
  const text = `${showShort(name, labelLength)}: ${words}`;
  return text.replace(/[^\p{L}\p{N} :-]/gu, (mark) => `#${mark.codePointAt(0)};`);
}

/**
 * The mark that both templates put on their files in the first or second line, with the time that ages are counted to.
 */
const mark = /^<!-- task-phase:board (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) -->$/;

/** The time that the ages of a board are counted to; null if the text is not a board of ours. */
export function readBoardMark(text: string): string | null {
  const lines = text
    .slice(0, 500)
    .replace(/^\ufeff/, "")
    .split(/\r?\n/, 2);
  return lines.map((line) => mark.exec(line)?.[1]).find((at) => at !== undefined) ?? null;
}
