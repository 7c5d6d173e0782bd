import { checksHold, stoodStill } from "./check-run.ts";
import type { CheckRun, EvidenceFacts, FeatureProof, GateResult, Policy } from "./facts.ts";
import type { Phase } from "./phases.ts";
import { type FieldKey, featureLabels, isFilled, isNoneOrEmpty, type ListedItem, type StateView, stateFields } from "./state-view.ts";

/** What the gates of a transition look at. A person's edit and a model's proposal are held to the same ones. */
export interface GateInput {
  readonly before: StateView;
  readonly state: StateView;
  readonly checks: CheckRun | null;
  /** Of the repo as it stands now. */
  readonly fingerprint: string;
  readonly reviewed_fingerprint: string | null;
  readonly evidence: EvidenceFacts;
  readonly feature_proofs: readonly FeatureProof[];
  /** Features that were accepted before and that no person took out. */
  readonly known_features: readonly string[];
  readonly steps: readonly ListedItem[];
  readonly open_questions: readonly string[];
  readonly promise_seen: boolean;
  readonly policy: Policy;
}

export interface Gate extends GateResult {
  /** Stable word for logs and signatures. */
  readonly code: string;
  /** `redirect`: a failure sends the task to repair instead of rejecting the pass. */
  readonly onFailure: "reject" | "redirect" | "ask";
}

/** The gates of a transition, each judged. Staying in a phase has none. */
export function judgeGates(from: Phase, to: Phase, input: GateInput): Gate[] {
  if (from === to) return [];
  if (to === "blocked") return [blockersFilled(input)];
  if (to === "needs_user_decision") return [questionOpen(input)];
  if (to === "repair") return [ticketGiven(input)];
  switch (`${from} → ${to}`) {
    case "intake → shape":
      return frameFilled(input);
    case "shape → implement":
      return [...frameFilled(input), filled("validation_plan", input), ...featuresListed(input)];
    case "implement → verify":
      return [filled("current_result", input), proofThere(input)];
    case "verify → review":
      return validated(input);
    case "review → done":
      return [...validated(input), ...finished(input)];
    default:
      return [];
  }
}

