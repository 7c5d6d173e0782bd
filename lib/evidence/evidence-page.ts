import { createHash } from "node:crypto";
import { splitProse } from "../templates/prose.ts";
import { relativeHref } from "../templates/relative-href.ts";
import { readTemplate, renderTemplate } from "../templates/render.ts";
import { showShort } from "../templates/visible.ts";
import type { EvidenceModel } from "./evidence-model.ts";
import { viewModel } from "./view.ts";
import { formatTokens, plural, words } from "./words.ts";

/**
 * artifacts/evidence.html: one self-contained page without scripts, whose only links are relative. The same model
 * gives the same bytes.
 */
export function renderEvidencePage(model: EvidenceModel): string {
  const view = viewModel(model, "artifacts");
  return renderTemplate("evidence.html", {
    ...view,
    styleHash: styleHash(),
    title: showShort(`${model.task.id}: ${model.task.title}`),
    strip: model.strip.map(({ phase, mark }) => ({ name: words(phase), mark })),
    fields: view.fields.map(({ label, value }) => ({ label, parts: splitProse(value) })),
    facts: [
      { label: "Passes", value: plural(model.passes.length, "pass", "passes") },
      { label: "Time in passes", value: view.time },
      { label: "Cost", value: view.cost },
      { label: "Last recorded", value: view.lastAt },
    ],
    files: ["README.md", "STATE.md", "EVIDENCE.md"].map((name) => ({ name, href: hrefOf(name) })),
    passes: view.passes.map((row) => ({ ...row, tokens: formatTokens(row.tokens) })),
    journal: { events: model.journal.events, head: view.head, href: hrefOf("artifacts/journal.jsonl") },
  });
}

/** The policy of the page names the digest of its one style sheet, so no other style can apply. */
function styleHash(): string {
  const style = /<style>([\s\S]*?)<\/style>/.exec(readTemplate("evidence.html.eta"))?.[1] ?? "";
  return `sha256-${createHash("sha256").update(style).digest("base64")}`;
}

/** As seen from artifacts/, where the page stands. */
function hrefOf(path: string): string {
  return relativeHref(path, "artifacts") ?? "";
}
