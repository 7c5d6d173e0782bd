import { isDeepStrictEqual } from "node:util";
import { decide } from "../machine/decide.ts";
import type { VerdictEvent } from "../machine/events.ts";
import { readShape } from "../text/read-shape.ts";
import { sha256 } from "../text/sha256.ts";
import { type DecidedRecord, recordSchema } from "./record-schema.ts";

export type RecordJudgement =
  | { readonly kind: "holds"; readonly record: DecidedRecord }
  | { readonly kind: "wrong"; readonly code: string; readonly message: string };

/** A pass.json is never larger. */
export const maxRecordBytes = 64 * 1024 * 1024;

/**
 * Whether the bytes are the pass.json that a verdict in the journal names, and `decide` comes to that verdict again on
 * the facts in it.
 */
export function judgeRecord(bytes: Buffer, event: VerdictEvent): RecordJudgement {
  const wrong = (code: string, message: string): RecordJudgement => ({ kind: "wrong", code, message });
  if (sha256(bytes) !== event.record_sha256)
    return wrong("TP_RECORD_CHANGED", `the record of pass ${event.pass} is not the one that the journal names`);
  const read = readShape(recordSchema, bytes);
  if (read.kind === "wrong")
    return wrong("TP_RECORD_UNREADABLE", `the record of pass ${event.pass} cannot be read: ${read.problem}`);
  const record = read.value;
  const decision = decide(record.before, record.proposal, record.facts, record.policy);
  const same = isDeepStrictEqual(asJson(decision), record.decision);
  const journalled = decision.verdict === event.verdict && decision.to === event.to && decision.from === event.from;
  if (same && journalled) return { kind: "holds", record };
  return wrong(
    "TP_VERDICT_DIFFERS",
    `pass ${event.pass} is recorded as ${event.verdict} (${event.from} → ${event.to}); decided again it is ${decision.verdict} (${decision.from} → ${decision.to})`,
  );
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
