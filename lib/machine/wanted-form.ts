import type { Reason } from "./decision.ts";
import { type Phase, phases } from "./phases.ts";
import { stateFields } from "./state-view.ts";

const forms: Readonly<Record<string, string>> = {
  candidate_done: "- Candidate done: yes",
  no_blockers: "- Blockers: none",
  blockers_filled: "- Blockers: what is missing, and who can provide it",
  evidence_exists: "- Evidence location: artifacts/",
  ticket_given: "- what is wrong, where, and how to see it",
  features_listed: "| the feature | real_working | artifacts/its-proof.txt |",
  feature_labels: "| the feature | real_working | artifacts/its-proof.txt |",
  features_proven: "| the feature | real_working | artifacts/its-proof.txt |",
  question_open: "## Q1: the question in one line?",
  steps_done: "- [x] the item exactly as written there",
};

/** The line to write instead, by the reason's code; null if no single line would do. */
export function wantedForm({ code }: Pick<Reason, "code">, from: Phase): string | null {
  if (code === "illegal_transition") return `- Phase: ${phases[from].next[0] ?? from}`;
  const field = stateFields.find(({ key }) => code === `${key}_filled`);
  return forms[code] ?? (field === undefined ? null : `- ${field.label}: what holds, in one line`);
}

export function withWantedForm(reason: Reason, from: Phase): string {
  const form = wantedForm(reason, from);
  return form === null ? reason.text : `${reason.text}. Write it so: \`${form}\``;
}