/** The findings that this proposal added. */
export function addedFindings(before: StateView, after: StateView): string[] {
  const rest = [...before.findings];
  return after.findings.filter((finding) => {
    if (finding.trim() === "") return false;
    const at = rest.indexOf(finding);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}



function frameFilled(input: GateInput): Gate[] {
  const frame: readonly FieldKey[] = ["objective", "done_gate", "not_doing", "reality_constraints"];
  return frame.map((key) => filled(key, input));
}

function filled(key: FieldKey, input: GateInput): Gate {
  const label = stateFields.find((field) => field.key === key)?.label ?? key;
  const ok = isFilled(key, input.state.fields[key]);
  return gate(`${key}_filled`, `${label} is filled`, ok, ok ? "filled" : `${label} is empty or a placeholder; state it in one line`);
}

function featuresListed(input: GateInput): Gate[] {
  if (!input.policy.user_facing) return [];
  const any = input.state.features.length > 0;
  return [
    gate(
      "features_listed",
      "Visible features are listed",
      any,
      any ? `${input.state.features.length} listed` : "the task is user-facing, so Visible features needs at least one row",
    ),
    labelsLegal(input),
  ];
}

function labelsLegal(input: GateInput): Gate {
  const wrong = input.state.features.filter((row) => !(featureLabels as readonly string[]).includes(row.label));
  return gate(
    "feature_labels",
    "Every visible feature has a legal label",
    wrong.length === 0,
    wrong.length === 0
      ? "all legal"
      : `${wrong.map((row) => `"${row.feature}" is labelled "${row.label}"`).join(", ")}; expected one of ${featureLabels.join(", ")}`,
  );
}

function proofThere(input: GateInput): Gate {
  const { problem, files } = input.evidence;
  const there = problem === null && files.length > 0;
  const found = problem ?? (there ? `${files.length} ${files.length === 1 ? "file" : "files"}` : "no file there");
  return gate("evidence_exists", "The Evidence location holds proof", there, found);
}

function validated(input: GateInput): Gate[] {
  return [requiredValidators(input), ...checksPassed(input), ...featuresTrue(input), linkThere(input)];
}

function requiredValidators(input: GateInput): Gate {
  const names = input.policy.required_validators;
  return {
    ...gate(
      "no_required_validator",
      "At least one required validator ran",
      names.length > 0,
      names.length > 0 ? names.join(", ") : "the contract has no required validator, so nothing can prove the work; add `validators` to the front matter of README.md",
    ),
    onFailure: "ask",
  };
}

function checksPassed(input: GateInput): Gate[] {
  const { checks } = input;
  if (checks === null) {
    return [gate("checks_ran", "Validators and scenarios ran", false, "they have not run on the present fingerprint")];
  }
  const gates = checks.results
    .filter((result) => result.required)
    .map((result): Gate => {
      const ok = result.status === "pass";
      const how = result.status === "fail" ? `ended with ${result.exit_code ?? result.signal}` : result.status.replace("_", " ");
      return {
        ...gate(`${result.kind}_${result.name}`, `${result.kind} ${result.name} passes`, ok, ok ? "exit code 0" : `${how}; see ${result.log}`),
        onFailure: "redirect",
      };
    });
  gates.push(requiredRan(input.policy, checks));
  const still = stoodStill(checks);
  gates.push({
    ...gate(
      "checks_moved_repo",
      "The repo stands still under the checks",
      still,
      still ? "it did" : `the checks themselves changed ${checks.moved.slice(0, 20).join(", ") || "the repo"}, twice`,
    ),
    onFailure: "redirect",
  });
  const present = checks.fingerprint_after === input.fingerprint;
  gates.push(
    gate("checks_on_present_code", "The checks ran on the code that stands", present, present ? "same fingerprint" : "the repo changed after the checks"),
  );
  return gates;
}

/** What the contract requires and the run does not tell of has not passed. */
function requiredRan(policy: Policy, checks: CheckRun): Gate {
  const ran = (kind: "validator" | "scenario") => checks.results.filter((result) => result.kind === kind && result.required).map((result) => result.name);
  const missing = [
    ...policy.required_validators.filter((name) => !ran("validator").includes(name)),
    ...policy.required_scenarios.filter((name) => !ran("scenario").includes(name)),
  ];
  return gate(
    "required_ran",
    "Every required validator and scenario ran",
    missing.length === 0,
    missing.length === 0 ? "all did" : `no result of ${missing.join(", ")}`,
  );
}

function featuresTrue(input: GateInput): Gate[] {
  if (input.state.features.length === 0 && input.known_features.length === 0) return [];
  const unknown = input.state.features.filter((row) => row.label === "unknown_do_not_show");
  const unproven = unprovenFeatures(input);
  const now = new Set(input.state.features.map((row) => row.feature));
  const vanished = input.known_features.filter((feature) => !now.has(feature));
  return [
    labelsLegal(input),
    gate(
      "features_known",
      "No visible feature is unknown",
      unknown.length === 0,
      unknown.length === 0 ? "none" : `still unknown_do_not_show: ${unknown.map((row) => row.feature).join(", ")}`,
    ),
    gate(
      "features_proven",
      "Real features carry proof that exists",
      unproven.length === 0,
      unproven.length === 0 ? "all do" : unproven.map((proof) => `${proof.feature}: ${proof.problem}`).join("; "),
    ),
    gate(
      "features_kept",
      "No visible feature vanished",
      vanished.length === 0,
      vanished.length === 0 ? "none" : `gone: ${vanished.join(", ")}; hide a feature by its label, not by deleting its row`,
    ),
  ];
}

/** A real row that no proof was looked up for is as unproven as one whose proof is missing. */
function unprovenFeatures(input: GateInput): { feature: string; problem: string }[] {
  const judged = new Set(input.feature_proofs.map((proof) => proof.feature));
  return [
    ...input.feature_proofs.flatMap(({ feature, problem }) => (problem === null ? [] : [{ feature, problem }])),
    ...input.state.features
      .filter((row) => row.label.startsWith("real_") && !judged.has(row.feature))
      .map(({ feature }) => ({ feature, problem: "its proof was not found" })),
  ];
}

function linkThere(input: GateInput): Gate {
  const { link_target, link_target_exists } = input.evidence;
  return gate(
    "evidence_link",
    "The Evidence link's target exists",
    link_target !== null && link_target_exists,
    link_target === null ? "there is no proof to link" : link_target_exists ? link_target : `${link_target} is not there`,
  );
}

function finished(input: GateInput): Gate[] {
  const { fields } = input.state;
  const same = input.reviewed_fingerprint !== null && input.fingerprint === input.reviewed_fingerprint;
  const holds = input.checks !== null && checksHold(input.checks);
  const revalidated = input.before.fields.repair_applied !== "yes" || input.before.fields.revalidation_status === "pass" || holds;
  const open = input.steps.filter((step) => !step.done);
  const promise = input.policy.completion_promise;
  return [
    {
      ...gate(
        "review_kept_code",
        "The code is that of the accepted verify → review",
        same,
        same
          ? "same fingerprint"
          : input.reviewed_fingerprint === null
            ? "no verify → review was accepted since the task was opened"
            : "the repo changed since it was verified; review changes no code",
      ),
      onFailure: "redirect",
    },
    gate("candidate_done", "Candidate done is yes", fields.candidate_done === "yes", `it is ${fields.candidate_done}`),
    gate(
      "revalidated",
      "A repair was revalidated",
      revalidated,
      input.before.fields.repair_applied !== "yes" ? "no repair was applied" : `Revalidation status is ${input.before.fields.revalidation_status}`,
    ),
    gate(
      "no_blockers",
      "Blockers is none or empty",
      isNoneOrEmpty(fields.blockers),
      isNoneOrEmpty(fields.blockers) ? "none" : `Blockers still says: ${fields.blockers.slice(0, 120)}`,
    ),
    gate(
      "steps_done",
      "No item of TASKS.md is open",
      open.length === 0,
      open.length === 0 ? "none open" : `${open.length} open, the first: ${open[0]?.text.slice(0, 120)}`,
    ),
    ...(promise === null
      ? []
      : [
          gate(
            "promise",
            "The model's last line is the promise",
            input.promise_seen,
            input.promise_seen ? "it is" : "the last non-empty line of the final text is not the completion promise",
          ),
        ]),
  ];
}

function ticketGiven(input: GateInput): Gate {
  const added = addedFindings(input.before, input.state);
  return gate(
    "ticket_given",
    "At least one finding says what to repair",
    added.length > 0,
    added.length > 0 ? `${added.length} added` : "add each defect as an item under Findings",
  );
}

function blockersFilled(input: GateInput): Gate {
  const ok = isFilled("blockers", input.state.fields.blockers);
  return gate("blockers_filled", "Blockers says what stands in the way", ok, ok ? "filled" : "Blockers is empty or none");
}

function questionOpen(input: GateInput): Gate {
  const { open_questions } = input;
  const ok = open_questions.length > 0;
  return gate("question_open", "DECISIONS.md holds an open question", ok, ok ? open_questions.join(", ") : "add the question to DECISIONS.md, with Options and an empty Answer");
}

function gate(code: string, name: string, ok: boolean, detail: string): Gate {
  return { code, gate: name, ok, detail, onFailure: "reject" };
}
