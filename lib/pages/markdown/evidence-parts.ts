import { checkText, evidenceLimits } from "../../documents/check-text.ts";
import { mdProse, renderTemplate } from "../../documents/templates/render-template.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { mostShownLines } from "../../rules/verdict-event.ts";
import type { EvidenceModel } from "../model/build-model.ts";
import { noPageFiles, type PageFiles } from "../page/page-files.ts";
import { words } from "../view/format.ts";
import { viewModel } from "../view/view.ts";
import { type Detail, markdownView } from "./markdown-view.ts";

export type EvidenceParts = Record<"status" | "checks" | "record", string>;

/** From all that a reader of Markdown wants to see downwards. */
const details: readonly Detail[] = [
  { cell: 400, text: 2000, rows: 60, lines: 30, diff: mostShownLines },
  { cell: 120, text: 400, rows: 20, lines: 0, diff: 40 },
];
/** This always fits, whatever is in the data. */
const least: Detail = { cell: 30, text: 60, rows: 5, lines: 0, diff: 0 };

/**
 * The runner's parts of EVIDENCE.md by name, in their order in the file: `status`, `checks`, `record`. Each
 * starts and ends without a newline; no data in them can end a table, a cell or a part. If much is recorded, they show
 * less of it: together they take at most half of what may be read of EVIDENCE.md, and the rest is the agent's.
 */
export function renderEvidenceParts(model: EvidenceModel, { patches }: PageFiles = noPageFiles): EvidenceParts {
  const shared = viewModel(model, "", patches);
  for (const detail of details) {
    const parts = renderParts(markdownView(model, detail, patches, shared));
    if (takesHalf(parts)) return parts;
  }
  return renderParts(markdownView(model, least, patches, shared));
}

/** SUMMARY.md: the report of a task that is done, with the same first part. */
export function renderSummary(model: EvidenceModel, { patches }: PageFiles = noPageFiles): string {
  return renderTemplate("SUMMARY.md", markdownView(model, reported, patches));
}

/** Where EVIDENCE.md is, for a text that is read outside the task folder. */
export interface EvidenceAddress {
  /** From the top of the repo. */
  readonly path: string;
  /** Its address; empty if none is known. */
  readonly href: string;
  /** What makes an address of a path of the task folder; empty if nothing does. */
  readonly base: string;
}

/** The text of a pull request: what SUMMARY.md says first, without the diff; also of a task that is not done. */
export function renderPullRequest(model: EvidenceModel, { patches }: PageFiles, evidence: EvidenceAddress): string {
  const view = markdownView(model, reported, patches, withAddresses(viewModel(model, "", patches), evidence.base));
  return renderTemplate("PR.md", {
    ...view,
    done: model.phase === "done",
    phase: model.phase === null ? "No pass has run yet" : `It is in ${words(model.phase)}`,
    wanted: view.fields.filter(({ label }) => label === "Objective" || label === "Done gate"),
    evidence,
  });
}

/** The view with links that lead somewhere from elsewhere too; without a base there are none. */
function withAddresses<View>(view: View, base: string): View {
  const at = (value: unknown, key = ""): unknown => {
    if (typeof value === "string" && (key === "href" || key === "log"))
      return base === "" || value === "" ? "" : `${base}${value}`;
    if (Array.isArray(value)) return value.map((each) => at(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, at(inner, name)]));
  };
  return at(view) as View;
}

const reported: Detail = { cell: 1000, text: 1000, rows: 100, lines: 0, diff: 120 };

function renderParts(view: ReturnType<typeof markdownView>): EvidenceParts {
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

/** A headline as EVIDENCE.md or SUMMARY.md may show it, without its marks: whole, or cut where much is recorded. */
export function writtenHeadlines(headline: string): string[] {
  return [...details, least, reported].map(({ cell }) => mdProse(showShort(headline, cell)));
}
