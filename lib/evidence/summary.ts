import { renderTemplate } from "../templates/render.ts";
import type { EvidenceModel } from "./evidence-model.ts";
import { markdownView } from "./markdown-view.ts";

/** SUMMARY.md: the report of a task that is done. */
export function renderSummary(model: EvidenceModel): string {
  return renderTemplate("SUMMARY.md", {
    ...markdownView(model, { cell: 1000, rows: 100, lines: 0 }),
    passCount: model.passes.length,
    notAccepted: model.passes.filter((row) => row.verdict !== "accepted").length,
    repairs: model.passes.filter((row) => row.to === "repair" && row.from !== "repair").length,
    personEdits: model.edits.filter((edit) => edit.who === "person").length,
  });
}
