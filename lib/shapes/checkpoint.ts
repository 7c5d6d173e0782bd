import * as v from "valibot";
import { verdicts } from "../machine/decision.ts";
import { about, type ReadShape, readShape, type Shape } from "../text/shape.ts";
import { maybeNumber, maybeText, number, phase, text, texts } from "./values.ts";

const verdict = v.picklist(verdicts);

const selfHeal = v.object({
  current_problem: maybeText,
  attempt: number,
  history: v.array(v.object({ pass: number, at: text, from: phase, to: phase, verdict, reason: text })),
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
  agents: about(texts, "names of the models used"),
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

/** The whole file; one with another key missing or of another kind is not read at all. Does not throw. */
export function readCheckpoint(bytes: Buffer): ReadShape<Checkpoint> {
  return readShape(checkpointShape, bytes);
}
