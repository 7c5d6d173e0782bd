import assert from "node:assert/strict";
import { test } from "node:test";
import type { VerdictEvent } from "../../lib/machine/events.ts";
import { judgeRecord } from "../../lib/task-folder/judge-record.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { honestTask } from "../git-history/honest-task.ts";

function passRecord(): { event: VerdictEvent; text: string } {
  const task = honestTask();
  const files = task.pass("shape");
  const line = task.journal().trimEnd().split("\n").at(-1) ?? "";
  return { event: JSON.parse(line) as VerdictEvent, text: files["artifacts/passes/0001/pass.json"] ?? "" };
}

test("a record holds where it is the one that the journal names, and decides so again", () => {
  const { event, text } = passRecord();
  assert.equal(judgeRecord(Buffer.from(text), event).kind, "holds");
});

test("each way in which a record does not hold has its code", () => {
  const { event, text } = passRecord();
  const judge = (record: string, fields: Partial<VerdictEvent> = {}) => {
    const judgement = judgeRecord(Buffer.from(record), { ...event, record_sha256: sha256(record), ...fields });
    return judgement.kind === "wrong" ? judgement.code : judgement.kind;
  };
  assert.deepEqual(
    [
      judge(`${text} `, { record_sha256: event.record_sha256 }),
      judge("no JSON"),
      judge("{}"),
      judge(JSON.stringify({ ...JSON.parse(text), facts: {} })),
      judge(text.replace('"verdict": "accepted"', '"verdict": "redirected"')),
      judge(text, { to: "done" }),
    ],
    [
      "TP_RECORD_CHANGED",
      "TP_RECORD_UNREADABLE",
      "TP_RECORD_UNREADABLE",
      "TP_RECORD_UNREADABLE",
      "TP_VERDICT_DIFFERS",
      "TP_VERDICT_DIFFERS",
    ],
  );
});
