import * as v from "valibot";
import { about, type Shape } from "../../text/shape.ts";
import { verdicts } from "../words.ts";
import { reviewFinding } from "./facts.ts";
import { maybeNumber, maybeText, number, phase, text, texts } from "./values.ts";

const verdict = v.picklist(verdicts);

const selfHeal = v.object({
  current_problem: maybeText,
  attempt: number,
  history: v.array(v.object({ pass: number, at: text, from: phase, to: phase, verdict, reason: text })),
});

const agent = v.object({
  name: about(text, "of the model, or the reviewer's role"),
  kind: v.picklist(["model", "reviewer"]),
  model: maybeText,
  state: about(
    v.picklist(["working", "idle", "waiting", "reported", "no_report"]),
    "`waiting`: a reviewer has not reported before this pass",
  ),
  progress: about(text, "in a few words"),
  findings: about(v.array(reviewFinding), "what a reviewer reported"),
});

const spend = v.object({
  known_usd: maybeNumber,
  charged_usd: number,
  unknown_costs: number,
  tokens: number,
  time_ms: number,
});

/** artifacts/checkpoint.json, for other programs: the state of the task. */
export const checkpointShape = v.object({
  version: v.literal(1),
  project_id: about(text, "the task's id"),
  state: about(phase, "its phase"),
  timestamp: text,
  request: about(text, "its title"),
  mode: v.picklist(["run", "loop"]),
  agents: about(v.array(agent), "each model that worked, and each reviewer of the contract"),
  self_heal: selfHeal,
  files_modified: texts,
  git_commits: about(
    v.array(v.pipe(text, v.regex(/^[0-9a-f]{7,64}$/))),
    "commits of earlier passes, newest first, if `checkpoint` makes any",
  ),
  pass: maybeNumber,
  step: maybeText,
  verdict: v.nullable(verdict),
  run: maybeText,
  model: maybeText,
  elapsed_ms: maybeNumber,
  spend,
  journal: v.object({ seq: number, head: maybeText }),
});

export type Checkpoint = Shape<typeof checkpointShape>;
