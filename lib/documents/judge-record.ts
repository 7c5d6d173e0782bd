import { isDeepStrictEqual } from "node:util";
import { decide } from "../rules/decide.ts";
import type { Decision } from "../rules/decision.ts";
import { judgeTaken } from "../rules/fresh.ts";
import type { TaskHistory } from "../rules/history.ts";
import { type DecidedRecord, decidedShape } from "../rules/shapes/pass-record.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { isSameButLayout } from "../text/json-layout.ts";
import { parseJson } from "../text/json-object.ts";
import { readShape } from "../text/shape.ts";

export type RecordJudgement =
  | { readonly kind: "holds"; readonly record: DecidedRecord }
  | { readonly kind: "wrong"; readonly code: string; readonly message: string };

/** A pass.json is never larger. */
export const maxRecordBytes = 64 * 1024 * 1024;

/** The text of a pass.json. */
export function formatRecord(record: unknown): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/**
 * Whether the bytes are the pass.json that a verdict in the journal names, `decide` comes to that verdict again on
 * the facts in it, and the journal before it supports what they take over from an earlier pass.
 */
export function judgeRecord(bytes: Buffer, event: VerdictEvent, earlier: TaskHistory): RecordJudgement {
  const wrong = (code: string, message: string): RecordJudgement => ({ kind: "wrong", code, message });
  if (!isSameButLayout(bytes, event.record_sha256, () => formatRecord(parseJson(bytes.toString("utf8")))))
    return wrong("TP_RECORD_CHANGED", `the record of pass ${event.pass} is not the one that the journal names`);
  const read = readShape(decidedShape, bytes);
  if (read.kind === "wrong")
    return wrong("TP_RECORD_UNREADABLE", `the record of pass ${event.pass} cannot be read: ${read.problem}`);
  const record = read.value;
  const { checks } = record.facts;
  const unsupported = checks === null ? null : judgeTaken(checks, earlier);
  if (unsupported !== null) return wrong("TP_CHECKS_TAKEN", `the record of pass ${event.pass}: ${unsupported}`);
  const decision = decideAgain(record);
  const same = isDeepStrictEqual(outcomeOf(decision), outcomeOf(record.decision));
  const journalled = decision.verdict === event.verdict && decision.to === event.to && decision.from === event.from;
  if (same && journalled) return { kind: "holds", record };
  return wrong(
    "TP_VERDICT_DIFFERS",
    `pass ${event.pass} is recorded as ${event.verdict} (${event.from} → ${event.to}); decided again it is ${decision.verdict} (${decision.from} → ${decision.to})`,
  );
}

/**
 * The decision on the recorded facts. The signature of a failure quotes its reasons: if this version words them
 * differently, a failure that was recorded as the same as the one before it still counts as the same.
 */
function decideAgain({ before, proposal, facts, policy, decision: recorded }: DecidedRecord): Decision {
  const decision = decide(before, proposal, facts, policy);
  const earlier = facts.history.failure;
  if (earlier === null || decision.failure === null || recorded.failure?.signature !== earlier.signature)
    return decision;
  const failure = { ...earlier, signature: decision.failure.signature };
  return decide(before, proposal, { ...facts, history: { ...facts.history, failure } }, policy);
}

/**
 * What a decision comes to, without its wording: a later version may say the same thing in better words. The recorded
 * words themselves cannot change, since the journal names the digest of the record.
 */
function outcomeOf(decision: Decision): unknown {
  const { verdict, from, proposed, to, reasons, progress, tickets, failure, escalation, runner_fields, exit_name } =
    decision;
  const outcome = {
    ...{ verdict, from, proposed, to, progress, runner_fields, exit_name },
    reasons: reasons.map(({ category, code }) => ({ category, code })),
    tickets: tickets.map(({ id, source, name }) => ({ id, source, name })),
    failure: failure === null ? null : { count: failure.count, passes: failure.passes },
    escalation: escalation === null ? null : { cause: escalation.cause, to: escalation.to },
    proof: decision.proof === null ? null : { ...decision.proof, reason: null },
  };
  return JSON.parse(JSON.stringify(outcome)) as unknown;
}
