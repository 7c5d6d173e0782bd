import assert from "node:assert/strict";
import { test } from "node:test";
import { isPrefix, readChain, sharedEvents, versionOf } from "../../lib/history/journal-chain.ts";
import { formatEvent } from "../../lib/store/journal.ts";
import { parseTaskJournal } from "../../lib/task/records/task-journal.ts";
import { taskAt } from "./honest-task.ts";

const read = (text: string) => readChain(Buffer.from(text), "journal.jsonl", parseTaskJournal);

test("each beginning of a journal is a version of it, whole at the end of a line alone", () => {
  const text = taskAt("verify").journal();
  const chain = read(text);
  const said = [0, 5, ...chain.ends, chain.bytes.length - 1].map((length) => {
    const { count, problem } = versionOf(chain, length);
    return [count, problem?.line ?? null];
  });
  assert.deepEqual(said, [
    [0, 1],
    [0, 1],
    [1, null],
    [2, null],
    [3, null],
    [4, null],
    [3, 4],
  ]);
  assert.deepEqual(
    [chain.broken, chain.histories.map(({ phase }) => phase)],
    [null, [null, "intake", "shape", "implement", "verify"]],
  );
});

test("a journal is read up to the first line that is no event, whatever is wrong with which line", () => {
  const good = taskAt("verify").journal();
  const lines = good.trimEnd().split("\n");
  const odd = {
    at: "2026-01-02T03:04:05.000Z",
    type: "watch_answered",
    question: "Q",
    accepted: true,
    changes: [],
    tickets: [],
  };
  const { head } = parseTaskJournal(Buffer.from(good), "");
  const senseless = formatEvent(head, 5, {
    ...odd,
    type: "escalated",
    from: "verify",
    to: "blocked",
    state: "",
    cause: "x",
    blockers: "x",
    open_questions: 1,
  });
  const cases = {
    "a broken line": `${lines[0]}\n${lines[1]}\n{\n${lines[3]}\n`,
    "an unknown event, and a break behind it": `${lines[0]}\n${lines[1]?.replace('"verdict"', '"other"')}\n${lines[2]}\n`,
    "an unknown event alone": `${lines[0]}\n${lines[1]?.replace('"verdict"', '"other"')}\n`,
    "an event that makes no sense": `${good}${senseless.line}\n`,
    "nothing but a broken line": "{\n",
  };
  const said = Object.entries(cases).map(([name, text]) => {
    const chain = read(text);
    return [name, chain.events.length, chain.broken?.line, versionOf(chain, chain.bytes.length).problem?.line];
  });
  assert.deepEqual(said, [
    ["a broken line", 2, 3, 3],
    ["an unknown event, and a break behind it", 1, 2, 2],
    ["an unknown event alone", 1, 2, 2],
    ["an event that makes no sense", 4, 5, 5],
    ["nothing but a broken line", 0, 1, 1],
  ]);
});

test("the common part of two journals is measured in bytes and in whole events", () => {
  const [a, b] = [read(taskAt("shape").journal()), read(taskAt("verify").journal())];
  const [start, whole] = [versionOf(a, a.bytes.length), versionOf(b, b.bytes.length)];
  assert.deepEqual([isPrefix(start, whole), isPrefix(whole, start), sharedEvents(start, whole)], [true, false, 2]);
  const half = versionOf(b, b.ends[1] ?? 0);
  assert.deepEqual([isPrefix(half, whole), isPrefix(whole, half)], [true, false]);
});
