import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRecord } from "../../lib/documents/judge-record.ts";
import { decide } from "../../lib/rules/decide.ts";
import type { Failure } from "../../lib/rules/decision.ts";
import { emptyHistory } from "../../lib/rules/history.ts";
import { decidedShape } from "../../lib/rules/shapes/pass-record.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { readShape } from "../../lib/text/shape.ts";
import { honestTask } from "../history/honest-task.ts";

function passRecord(): { event: VerdictEvent; text: string } {
  const task = honestTask();
  const files = task.pass("shape");
  const line = task.journal().trimEnd().split("\n").at(-1) ?? "";
  return { event: JSON.parse(line) as VerdictEvent, text: files["artifacts/passes/0001/pass.json"] ?? "" };
}

test("a record holds where it is the one that the journal names, and decides so again", () => {
  const { event, text } = passRecord();
  assert.equal(judgeRecord(Buffer.from(text), event, emptyHistory).kind, "holds");
});

test("a record that a formatter laid out anew holds, and one with another value does not", () => {
  const { event, text } = passRecord();
  const laidOut = (value: unknown) => judgeRecord(Buffer.from(JSON.stringify(value)), event, emptyHistory).kind;
  const record = JSON.parse(text) as object;
  assert.deepEqual([laidOut(record), laidOut({ ...record, note: "more" })], ["holds", "wrong"]);
});

test("a record that says something else to a reader does not hold, even if it comes to the same values", () => {
  const { event, text } = passRecord();
  const edits = [
    ['"verdict": "accepted"', '"verdict": "rejected", "verdict": "accepted"'],
    ['"verdict": "accepted"', '"verdict": "\\u0061ccepted"'],
    [": null", ": 1e999"],
  ] as const;
  for (const [from, to] of edits) {
    const edited = text.replace(from, to);
    assert.notEqual(edited, text);
    const judged = judgeRecord(Buffer.from(edited), event, emptyHistory);
    assert.equal(judged.kind === "wrong" ? judged.code : judged.kind, "TP_RECORD_CHANGED", to);
  }
});

test("each way in which a record does not hold has its code", () => {
  const { event, text } = passRecord();
  const judge = (record: string, fields: Partial<VerdictEvent> = {}) => {
    const judgement = judgeRecord(
      Buffer.from(record),
      { ...event, record_sha256: sha256(record), ...fields },
      emptyHistory,
    );
    return judgement.kind === "wrong" ? judgement.code : judgement.kind;
  };
  assert.deepEqual(
    [
      judge(`${text}x`, { record_sha256: event.record_sha256 }),
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

test("a record whose failure repeats the one before it holds although its reasons were worded differently", () => {
  const { event, text } = passRecord();
  const record = readShape(decidedShape, Buffer.from(text));
  assert.ok(record.kind === "read" && record.value.proposal.kind === "read");
  const { value } = record;
  const fields = { ...record.value.proposal.state.fields, objective: "" };
  const proposal = { ...record.value.proposal, state: { ...record.value.proposal.state, fields } };
  const again = (failure: Failure | null) => {
    const facts = { ...value.facts, history: { ...value.facts.history, failure } };
    return { ...value, proposal, facts, decision: decide(value.before, proposal, facts, value.policy) };
  };
  const first = again(null).decision.failure;
  assert.ok(first);
  const second = again(first);
  assert.deepEqual([second.decision.verdict, second.decision.failure?.count], ["rejected", 2]);
  const judge = (stored: string) => {
    const { verdict, from, to } = second.decision;
    const named = { ...event, verdict, from, to, record_sha256: sha256(stored) };
    return judgeRecord(Buffer.from(stored), named, emptyHistory).kind;
  };
  const stored = JSON.stringify(second);
  const older = stored.replaceAll(JSON.stringify(first.signature), '"rejected objective: other words"');
  assert.notEqual(older, stored);
  assert.deepEqual([judge(stored), judge(older)], ["holds", "holds"]);
});
