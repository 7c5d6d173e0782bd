import * as v from "valibot";
import { progressKinds, verdicts } from "../machine/decision.ts";
import { type HostedCode, hostKinds, type VerdictEvent } from "../machine/verdict-event.ts";
import { about, whole } from "../text/shape.ts";
import {
  changedPath,
  checkRun,
  escalation,
  evidenceFacts,
  failure,
  gateResult,
  manualStanding,
  modelEnd,
  overBounds,
  reason,
  tamper,
  ticket,
  watchedChange,
} from "./facts.ts";
import { proof, squareFacts } from "./square-facts.ts";
import { amount, count, flag, maybePhase, maybeText, number, phase, text, texts, time, tokens } from "./values.ts";

/** The keys of every event that moves the task from one phase to another. */
export const moved = { at: time, from: phase, to: phase, state: text };
/** The keys of every event for which a model was called. */
export const charged = { end: modelEnd, duration_ms: number, cost_usd: amount, tokens };
export const openQuestions = about(texts, "ids of the questions that were open afterwards");

const hostedCode = whole<HostedCode>()({
  commit: maybeText,
  branch: maybeText,
  dirty: about(
    v.nullable(flag),
    "the code differs from that commit; task folders, `.task-phase/` and the board do not count as code",
  ),
  web: maybeText,
  kind: v.nullable(v.picklist(hostKinds)),
  pushed: v.nullable(flag),
});

export const verdict = about(
  whole<VerdictEvent>()({
    type: v.literal("verdict"),
    ...moved,
    pass: count,
    model: maybeText,
    proposed: maybePhase,
    verdict: v.picklist(verdicts),
    reason: text,
    reasons: v.array(reason),
    gates: v.array(gateResult),
    progress: v.array(v.picklist(progressKinds)),
    made: about(texts, "the progress in words"),
    tickets: v.array(ticket),
    failure: v.nullable(failure),
    escalation: v.nullable(escalation),
    checks: v.nullable(checkRun),
    fingerprint: v.object({ before: text, after: text, present: maybeText }),
    answer: about(maybeText, "the beginning of the model's answer if the pass changed nothing, else null"),
    ...charged,
    overridden: texts,
    tampering: v.array(tamper),
    put_back: about(
      v.array(tamper),
      "ledgers and SUMMARY.md that the pass changed, and DECISIONS.md if it answered its own new question",
    ),
    evidence: evidenceFacts,
    changed_paths: about(v.array(changedPath), "at most 200"),
    open_questions: openQuestions,
    watched: about(v.nullable(v.array(watchedChange)), "null if nothing is watched"),
    manual: about(
      v.array(manualStanding),
      "the manual scenarios, each with what a person said about this code (`answer`), or null; empty if no checks ran",
    ),
    tests_changed: about(v.picklist(["block", "show"]), "as the contract said"),
    square: about(v.nullable(squareFacts), "as in pass.json; null if the proof square was not due"),
    proof: about(v.nullable(proof), "the proof grade of the work; null if the proof square was not due"),
    frame: about(maybeText, "the frame that a person was asked to approve, or null"),
    over_bounds: about(
      v.nullable(overBounds),
      "the change of the repo if it is larger than the bounds of the phase (`most`), else null",
    ),
    code: about(
      v.nullable(hostedCode),
      "the commit that was checked out and where it can be seen, each null if it is not known. `dirty`: the code differs from that commit; task folders, `.task-phase/` and the board do not count as code. Null if a later run closed the pass",
    ),
    features: about(texts, "the visible features after an accepted or redirected pass, else empty"),
    contract_sha256: about(text, "SHA-256 of the brief"),
    record_sha256: about(text, "the SHA-256 of the pass's pass.json"),
  }),
  "a pass ended; its keys are below",
);
