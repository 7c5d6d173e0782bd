import * as v from "valibot";
import {
  type Before,
  type Decision,
  decisionExits,
  type Facts,
  type FeatureProof,
  type HistoryCounts,
  type Policy,
  type Proposal,
  progressKinds,
  type ReviewStanding,
  type RunnerFields,
  verdicts,
} from "../machine/facts.ts";
import { proofModes } from "../machine/square.ts";
import { type FeatureRow, type FieldKey, type ListedItem, type StateView, stateFields } from "../machine/state-view.ts";
import { whole } from "../text/read-shape.ts";
import {
  checkRun,
  count,
  escalation,
  evidenceFacts,
  failure,
  gateResult,
  maybeText,
  modelEnd,
  phase,
  proof,
  reason,
  reviewFinding,
  squareFacts,
  tamper,
  text,
  texts,
  ticket,
  watchedChange,
} from "./fact-schemas.ts";

/** The part of a pass.json that its verdict follows from. */
export interface DecidedRecord {
  readonly before: Before;
  readonly proposal: Proposal;
  readonly facts: Facts;
  readonly policy: Policy;
  readonly decision: Decision;
}

const listedItem = whole<ListedItem>()({ text, done: v.boolean() });
const pending = v.picklist(["pending", "pass", "fail"]);
const fieldKeys = stateFields.map(({ key }) => key) as [FieldKey, ...FieldKey[]];

const stateView = whole<StateView>()({
  phase,
  fields: v.objectWithRest(v.entriesFromList(fieldKeys, text), v.unknown()),
  risks: v.array(listedItem),
  features: v.array(whole<FeatureRow>()({ feature: text, label: text, proof: text })),
  findings: texts,
});

const proposal = v.variant("kind", [
  whole<Extract<Proposal, { kind: "read" }>>()({ kind: v.literal("read"), state: stateView }),
  whole<Extract<Proposal, { kind: "unreadable" }>>()({ kind: v.literal("unreadable"), problems: texts }),
]);

const facts = whole<Facts>()({
  pass: v.exactOptional(count),
  end: modelEnd,
  tampering: v.array(tamper),
  put_back: v.exactOptional(v.array(tamper)),
  secrets: texts,
  fingerprint: v.looseObject({ before: text, after: text, present: maybeText }),
  reviewed_fingerprint: maybeText,
  moved_since_review: texts,
  checks: v.nullable(checkRun),
  evidence: evidenceFacts,
  feature_proofs: v.array(whole<FeatureProof>()({ feature: text, problem: maybeText })),
  artifacts_changed: texts,
  evidence_rows_added: texts,
  task_files_changed: texts,
  known_features: texts,
  steps: v.looseObject({ before: v.array(listedItem), after: v.array(listedItem) }),
  open_questions: texts,
  reviews: v.exactOptional(
    v.array(
      whole<ReviewStanding>()({
        role: text,
        current: v.boolean(),
        problem: maybeText,
        findings: v.array(reviewFinding),
      }),
    ),
  ),
  watched: v.exactOptional(v.array(watchedChange)),
  square: v.exactOptional(squareFacts),
  promise_seen: v.boolean(),
  promise_problem: v.exactOptional(maybeText),
  history: whole<HistoryCounts>()({
    passes: count,
    repairs: count,
    failure: v.nullable(failure),
    timeouts_in_row: count,
  }),
});

const policy = whole<Policy>()({
  user_facing: v.boolean(),
  completion_promise: maybeText,
  budget: v.looseObject({ passes: v.number(), repairs: v.number() }),
  retries_per_failure: v.number(),
  required_validators: texts,
  required_scenarios: texts,
  tests_changed: v.exactOptional(v.picklist(["block", "show"])),
  findings_hold: v.exactOptional(v.literal(true)),
  proof: v.exactOptional(v.looseObject({ counter: v.picklist(proofModes), clean: v.picklist(proofModes) })),
  required_held_out: v.exactOptional(texts),
  review: v.exactOptional(v.looseObject({ reviewers: texts, at: v.array(v.picklist(["shape", "review"])) })),
});

const runnerFields = whole<RunnerFields>()({
  validator_status: pending,
  repair_applied: v.picklist(["yes", "no"]),
  revalidation_status: pending,
});

const decision = whole<Decision>()({
  verdict: v.picklist(verdicts),
  from: phase,
  proposed: v.nullable(phase),
  to: phase,
  reason: text,
  reasons: v.array(reason),
  gates: v.array(gateResult),
  progress: v.array(v.picklist(progressKinds)),
  tickets: v.array(ticket),
  failure: v.nullable(failure),
  escalation: v.nullable(escalation),
  proof: v.exactOptional(proof),
  runner_fields: runnerFields,
  exit_name: v.picklist(decisionExits),
});

/** All of a pass.json that its verdict follows from; what else stands in it is for people and other programs. */
export const recordSchema = v.looseObject({
  version: v.literal(1),
  before: whole<Before>()({ state: stateView }),
  proposal,
  facts,
  policy,
  decision,
}) satisfies v.GenericSchema<unknown, DecidedRecord>;
