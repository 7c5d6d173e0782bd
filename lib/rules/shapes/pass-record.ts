import * as v from "valibot";
import { about, type Shape } from "../../text/shape.ts";
import { changedPath } from "./facts.ts";
import { decision, facts, proposal, stateView } from "./pass-facts.ts";
import { policy } from "./policy.ts";
import { count, flag, maybeText, number, text, texts } from "./values.ts";

const decided = {
  version: v.literal(1),
  before: about(v.object({ state: stateView }), "the last accepted STATE.md"),
  proposal: about(
    proposal,
    "the STATE.md that the agent left: `kind` is `read` with a `state`, or `unreadable` with `problems`",
  ),
  facts: about(facts, "what was measured"),
  policy,
  decision: about(decision, "what follows from the facts"),
};

/** The part of pass.json from which its verdict follows; the rest is for people and other programs. */
export const decidedShape = v.object(decided);

export const stage = v.object({
  stage: v.picklist(["PLAN", "PREP", "EXEC", "VALIDATE", "DIAGNOSE", "REPAIR", "CHECKPOINT", "DONE"]),
  at: about(text, "a time"),
  ms: about(number, "from its begin to that of the next"),
});

/** The model that worked, and what it reported about its own run. */
const modelRecord = v.object({
  name: about(text, "of task-phase.yaml"),
  adapter: about(text, "of task-phase.yaml"),
  turns: about(v.nullable(number), "model calls, as the CLI counts them, or null"),
  session_id: about(maybeText, "as the CLI names it, or null"),
  cost_source: about(
    v.nullable(v.picklist(["reported", "price"])),
    "`reported` by the CLI, `price` for tokens times `price`, or null if the cost is not known",
  ),
  error: about(maybeText, "the error with which the CLI ended, in its own words, or null"),
});

const stream = v.object({ bytes: count, kept_bytes: count, cut: flag });

/** A whole pass.json as this version writes it. */
export const passRecord = v.object({
  version: decided.version,
  task: about(text, "its id"),
  pass: about(count, "its number"),
  model: about(v.nullable(modelRecord), "null without a model, and if the record was written by a later run"),
  stages: v.array(stage),
  before: decided.before,
  proposal: decided.proposal,
  facts: decided.facts,
  policy,
  decision: decided.decision,
  overridden: about(texts, "labels"),
  changed_paths: about(v.array(changedPath), "`change` is `added`, `removed` or `changed`"),
  output: about(v.nullable(v.object({ stdout: stream, stderr: stream })), "null if there is none"),
  ended_processes: about(
    v.array(v.object({ pid: number, command: text })),
    "processes left by the model that were ended",
  ),
  note: maybeText,
});

export type DecidedRecord = Shape<typeof decidedShape>;
export type PassRecord = Shape<typeof passRecord>;
export type ModelRecord = Shape<typeof modelRecord>;
export type StageTime = Shape<typeof stage>;
