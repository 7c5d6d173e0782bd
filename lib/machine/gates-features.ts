import { type Gate, type GateInput, gate } from "./gate.ts";
import { featureLabels } from "./state-view.ts";

/** A user-facing task says what a user will see before it is built. */
export function featuresListed(input: GateInput): Gate[] {
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

/** The features that a user sees are real. */
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

function labelsLegal(input: GateInput): Gate {
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

/**
 * Only rows that claim to be real need proof. One that no proof was looked up for is as unproven as one whose proof is
 * missing.
 */
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
