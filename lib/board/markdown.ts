import { mdCell, mdInline } from "../templates/markdown-escape.ts";
import { mdLink } from "../templates/markdown-nodes.ts";
import { renderTemplate } from "../templates/render.ts";
import { showShort } from "../templates/visible.ts";
import { drawGraph, type GraphLine, listGraph } from "./graph.ts";
import type { BoardInput } from "./input.ts";
import { limitRows } from "./limits.ts";
import { mermaidGraph } from "./mermaid.ts";
import { type BoardRow, groupRows, summarise } from "./rows.ts";
import { formatMinute } from "./words.ts";

/** Hosts stop rendering Markdown files that are much longer. */
const limits = { rows: 400, bytes: 300_000 };
const shownLines = 60;
const shownNeeds = 8;
/** A longer address makes a line that some readers refuse. */
const longestHref = 1_000;

/** BOARD.md of a tasks root, for a phone in a git host. The same input gives the same bytes. */
export function renderBoardMarkdown(input: BoardInput): string {
  const graph = drawGraph(input.tasks);
  const lines = listGraph(graph, shownNeeds);
  return renderTemplate("BOARD.md", {
    iso: input.at,
    root: showShort(input.root, 80) || "tasks",
    at: formatMinute(input.at),
    summary: summarise(input.tasks),
    groups: limitRows(groupRows(input), limits).map((group) => ({ ...group, rows: group.rows.map(writeRow) })),
    diagram: mermaidGraph(graph),
    lines: lines.slice(0, shownLines).map(writeLine),
    moreLines: Math.max(0, lines.length - shownLines),
  });
}

/** The cells of a row, as Markdown. */
function writeRow(row: BoardRow) {
  const { links, hosted } = row;
  const title = row.title === "" ? "" : `: ${mdInline(row.title)}`;
  // A host shows HTML as source: the page is linked where it is served, and that is what `hosted` leads to then.
  const proof = isShort(links.evidence) ? [mdLink("evidence", links.evidence)] : [];
  const onHost = hosted !== null && isShort(hosted.href) ? [`[online](${hosted.href})${noted(hosted.note)}`] : [];
  const questions = row.questions.map(
    ({ id, title: asked }) =>
      `${isShort(links.decisions) ? mdLink(id, links.decisions) : mdInline(id)}${asked === "" ? "" : `: ${mdInline(asked)}`}`,
  );
  return {
    task: join([
      `${isShort(links.state) ? mdLink(row.name, links.state) : mdInline(row.name)}${title}`,
      [...proof, ...onHost].join(" · "),
    ]),
    stands: join([`**${row.stands}**${row.phase === "" ? "" : `, ${row.phase}`}`, row.verdict, row.moved]),
    need: join([
      mdCell(row.need),
      row.blockers === "" ? "" : `Blockers: ${mdInline(row.blockers)}`,
      ...questions,
      row.moreQuestions === 0 ? "" : `and ${row.moreQuestions} more questions`,
      ...row.problems.map(mdInline),
      row.reason === "" ? "" : `Last verdict: ${mdInline(row.reason)}`,
    ]),
    spent: join([row.passes, row.cost, row.tokens]),
  };
}

/** Lines of one cell; the tag is the only one that tables allow. */
function join(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join("<br>");
}

function noted(note: string): string {
  return note === "" ? "" : ` (${mdInline(note)})`;
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
