import * as v from "valibot";
import { about } from "../../text/shape.ts";
import { hostKinds } from "../words.ts";
import { changedPath, modelEnd } from "./facts.ts";
import { decision, facts } from "./pass-facts.ts";
import { policy } from "./policy.ts";
import { amount, count, flag, maybeText, number, phase, text, texts, time, tokens } from "./values.ts";

/** The keys of every event that moves the task from one phase to another. */
export const moved = { at: time, from: phase, to: phase, state: text };
/** The keys of every event for which a model was called. */
export const charged = { end: modelEnd, duration_ms: number, cost_usd: amount, tokens };
export const openQuestions = about(texts, "ids of the questions that were open afterwards");

const hostedCode = v.object({
  /** Null without git and before the first commit. */
  commit: maybeText,
  branch: maybeText,
  dirty: about(
    v.nullable(flag),
    "the code differs from that commit; task folders, `.task-phase/` and the board do not count as code",
  ),
  /**
   * Address of the repository on its host, for example `https://github.com/owner/name`, without credentials; null if
   * none is known.
   */
  web: maybeText,
  /** How that host writes addresses; null if that is not known. */
  kind: v.nullable(v.picklist(hostKinds)),
  /** Whether the remote was known to have the commit; null if there is no remote. */
  pushed: v.nullable(flag),
});

const { runner_fields: _fields, exit_name: _exit, ...decided } = decision.entries;
const { checks, fingerprint, tampering, put_back, evidence, watched, matrix } = facts.entries;

export const verdict = about(
  v.object({
    type: v.literal("verdict"),
    pass: count,
    model: maybeText,
    ...decided,
    ...moved,
    made: about(texts, "the progress in words"),
    ...{ checks, fingerprint, tampering, put_back, evidence, watched, matrix },
    open_questions: openQuestions,
    tests_changed: policy.entries.tests_changed,
    answer: about(maybeText, "the beginning of the model's answer if the pass changed nothing, else null"),
    ...charged,
    overridden: texts,
    changed_paths: about(v.array(changedPath), "at most 200"),
    code: about(
      v.nullable(hostedCode),
      "the commit that was checked out and where it can be seen, each null if it is not known. `dirty`: the code differs from that commit; task folders, `.task-phase/` and the board do not count as code. Null if a later run closed the pass",
    ),
    git_warnings: about(
      v.optional(texts),
      "settings and hooks of git that changed, and commits that were lost, during the pass; missing: none",
    ),
    features: about(texts, "the visible features after an accepted or redirected pass, else empty"),
    contract_sha256: about(text, "SHA-256 of the brief"),
    record_sha256: about(text, "the SHA-256 of the pass's pass.json"),
  }),
  "a pass ended",
);
