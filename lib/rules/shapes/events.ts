import * as v from "valibot";
import { type JsonObject, parseObject } from "../../text/json-object.ts";
import { about, judgeShape, recordOf, type Shape } from "../../text/shape.ts";
import { shorten } from "../../text/shorten.ts";
import { controlCommands, degradeSteps } from "../words.ts";
import { checkResult, escalation, frameAnswer, gateResult, manualScenario, reviewFinding, ticket } from "./facts.ts";
import { amount, count, flag, maybeText, number, phase, text, texts, time } from "./values.ts";
import { charged, moved, openQuestions, verdict } from "./verdict-event.ts";

const at = time;
const watchedDigest = v.object({ name: text, digest: text });

/** The identity of the runner that claimed a pass. */
export const passRunner = v.object({
  worker: text,
  host: about(maybeText, "the name that the machine was given for others to read, or null"),
  attempt: text,
  task_phase: about(text, "the version of task-phase"),
  node: about(text, "the version of Node"),
});

const passStarted = about(
  v.object({
    type: v.literal("pass_started"),
    at,
    pass: count,
    phase,
    model: about(maybeText, "null if the runner moves the task on without a model"),
    estimate_usd: about(amount, "the estimated cost of the pass, or null"),
    prompt_sha256: about(maybeText, "null without a model"),
    fingerprint: text,
    run: about(maybeText, "the call of the loop, or null"),
    timeout_ms: number,
    tier: v.picklist(["default", "cheap"]),
    degrade: v.array(v.picklist(degradeSteps)),
    head_commit: v.exactOptional(about(maybeText, "in the first pass only: the commit where the task began, or null")),
    runner: v.exactOptional(about(passRunner, "if the pass was claimed among several machines: by whom")),
  }),
  "a pass begins; `estimate_usd` is the estimated cost of the pass, or null; `run` the call of the loop, or null; `head_commit`, in the first pass only, the commit where the task began, or null; `runner`, if the pass was claimed among several machines, `{worker, host, attempt, task_phase, node}`: by whom",
);

const claimed = about(
  v.object({
    type: v.literal("claimed"),
    at,
    pass: count,
    phase,
    model: text,
    estimate_usd: about(v.nullable(amount), "the estimated cost of one call, or null"),
    reviewers: count,
    timeout_ms: number,
    run: v.exactOptional(about(maybeText, "the call of the loop, or null")),
    runner: passRunner,
  }),
  "among several machines: a pass is claimed before its first checks or its `reviewers`; `estimate_usd` is that of one call",
);

/** Also what waits in the anchor while reviewers work. */
export const reviewed = about(
  v.object({
    type: v.literal("reviewed"),
    at,
    pass: count,
    run: v.exactOptional(about(maybeText, "the call of the loop, or null")),
    phase,
    role: text,
    fingerprint: text,
    frame: about(text, "the frame that the reviewer was given: five fields of STATE.md as JSON"),
    problem: about(maybeText, "why there is no report, or null"),
    findings: v.array(reviewFinding),
    model: text,
    estimate_usd: amount,
    ...charged,
  }),
  "a reviewer reported, or why there is no report (`problem`); a finding is `{severity, text}`",
);

const watchAnswered = about(
  v.object({
    type: v.literal("watch_answered"),
    at,
    question: text,
    accepted: flag,
    changes: v.array(watchedDigest),
    tickets: v.array(ticket),
  }),
  "a person answered what the runner asked about tests and checks; a change is `{name, digest}`",
);

const looked = about(
  v.object({
    type: v.literal("looked"),
    at,
    question: text,
    fingerprint: text,
    holds: flag,
    said: text,
    scenarios: v.array(manualScenario),
    tickets: v.array(ticket),
  }),
  "a person looked at the manual scenarios and answered; it holds for exactly this fingerprint",
);

const stateEdited = about(
  v.object({
    type: v.literal("state_edited"),
    ...moved,
    reopened: flag,
    tickets: v.array(ticket),
    overridden: texts,
    features: texts,
  }),
  "a person's edit of STATE.md was accepted",
);

const briefChanged = about(
  v.object({
    type: v.literal("brief_changed"),
    at,
    was: text,
    contract_sha256: text,
    keys: about(
      v.nullable(texts),
      "which keys of the front matter, and `text` for what is below it; null if they are not known",
    ),
    state: text,
  }),
  "the brief differs from the last time; SHA-256 of the whole file; `keys`: which keys of the front matter, and `text` for what is below it, or null if they are not known",
);

const watched = about(
  v.object({
    type: v.literal("watched"),
    at,
    pass: count,
    file: text,
    sha256: text,
    count,
    origin: maybeText,
    dependencies: maybeText,
    held_out: recordOf(text),
  }),
  "from here on tests and checks are compared with this file of the pass: at pass 1, and after an edit of the brief. `origin` is the fingerprint of the work as at pass 1, whose bytes the runner keeps, or null; `dependencies` the SHA-256 of the list of what the dependency folders held then, or null; `held_out` the digests of held-out folders by the name of their check",
);

const before = about(
  v.object({
    type: v.literal("before"),
    at,
    fingerprint: text,
    results: v.array(checkResult),
    beside: v.exactOptional(
      about(v.literal(true), "checks failed beside others, twice, and passed one after the other"),
    ),
  }),
  "the checks ran once before the first implement pass, in the repo",
);

