import { isDeepStrictEqual } from "node:util";
import { judgeRecord, maxRecordBytes, type RecordJudgement } from "../documents/judge-record.ts";
import { readPack } from "../documents/pass-pack.ts";
import type { TaskHistory } from "../rules/history.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import type { BlobSource } from "./read-journals.ts";
import type { WalkedTask } from "./walk-tasks.ts";

type CommittedRecord =
  | { readonly kind: "holds" }
  | { readonly kind: "missing" }
  | { readonly kind: "wrong"; readonly code: string; readonly text: string };

/** `7` → `0007`, the name of a pass's folder. */
export function passName(pass: number): string {
  return String(pass).padStart(4, "0");
}

/** Whether a committed pass.json has the verdict's digest and leads to that verdict, in whichever commit. */
export async function judgeCommittedRecord(
  event: VerdictEvent,
  before: TaskHistory,
  task: WalkedTask,
  { read }: Pick<BlobSource, "read">,
): Promise<CommittedRecord> {
  let worst: CommittedRecord = { kind: "missing" };
  for await (const bytes of listRecords(event, task, read)) {
    const judgement = judgeRecord(bytes, event, before);
    if (judgement.kind === "holds") return compare(event, before, judgement);
    // A record with the right digest says more.
    if (worst.kind === "missing" || judgement.code !== "TP_RECORD_CHANGED") {
      worst = { kind: "wrong", code: judgement.code.replace("TP_", "TP_HISTORY_"), text: judgement.message };
    }
  }
  return worst;
}

/** Those in packs last. */
async function* listRecords(event: VerdictEvent, task: WalkedTask, read: BlobSource["read"]): AsyncGenerator<Buffer> {
  const name = passName(event.pass);
  for (const oid of task.records.get(name) ?? []) {
    const object = await read(oid, maxRecordBytes);
    if (object.kind === "blob") yield object.bytes;
  }
  for (const oid of task.packs) {
    const object = await read(oid, maxRecordBytes);
    const pack = object.kind === "blob" ? readPack(object.bytes) : null;
    const text = pack?.kind === "read" ? pack.files.get(`${name}/pass.json`) : undefined;
    if (text !== undefined) yield Buffer.from(text);
  }
}

/** Whether the journal agrees with the record, so that the judgement of one holds for the other. */
function compare(
  event: VerdictEvent,
  before: TaskHistory,
  { record }: Extract<RecordJudgement, { kind: "holds" }>,
): CommittedRecord {
  const { facts, decision } = record;
  const reviewed = event.to === "done" ? facts.reviewed_fingerprint : before.reviewedFingerprint;
  const pairs = {
    "the checks": [event.checks, facts.checks],
    "the gates": [event.gates, decision.gates],
    "the proposal": [event.proposed, decision.proposed],
    "the fingerprint of the repo": [event.fingerprint, facts.fingerprint],
    "the end of the model": [event.end, facts.end],
    "what must not change": [event.tampering, facts.tampering],
    "the fingerprint of the accepted verify → review": [before.reviewedFingerprint, reviewed],
  };
  const differs = Object.entries(pairs).flatMap(([name, [told, was]]) => (isDeepStrictEqual(told, was) ? [] : [name]));
  if (differs.length === 0) return { kind: "holds" };
  const text = `the record of pass ${event.pass} and the journal disagree about ${differs.join(", ")}`;
  return { kind: "wrong", code: "TP_HISTORY_RECORD_DIFFERS", text };
}
