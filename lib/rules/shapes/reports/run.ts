import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import { attributions, checkStatuses, progressKinds, verdicts } from "../../words.ts";
import { ticket } from "../facts.ts";
import { stage } from "../pass-record.ts";
import {
  amount,
  count,
  maybeNumber,
  maybePhase,
  maybeText,
  maybeTime,
  number,
  text,
  texts,
  tokens,
} from "../values.ts";
import { end, evidence } from "./common.ts";

const maybeVerdict = v.nullable(v.picklist(verdicts));
const ofPass = "null if no pass took place";

const check = v.object({
  name: text,
  status: v.picklist(checkStatuses),
  exit_code: maybeNumber,
  duration_ms: number,
  attribution: v.nullable(v.picklist(attributions)),
  log: text,
});

/** One pass as `run` prints it. */
const passEntries = {
  task: about(maybeText, "the task's id"),
  pass: about(v.nullable(count), ofPass),
  from: about(maybePhase, "before the pass"),
  proposed: about(maybePhase, "the phase that the agent proposed"),
  to: about(maybePhase, "afterwards"),
  verdict: about(maybeVerdict, ofPass),
  reason: maybeText,
  model: about(maybeText, "its name"),
  duration_ms: about(maybeNumber, "of the whole pass"),
  cost_usd: about(
    amount,
    "as the model reported it, else its tokens times `price`; null if neither is known, never 0 for that",
  ),
  tokens: about(tokens, "as the CLI counts them: with cached tokens or without, see docs/models.md"),
  progress: v.array(v.picklist(progressKinds)),
  validators: about(v.array(check), "one for each validator and scenario that ran"),
  tickets: about(
    v.array(ticket),
    "the repairs to make; `source` is `proof` for a check that fails in a clean copy, and if no check fails without the work",
  ),
  overridden: about(
    texts,
    "labels: the runner's own fields that the agent had changed, and fields that were not written in their plain form",
  ),
  moves: about(
    v.array(v.object({ pass: count, from: maybePhase, to: maybePhase, verdict: maybeVerdict, reason: maybeText })),
    "passes of the same call before this one that needed no model, such as a verify that runs the checks alone",
  ),
  evidence: about(
    evidence,
    "the evidence page on this disk; `url`: where the evidence opens in a browser, or null; `pushed`: false if that address shows it only once it is pushed, null without a `url`",
  ),
  next_eligible_at: about(
    maybeTime,
    "if every model that may do the pass cools down (`unavailable`): when the first of them can be called again. If an open question keeps the pass from starting: when a safe default is taken. If another run holds the pass (`TP_CLAIMED`): until when",
  ),
  stages: about(
    v.array(stage),
    "PLAN, PREP, EXEC, VALIDATE, DIAGNOSE, REPAIR if the pass was redirected or moved to repair, CHECKPOINT, DONE at done",
  ),
};

const prompt = v.exactOptional(about(text, "only with `--dry-run`, if a pass would take place"));

export const runReport = v.object({ ...passEntries, ...end, prompt });

const { task, pass, from, proposed, to, verdict, reason, model, duration_ms, cost_usd } = passEntries;

const loopEntries = {
  run_id: about(maybeText, "names this call; the same is in the journal with each of its passes. Sorts by time"),
  iteration: about(count, "passes of this call that called a model"),
  passes: about(
    v.array(v.object({ task, pass, from, proposed, to, verdict, reason, model, duration_ms, cost_usd, tokens })),
    "each of them",
  ),
  spent_usd: about(amount, "the sum of the known costs of this call, those of reviewers included"),
  report: about(
    maybeText,
    "the report of this call on this disk, `.task-phase/runs/<run_id>.md`; null if nothing happened",
  ),
  next_eligible_at: about(maybeTime, "when something can continue by itself, if that is why it stopped"),
};

export const loopKeys = v.object(loopEntries);
export const loopReport = v.object({ ...passEntries, ...end, prompt, ...loopEntries });

export type RunReport = Shape<typeof runReport>;
export type LoopKeys = Shape<typeof loopKeys>;