/** The schema of every event of a journal. */
export const eventShapes = {
  adopted: about(
    v.object({ type: v.literal("adopted"), at, phase, state: text, contract_sha256: text }),
    "the journal begins with STATE.md as it was",
  ),
  brief_changed: briefChanged,
  state_edited: stateEdited,
  edit_refused: about(
    v.object({
      type: v.literal("edit_refused"),
      at,
      from: phase,
      to: phase,
      reason: text,
      kept: v.nullable(text),
    }),
    "a person's edit was refused; `kept` is the path of the copy, null if STATE.md was removed",
  ),
  pinned: about(
    v.object({ type: v.literal("pinned"), at, protected: recordOf(text) }),
    "path to digest of each protected path",
  ),
  watched,
  watch_answered: watchAnswered,
  looked,
  approved: about(
    v.object({ type: v.literal("approved"), at, ...frameAnswer.entries }),
    "a person answered whether the frame is approved; it holds for exactly these words",
  ),
  before,
  environment_answered: about(
    v.object({ type: v.literal("environment_answered"), at, question: text, part_of_task: flag }),
    "a person answered what the runner asked about checks that cannot run here; unless it is part of the task, they run once more before the work",
  ),
  claimed,
  released: about(
    v.object({ type: v.literal("released"), at, pass: count }),
    "the claimed pass did not begin, and is free again",
  ),
  pass_started: passStarted,
  degraded: about(
    v.object({
      type: v.literal("degraded"),
      at,
      steps: v.array(v.picklist(degradeSteps)),
      reason: text,
    }),
    "from here on passes are made cheaper by these steps; none: as usual again",
  ),
  reviewed,
  cancelled: about(
    v.object({ type: v.literal("cancelled"), at, state: maybeText }),
    "a person cancelled the task with `cancel`; `state` is null if STATE.md stays as it is. RETRY in CONTROL.md or `resume` lets it continue",
  ),
  controlled: about(
    v.object({
      type: v.literal("controlled"),
      at,
      command: v.picklist(controlCommands),
      detail: text,
    }),
    "a command of CONTROL.md was obeyed",
  ),
  defaulted: about(
    v.object({
      type: v.literal("defaulted"),
      ...moved,
      questions: v.array(v.object({ id: text, taken: text })),
    }),
    "the deadline of questions passed; a question is `{id, taken}`",
  ),
  advanced: about(
    v.object({ type: v.literal("advanced"), ...moved, gates: v.array(gateResult) }),
    "the runner moved the task on without a model: every gate of the move holds already",
  ),
  verdict,
  undelivered: about(
    v.object({
      type: v.literal("undelivered"),
      at,
      pass: count,
      commit: maybeText,
      paths: texts,
      why: text,
      state: text,
    }),
    "the task is done, and what git holds afterwards is not what was proven, so that nothing was pushed: the commit, or null, at most 50 paths, the same in words, and STATE.md, whose Status says it",
  ),
  escalated: about(
    v.object({
      type: v.literal("escalated"),
      ...moved,
      ...escalation.entries,
      open_questions: openQuestions,
    }),
    "the runner stopped the task outside a pass",
  ),
  resumed: about(v.object({ type: v.literal("resumed"), ...moved, reason: text }), "`task-phase resume`"),
  not_merged: about(
    v.object({
      type: v.literal("not_merged"),
      ...moved,
      into: about(text, "the branch, without `refs/heads/`"),
      commit: about(text, "what that branch was"),
      paths: about(texts, "those that both changed; none if checks failed on the merge result"),
      tickets: v.array(ticket),
    }),
    "the work could not be landed: the task goes on in repair, on the merge of both; tests, checks and the work are compared with that commit from then on",
  ),
  answered: about(v.object({ type: v.literal("answered"), ...moved, questions: texts }), "every question is answered"),
  relinked: about(
    v.object({ type: v.literal("relinked"), at, state: text }),
    "`task-phase evidence` brought the Evidence link up to date",
  ),
  held: about(
    v.object({
      type: v.literal("held"),
      at,
      held: v.nullable(
        v.object({ standing: v.picklist(["asks", "refused", "paused", "waits", "runnable"]), brief: text, why: text }),
      ),
      state: maybeText,
    }),
    "a run began no pass, and Status says why; null: one can begin again. `state` is null if STATE.md stays as it is",
  ),
  recovered: about(
    v.object({
      type: v.literal("recovered"),
      at,
      pass: count,
      restored: texts,
      ended: count,
    }),
    "a run was cut off before its model was called, and was cleared away",
  ),
};

export type AnyEvent = {
  [Type in keyof typeof eventShapes]: Shape<(typeof eventShapes)[Type]>;
}[keyof typeof eventShapes];

/** A value of a journal as an event; a text says in a few words what is wrong with it. */
export function readTaskEvent(value: JsonObject): AnyEvent | string {
  const { type } = value;
  const problem = `not an event of this version: ${shorten(JSON.stringify(type ?? null), 60)}`;
  if (!isKnown(type)) return problem;
  const read = judgeShape<AnyEvent>(eventShapes[type], value);
  return read.kind === "read" ? read.value : `${problem}: ${read.problem}`;
}

/** Parses one line as above. */
export function parseTaskEvent(line: string): AnyEvent | string {
  const value = parseObject(line);
  return value === null ? "it is not a JSON object" : readTaskEvent(value);
}

function isKnown(type: unknown): type is AnyEvent["type"] {
  return typeof type === "string" && Object.hasOwn(eventShapes, type);
}
