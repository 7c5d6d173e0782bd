import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatEvent } from "../../../lib/store/journal.ts";
import { parseTaskJournal, readTaskJournal } from "../../../lib/task/records/task-journal.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { makeFolder } from "../../process/arrange.ts";

const timeOf = (minute: number) => new Date(Date.UTC(2026, 10, 21, 10, minute)).toISOString();

/** So many lines, each chained to the one before. */
function linesOf(count: number, first = timeOf(0)): string[] {
  const lines: string[] = [];
  for (let head: string | null = null; lines.length < count; ) {
    const at = lines.length === 0 ? first : timeOf(lines.length);
    const event = formatEvent(head, lines.length + 1, { at, type: "cancelled", state: null });
    lines.push(event.line);
    head = event.head;
  }
  return lines;
}

const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(""));

/** What is read, or where it is broken. */
function told(bytes: Buffer): unknown {
  try {
    const { events, head, seq, ...read } = parseTaskJournal(bytes, "journal.jsonl");
    return [events.map(({ at }) => at), head, seq, read.bytes.equals(bytes), read.sha256];
  } catch (error) {
    assert(error instanceof TaskPhaseError, String(error));
    return error.findings.map(({ code, line }) => `${code} ${line}`);
  }
}

const whole = (lines: readonly string[]) => [
  lines.map((line) => (JSON.parse(line) as { at: string }).at),
  sha256(lines.at(-1) ?? ""),
  lines.length,
  true,
  sha256(bytesOf(lines)),
];

test("a journal that grew, shrank, or is another one is read as what it is, whatever was read before", () => {
  const [lines, others] = [linesOf(5), linesOf(4, timeOf(30))];
  for (const read of [
    lines.slice(0, 2),
    lines,
    lines.slice(0, 3),
    others,
    lines.slice(0, 4),
    others.slice(0, 1),
    lines,
  ])
    assert.deepEqual(told(bytesOf(read)), whole(read));
  assert.deepEqual(told(bytesOf([...lines.slice(0, 2), ...others.slice(2)])), ["TP_JOURNAL_BROKEN 3"]);
});

test("a change of what was read before is found, with its line, and so is what is wrong behind it", () => {
  const lines = linesOf(5);
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = lines;
  const cases: readonly (readonly [Buffer, string])[] = [
    [bytesOf([first, second.replace(timeOf(1), timeOf(7)), third, fourth, fifth]), "TP_JOURNAL_BROKEN 3"],
    [bytesOf([first.replace('"seq":1', '"seq":2'), second, third, fourth]), "TP_JOURNAL_BROKEN 1"],
    [bytesOf([first, second, third, fifth]), "TP_JOURNAL_BROKEN 4"],
    [bytesOf([first, second, third, "{}"]), "TP_JOURNAL_BROKEN 4"],
    [
      bytesOf([first, second, third, formatEvent(sha256(third), 4, { at: timeOf(3), type: "odd" }).line]),
      "TP_JOURNAL_EVENT 4",
    ],
    [Buffer.from(`${bytesOf([first, second, third])}${fourth}`), "TP_JOURNAL_TORN 4"],
  ];
  for (const [bytes, problem] of cases) {
    parseTaskJournal(bytesOf([first, second, third]), "journal.jsonl");
    assert.deepEqual(told(bytes), [problem]);
    assert.deepEqual(told(bytesOf(lines)), whole(lines));
  }
});

test("the file is read again after every change of it", (t) => {
  const file = join(makeFolder(t), "journal.jsonl");
  const lines = linesOf(3);
  for (const count of [1, 3, 2]) {
    writeFileSync(file, bytesOf(lines.slice(0, count)));
    assert.equal(readTaskJournal(file)?.seq, count);
  }
  writeFileSync(file, bytesOf(lines.slice(0, 2)).toString().replace(timeOf(1), timeOf(9)));
  assert.equal(readTaskJournal(file)?.events[1]?.at, timeOf(9));
});
