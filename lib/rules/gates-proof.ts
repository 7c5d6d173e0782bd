import type { StepProof } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import type { Phase } from "./phases.ts";
import { featureLabels } from "./state-view.ts";
import { plural } from "./wording.ts";

export function proofThere(input: GateInput): Gate {
  const { problem, files } = input.evidence;
  const there = problem === null && files.length > 0;
  const found = problem ?? (there ? plural(files.length, "file") : "no file there");
  return gate(
    "evidence_exists",
    "The Evidence location holds proof",
    there,
    found,
    `the Evidence location holds no proof: ${found}`,
  );
}

export function linkThere(input: GateInput): Gate {
  const { link_target, link_target_exists } = input.evidence;
  return gate(
    "evidence_link",
    "The Evidence link's target exists",
    link_target !== null && link_target_exists,
    link_target === null
      ? "there is no proof to link to"
      : link_target_exists
        ? link_target
        : `${link_target} does not exist`,
    link_target === null
      ? "there is no proof for the Evidence link to point to"
      : `the Evidence link points to ${link_target}, which does not exist`,
  );
}

/** For each item ticked in this pass, and at `done` for every item. Before `done`, only if it fails. */
export function stepsProven({ steps: { before }, step_proofs: proofs }: GateInput, to: Phase): Gate[] {
  const wasDone = (text: string) => before.some((step) => step.done && step.text === text);
  const judged = to === "done" ? proofs : proofs.filter(({ text }) => !wasDone(text));
  const missing = judged.filter(({ problem }) => problem !== null);
  if (missing.length === 0 && (to !== "done" || proofs.length === 0)) return [];
  const told = missing.map(renderStep).join("; ");
  return [
    gate(
      "steps_proven",
      "The proof that each ticked item of TASKS.md names is there",
      missing.length === 0,
      missing.length === 0 ? proofs.map(({ path }) => path).join(", ") : told,
      `${told}; make the file, or untick the item`,
    ),
  ];
}

function renderStep({ line, path, problem }: StepProof): string {
  return `the item at TASKS.md:${line} is ticked and names ${path} as its proof, ${problem}`;
}

export function featuresListed(input: Pick<GateInput, "policy" | "state">): Gate[] {
  if (!input.policy.user_facing) return [];
  const any = input.state.features.length > 0;
  return [
    gate(
      "features_listed",
      "Visible features are listed",
      any,
      any
        ? `${input.state.features.length} listed`
        : "the task is user-facing, so Visible features needs at least one row",
      "no visible feature is listed: the task is user-facing, so Visible features needs at least one row",
    ),
    labelsLegal(input),
  ];
}

export function featuresTrue(input: GateInput): Gate[] {
  if (input.state.features.length === 0 && input.known_features.length === 0) return [];
  const unknown = input.state.features.filter((row) => row.label === "unknown_do_not_show");
  const unproven = unprovenFeatures(input);
  const now = new Set(input.state.features.map((row) => row.feature));
  const vanished = input.known_features.filter((feature) => !now.has(feature));
  const unknownNames = unknown.map((row) => row.feature).join(", ");
  const problems = unproven.map((proof) => `${proof.feature}: ${proof.problem}`).join("; ");
  const hide = "hide a feature by its label, not by deleting its row";
  return [
    labelsLegal(input),
    gate(
      "features_known",
      "No visible feature is unknown",
      unknown.length === 0,
      unknown.length === 0 ? "none" : `still unknown_do_not_show: ${unknownNames}`,
      `visible features are still unknown_do_not_show: ${unknownNames}`,
    ),
    gate(
      "features_proven",
      "Real features carry proof that exists",
      unproven.length === 0,
      unproven.length === 0 ? "all do" : problems,
      `real features carry no proof that exists: ${problems}`,
    ),
    gate(
      "features_kept",
      "No visible feature vanished",
      vanished.length === 0,
      vanished.length === 0 ? "none" : `gone: ${vanished.join(", ")}; ${hide}`,
      `visible features vanished: ${vanished.join(", ")}; ${hide}`,
    ),
  ];
}

function labelsLegal(input: Pick<GateInput, "state">): Gate {
  const wrong = input.state.features.filter((row) => !(featureLabels as readonly string[]).includes(row.label));
  const found = wrong.map((row) => `"${row.feature}" is labelled "${row.label}"`).join(", ");
  const told = `${found}; expected one of ${featureLabels.join(", ")}`;
  return gate(
    "feature_labels",
    "Every visible feature has a legal label",
    wrong.length === 0,
    wrong.length === 0 ? "all legal" : told,
    `visible features have illegal labels: ${told}`,
  );
}

/** Only rows that claim to be real need proof; a row that was not checked counts as unproven. */
function unprovenFeatures(input: GateInput): { feature: string; problem: string }[] {
  const real = new Set(input.state.features.filter(({ label }) => label.startsWith("real_")).map((row) => row.feature));
  const judged = new Set(input.feature_proofs.map((proof) => proof.feature));
  return [
    ...input.feature_proofs.flatMap(({ feature, problem }) =>
      problem === null || !real.has(feature) ? [] : [{ feature, problem }],
    ),
    ...[...real]
      .filter((feature) => !judged.has(feature))
      .map((feature) => ({ feature, problem: "its proof was not found" })),
  ];
}
