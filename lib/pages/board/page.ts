import { hashStyle, renderTemplate } from "../../documents/templates/render-template.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { drawGraph, listGraph } from "./graph.ts";
import { type BoardInput, groupRows, limitRows, mostRows } from "./groups.ts";
import { formatMinute, summarise, summariseSpend } from "./standings.ts";

/** With what the template adds to each row, the page stays under 5 MB. */
const limits = { rows: mostRows, bytes: 2_500_000 };
const shownLines = 300;
const shownNeeds = 12;

/** index.html of a tasks root: one self-contained page without scripts. Deterministic. */
export function renderBoardPage(input: BoardInput): string {
  const lines = listGraph(drawGraph(input.tasks), shownNeeds);
  return renderTemplate("board.html", {
    iso: input.at,
    styleHash: hashStyle("board.html.eta"),
    root: showShort(input.root, 80) || "tasks",
    at: formatMinute(input.at),
    summary: summarise(input.tasks),
    spent: summariseSpend(input.tasks),
    groups: limitRows(groupRows(input, limits.rows), limits),
    lines: lines.slice(0, shownLines),
    moreLines: Math.max(0, lines.length - shownLines),
  });
}
