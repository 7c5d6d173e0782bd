import { mdInline } from "../../templates/markdown-escape.ts";
import { renderTemplate } from "../../templates/render.ts";
import { showShort } from "../../templates/visible.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import { onlyShown } from "../view/view-watched.ts";
import { plural } from "../view/words.ts";
import { type Detail, markdownView } from "./markdown-view.ts";

const detail: Detail = { cell: 1000, text: 1000, rows: 100, lines: 0 };

/** So many names of one list say enough; EVIDENCE.md has them all. */
const namedChanges = 10;

/** SUMMARY.md: the report of a task that is done. */
export function renderSummary(model: EvidenceModel): string {
  const view = markdownView(model, detail);
  return renderTemplate("SUMMARY.md", {
    ...view,
    behind: [
      ...(view.code === "" ? [] : [`Code: ${view.code}`]),
      ...describeWatched(model),
      ...describeLooks(view.looks),
      ...describeReviews(view.reviews),
      ...describeBriefEdits(view.briefEdits, model.briefEdits.length),
    ],
    passCount: model.passes.length,
    notAccepted: model.passes.filter((row) => row.verdict !== "accepted").length,
    repairs: model.passes.filter((row) => row.to === "repair" && row.from !== "repair").length,
    personEdits: model.edits.filter((edit) => edit.who === "person").length,
  });
}

/** What a check may owe its result to. */
function describeWatched({ watched, watchedAt }: EvidenceModel): string[] {
  if (watchedAt === null) return [];
  if (watched.length === 0) return ["Tests and checks: those of pass 1"];
  const accepted = watched.filter((row) => row.standing === "accepted");
  const allowed = watched.filter((row) => row.standing === "allowed");
  const loose = watched.filter((row) => row.standing === "open" || row.standing === "refused");
  const shown = watched.filter((row) => row.standing === "shown" && row.hides);
  return [
    ...(accepted.length === 0 ? [] : [`Tests and checks that a person accepted changes of: ${nameChanges(accepted)}`]),
    ...(allowed.length === 0 ? [] : [`Tests that changed as \`tests_may_change\` allows: ${nameChanges(allowed)}`]),
    ...(shown.length === 0
      ? []
      : [`Changes of tests or checks that could hide a failure, ${onlyShown}: ${nameChanges(shown)}`]),
    ...(loose.length === 0 ? [] : [`**Changes of tests or checks that no person accepted: ${loose.length}**`]),
    ...(watched.some(({ hides }) => hides)
      ? []
      : [`Tests and checks: ${plural(watched.length, "change")}, none of which could hide a failure`]),
  ];
}

function nameChanges(rows: EvidenceModel["watched"]): string {
  const named = rows.slice(0, namedChanges).map(({ name, change }) => `${showShort(name, 200)} (${change})`);
  const others = rows.length > named.length ? `, and ${rows.length - named.length} more` : "";
  return `${mdInline(named.join(", "))}${others}`;
}

function describeLooks(looks: ReturnType<typeof markdownView>["looks"]): string[] {
  return looks.map(
    ({ name, look, said }) => `${mdInline(name)}, which nothing ran for (${mdInline(look)}): ${mdInline(said)}`,
  );
}

function describeReviews(reviews: ReturnType<typeof markdownView>["reviews"]): string[] {
  if (reviews.length === 0) return [];
  const said = reviews.map(
    ({ link, current, result }) => `${link}${current ? "" : " (of an earlier state)"}: ${mdInline(result)}`,
  );
  return [`Reviews: ${said.join("; ")}`];
}

function describeBriefEdits(edits: ReturnType<typeof markdownView>["briefEdits"], count: number): string[] {
  const last = edits.at(-1);
  if (last === undefined) return [];
  return [
    `Edits of the brief by a person: ${count}, the last on ${last.at} (${mdInline(last.keys)}); the checks ${last.checks}`,
  ];
}
