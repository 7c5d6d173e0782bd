import * as v from "valibot";
import {
  controlCommands,
  degradeSteps,
  type HostedCode,
  hostKinds,
  type TaskEvent,
  type VerdictEvent,
  type WatchedDigest,
} from "../machine/events.ts";
import { progressKinds, verdicts } from "../machine/facts.ts";
import { judgeShape, recordOf, whole } from "../text/read-shape.ts";
import { shorten } from "../text/shorten.ts";
import {
  amount,
  calibration,
  checkResult,
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
  time,
  tokens,
  watchedChange,
} from "./fact-schemas.ts";

/** One event of the union. */
type Event<Type> = Extract<TaskEvent, { readonly type: Type }>;

const at = time;
const moved = { at, from: phase, to: phase, state: text };
const charged = { end: modelEnd, duration_ms: v.number(), cost_usd: amount, tokens };
/** Missing in journals of an earlier version. */
const openQuestions = v.exactOptional(texts);
const watchedDigest = whole<WatchedDigest>()({ name: text, digest: text });
const changedPath = whole<VerdictEvent["changed_paths"][number]>()({ path: text, change: text });

const hostedCode = whole<HostedCode>()({
  commit: maybeText,
  branch: maybeText,
  dirty: v.nullable(v.boolean()),
  web: maybeText,
  kind: v.nullable(v.picklist(hostKinds)),
  pushed: v.nullable(v.boolean()),
});

const verdict = whole<Event<"verdict">>()({
  type: v.literal("verdict"),
  ...moved,
  pass: count,
  model: maybeText,
  proposed: v.nullable(phase),
  verdict: v.picklist(verdicts),
  reason: text,
  reasons: v.array(reason),
  gates: v.array(gateResult),
  progress: v.array(v.picklist(progressKinds)),
  tickets: v.array(ticket),
  failure: v.nullable(failure),
  escalation: v.nullable(escalation),
  checks: v.nullable(checkRun),
  fingerprint: v.looseObject({ before: text, after: text, present: maybeText }),
  ...charged,
  overridden: texts,
  tampering: v.array(tamper),
  put_back: v.exactOptional(v.array(tamper)),
  evidence: evidenceFacts,
  changed_paths: v.array(changedPath),
  open_questions: openQuestions,
  watched: v.exactOptional(v.array(watchedChange)),
  tests_changed: v.exactOptional(v.picklist(["block", "show"])),
  square: v.exactOptional(squareFacts),
  proof: v.exactOptional(proof),
  code: v.exactOptional(hostedCode),
  features: texts,
  contract_sha256: text,
  record_sha256: text,
});

const passStarted = whole<Event<"pass_started">>()({
  type: v.literal("pass_started"),
  at,
  pass: count,
  phase,
  model: text,
  estimate_usd: v.optional(amount, null),
  prompt_sha256: text,
  fingerprint: text,
  run: v.exactOptional(maybeText),
  timeout_ms: v.exactOptional(v.number()),
  tier: v.exactOptional(v.picklist(["default", "cheap"])),
  degrade: v.exactOptional(v.array(v.picklist(degradeSteps))),
  head_commit: v.exactOptional(maybeText),
});

/** Also what waits in the anchor while reviewers work. */
export const reviewed = whole<Event<"reviewed">>()({
  type: v.literal("reviewed"),
  at,
  pass: count,
  phase,
  role: text,
  fingerprint: text,
  state_sha256: text,
  problem: maybeText,
  findings: v.array(reviewFinding),
  model: text,
  estimate_usd: amount,
  ...charged,
});

const watchAnswered = whole<Event<"watch_answered">>()({
  type: v.literal("watch_answered"),
  at,
  question: text,
  accepted: v.boolean(),
  changes: v.array(watchedDigest),
  tickets: v.array(ticket),
});

const stateEdited = whole<Event<"state_edited">>()({
  type: v.literal("state_edited"),
  ...moved,
  reopened: v.boolean(),
  tickets: v.array(ticket),
  overridden: texts,
  features: texts,
});

/** Every event that a journal of this version may hold, whole; the compiler holds each against its type. */
const eventSchemas = {
  adopted: whole<Event<"adopted">>()({ type: v.literal("adopted"), at, phase, state: text, contract_sha256: text }),
  brief_changed: whole<Event<"brief_changed">>()({
    type: v.literal("brief_changed"),
    at,
    was: text,
    contract_sha256: text,
    keys: v.exactOptional(texts),
    state: text,
  }),
  state_edited: stateEdited,
  edit_refused: whole<Event<"edit_refused">>()({
    type: v.literal("edit_refused"),
    at,
    from: phase,
    to: phase,
    reason: text,
    kept: text,
  }),
  pinned: whole<Event<"pinned">>()({ type: v.literal("pinned"), at, protected: recordOf(text) }),
  watched: whole<Event<"watched">>()({
    type: v.literal("watched"),
    at,
    pass: count,
    file: text,
    sha256: text,
    count,
    origin: v.exactOptional(text),
    dependencies: v.exactOptional(text),
    held_out: v.exactOptional(recordOf(text)),
  }),
  watch_answered: watchAnswered,
  baseline: whole<Event<"baseline">>()({
    type: v.literal("baseline"),
    at,
    fingerprint: text,
    results: v.array(checkResult),
    calibration: v.exactOptional(calibration),
    calibration_results: v.exactOptional(v.array(checkResult)),
  }),
  pass_started: passStarted,
  degraded: whole<Event<"degraded">>()({
    type: v.literal("degraded"),
    at,
    steps: v.array(v.picklist(degradeSteps)),
    reason: text,
  }),
  reviewed,
  defaulted: whole<Event<"defaulted">>()({
    type: v.literal("defaulted"),
    ...moved,
    questions: v.array(v.looseObject({ id: text, taken: text })),
  }),
  controlled: whole<Event<"controlled">>()({
    type: v.literal("controlled"),
    at,
    command: v.picklist(controlCommands),
    detail: text,
  }),
  cancelled: whole<Event<"cancelled">>()({ type: v.literal("cancelled"), at }),
  verdict,
  escalated: whole<Event<"escalated">>()({
    type: v.literal("escalated"),
    ...moved,
    ...escalation.entries,
    open_questions: openQuestions,
  }),
  resumed: whole<Event<"resumed">>()({ type: v.literal("resumed"), ...moved, reason: text }),
  answered: whole<Event<"answered">>()({ type: v.literal("answered"), ...moved, questions: texts }),
  relinked: whole<Event<"relinked">>()({ type: v.literal("relinked"), at, state: text }),
  recovered: whole<Event<"recovered">>()({
    type: v.literal("recovered"),
    at,
    pass: count,
    restored: texts,
    ended: count,
  }),
} satisfies { readonly [Type in TaskEvent["type"]]: v.GenericSchema<unknown, Event<Type>> };

/** A value of a journal as an event; a text says in a few words what is wrong with it. */
export function readTaskEvent(value: { readonly type: string }): TaskEvent | string {
  const { type } = value;
  const problem = `not an event of this version: ${shorten(JSON.stringify(type ?? null), 60)}`;
  if (!isKnown(type)) return problem;
  const read = judgeShape<TaskEvent>(eventSchemas[type], value);
  return read.kind === "read" ? read.value : `${problem}: ${read.problem}`;
}

function isKnown(type: string): type is TaskEvent["type"] {
  return Object.hasOwn(eventSchemas, type);
}
