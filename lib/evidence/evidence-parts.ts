import { checkText, evidenceLimits } from "../task-folder/guard.ts";
import { renderTemplate } from "../templates/render.ts";
import type { EvidenceModel } from "./evidence-model.ts";
import { type Detail, markdownView } from "./markdown-view.ts";

export type EvidenceParts = Record<"status" | "checks" | "record", string>;

/** From all that a reader of Markdown wants to see down to what always fits. */
const details: readonly Detail[] = [
  { cell: 400, rows: 60, lines: 30 },
  { cell: 120, rows: 20, lines: 0 },
  { cell: 30, rows: 5, lines: 0 },
];

/**
 * The runner's parts of EVIDENCE.md by name, in the order in which they stand: `status`, `checks`, `record`. Each starts
 * and ends without a newline; no data in them can end a table, a cell or a part. Where much is recorded, they show less
 * of it: together they take at most half of what may be read of EVIDENCE.md, and the rest is the agent's.
 */
export function renderEvidenceParts(model: EvidenceModel): EvidenceParts {
  const least = details.length - 1;
  const fitting = details.findIndex((detail, index) => index === least || takesHalf(renderParts(model, detail)));
  return renderParts(model, details[fitting] ?? { cell: 30, rows: 5, lines: 0 });
}

function renderParts(model: EvidenceModel, detail: Detail): EvidenceParts {
  const view = markdownView(model, detail);
  return {
    status: renderTemplate("evidence/status.md", view).trim(),
    checks: renderTemplate("evidence/checks.md", view).trim(),
    record: renderTemplate("evidence/record.md", view).trim(),
  };
}

function takesHalf(parts: EvidenceParts): boolean {
  const text = Object.values(parts).join("\n\n");
  return checkText(Buffer.from(`${text}\n\n${text}`), "EVIDENCE.md", evidenceLimits).kind === "text";
}
