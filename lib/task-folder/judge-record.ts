import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { decide } from "../machine/decide.ts";
import type { VerdictEvent } from "../machine/events.ts";
import type { Before, Decision, Facts, Policy, Proposal } from "../machine/facts.ts";
import { sha256 } from "../text/sha256.ts";

/** The part of a pass.json that its verdict follows from. */
export interface DecidedRecord {
  readonly before: Before;
  readonly proposal: Proposal;
  readonly facts: Facts;
  readonly policy: Policy;
  readonly decision: Decision;
}

export type RecordJudgement =
  | { readonly kind: "holds"; readonly record: DecidedRecord }
  | { readonly kind: "wrong"; readonly code: string; readonly message: string };

/** A pass.json is never larger. */
export const maxRecordBytes = 64 * 1024 * 1024;

const recordSchema = v.looseObject({
  version: v.literal(1),
  before: v.looseObject({}),
  proposal: v.looseObject({ kind: v.string() }),
  facts: v.looseObject({}),
  policy: v.looseObject({}),
  decision: v.looseObject({ verdict: v.string() }),
});

/**
 * Whether the bytes are the pass.json that a verdict in the journal names, and `decide` comes to that verdict again on
 * the facts in it.
 */
export function judgeRecord(bytes: Buffer, event: VerdictEvent): RecordJudgement {
  const wrong = (code: string, message: string): RecordJudgement => ({ kind: "wrong", code, message });
  if (sha256(bytes) !== event.record_sha256)
    return wrong("TP_RECORD_CHANGED", `the record of pass ${event.pass} is not the one that the journal names`);
  const parsed = v.safeParse(recordSchema, parseJson(bytes));
  const record = parsed.success ? (parsed.output as unknown as DecidedRecord) : null;
  const decision = record === null ? null : decideAgain(record);
  if (record === null || decision === null)
    return wrong("TP_RECORD_UNREADABLE", `the record of pass ${event.pass} cannot be read`);
  const same = isDeepStrictEqual(asJson(decision), record.decision);
  const journalled = decision.verdict === event.verdict && decision.to === event.to && decision.from === event.from;
  if (same && journalled) return { kind: "holds", record };
  return wrong(
    "TP_VERDICT_DIFFERS",
    `pass ${event.pass} is recorded as ${event.verdict} (${event.from} → ${event.to}); decided again it is ${decision.verdict} (${decision.from} → ${decision.to})`,
  );
}

/** Null where the record holds no facts that a verdict could follow from: it was written by somebody else. */
function decideAgain({ before, proposal, facts, policy }: DecidedRecord): Decision | null {
  try {
    return decide(before, proposal, facts, policy);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
