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
/** Missing in journals of an earlier version. */
export const openQuestions = v.exactOptional(about(texts, "ids of the questions that were open afterwards"));

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
    made: v.exactOptional(about(texts, "the progress in words; missing in journals of an earlier version")),
    tickets: v.array(ticket),
    failure: v.nullable(failure),
    escalation: v.nullable(escalation),
    checks: v.nullable(checkRun),
    fingerprint: v.object({ before: text, after: text, present: maybeText }),
    answer: v.exactOptional(about(text, "the beginning of the model's answer, only if the pass changed nothing")),
    ...charged,
    overridden: texts,
    tampering: v.array(tamper),
    put_back: v.exactOptional(
      about(v.array(tamper), "only if the pass changed a ledger or SUMMARY.md, or answered its own new question"),
    ),
    evidence: evidenceFacts,
    changed_paths: about(v.array(changedPath), "at most 200"),
    open_questions: openQuestions,
    watched: v.exactOptional(v.array(watchedChange)),
    manual: v.exactOptional(
      about(
        v.array(manualStanding),
        "the manual scenarios, each with what a person said about this code (`answer`), or null; missing if the contract has none",
      ),
    ),
    tests_changed: v.exactOptional(about(v.picklist(["block", "show"]), "only if something is watched")),
    square: v.exactOptional(about(squareFacts, "as in pass.json; missing if the proof square was not due")),
    proof: v.exactOptional(about(proof, "the proof grade of the work; missing if the proof square was not due")),
    frame: v.exactOptional(about(text, "the frame that a person was asked to approve; missing: nobody was")),
    over_bounds: v.exactOptional(
      about(overBounds, "the change of the repo is larger than the bounds of the phase (`most`); missing: it is not"),
    ),
    code: v.exactOptional(
      about(
        hostedCode,
        "the commit that was checked out and where it can be seen, each null if it is not known. `dirty`: the code differs from that commit; task folders, `.task-phase/` and the board do not count as code",
      ),
    ),
    features: about(texts, "the visible features after an accepted or redirected pass, else empty"),
    contract_sha256: about(text, "SHA-256 of the brief"),
    record_sha256: about(text, "the SHA-256 of the pass's pass.json"),
  }),
  "a pass ended; its keys are below",
);
