import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatEvent, parseJournal } from "../../lib/store/journal.ts";
import { sha256 } from "../../lib/text/sha256.ts";

type Event = { at: string; type: string; [key: string]: unknown };
const at = "2026-11-21T10:00:00Z";

function write(events: readonly Event[]): { lines: string[]; bytes: Buffer; head: string | null } {
  const lines: string[] = [];
  let head: string | null = null;
  for (const event of events) {
    const made = formatEvent(head, lines.length + 1, event);
    lines.push(made.line);
    head = made.head;
  }
  return { lines, bytes: Buffer.from(lines.map((line) => `${line}\n`).join("")), head };
}

const anyEvent = fc
  .tuple(
    fc.string({ minLength: 1 }),
    fc.string({ minLength: 1, unit: "binary" }),
    fc.dictionary(fc.string(), fc.jsonValue()),
  )
  .map(([when, type, rest]): Event => ({ ...rest, at: when, type }));

describe("a journal", () => {
  it("holds each event on a line of its own, chained by digests, keys in order", () => {
    const { lines, bytes, head } = write([
      { type: "adopted", at, phase: "intake" },
      { type: "verdict", at, text: "a\nb\u2028", seq: 99, prev: "x", gone: undefined },
    ]);
    assert.deepEqual(lines, [
      `{"seq":1,"prev":null,"at":"${at}","type":"adopted","phase":"intake"}`,
      `{"seq":2,"prev":"${sha256(lines[0] ?? "")}","at":"${at}","type":"verdict","text":"a\\nb\u2028"}`,
    ]);
    assert.deepEqual(parseJournal(bytes), {
      kind: "journal",
      events: lines.map((line) => JSON.parse(line)),
      head,
      torn: null,
    });
  });

  it("is empty where the file is", () => {
    assert.deepEqual(parseJournal(Buffer.alloc(0)), { kind: "journal", events: [], head: null, torn: null });
  });

  it("is read back as it was written", () => {
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        const { lines, bytes, head } = write(events);
        assert.deepEqual(parseJournal(bytes), {
          kind: "journal",
          events: lines.map((line) => JSON.parse(line)),
          head,
          torn: null,
        });
      }),
    );
  });

  it("loses at most its last line to a cut at any byte, and says what was torn", () => {
    const { lines, bytes } = write([1, 2, 3].map((count) => ({ at, type: "é", count })));
    for (let end = 0; end <= bytes.length; end += 1) {
      const journal = parseJournal(bytes.subarray(0, end));
      const whole = bytes.subarray(0, end).toString("latin1").split("\n").length - 1;
      assert.ok(journal.kind === "journal");
      assert.deepEqual(
        journal.events,
        lines.slice(0, whole).map((line) => JSON.parse(line)),
      );
      assert.equal(journal.torn === null, end === 0 || bytes[end - 1] === 10);
    }
  });

  it("is broken by any changed byte but in its last line, whose head then differs", () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (events, where, flip) => {
          const { bytes, head } = write(events);
          const forged = Buffer.from(bytes);
          const index = where % forged.length;
          forged[index] = (forged[index] ?? 0) ^ flip;
          const journal = parseJournal(forged);
          assert.ok(journal.kind === "broken" || journal.head !== head || journal.torn !== null);
        },
      ),
    );
  });

  it("is broken by a line that was removed, doubled or moved", () => {
    const { lines } = write([1, 2, 3].map((count) => ({ at, type: "x", count })));
    const [one, two, three] = lines;
    for (const forged of [
      [two, three],
      [one, three],
      [one, one, two],
      [two, one],
      [one, "", two],
    ]) {
      assert.equal(parseJournal(Buffer.from(forged.map((line) => `${line}\n`).join(""))).kind, "broken");
    }
  });

  it("says which line is wrong and what was expected", () => {
    const chained = (value: object): string =>
      JSON.stringify({ seq: 2, prev: sha256('{"seq":1,"prev":null,"at":"a","type":"t"}'), ...value });
    const second = [
      "",
      "not json",
      "[1]",
      "null",
      '{"seq":3}',
      '{"seq":2}',
      '{"seq":2,"prev":"abc"}',
      chained({ type: "t" }),
      chained({ at: "a", type: "" }),
      chained({ at: "a", type: 5 }),
    ];
    const problems = second.map((line) => {
      const journal = parseJournal(Buffer.from(`{"seq":1,"prev":null,"at":"a","type":"t"}\n${line}\n`));
      return journal.kind === "broken" ? `${journal.line}: ${journal.problem}` : "";
    });
    const head = sha256('{"seq":1,"prev":null,"at":"a","type":"t"}');
    assert.deepEqual(problems, [
      "2: expected a JSON object, found an empty line",
      "2: expected a JSON object, found not json",
      "2: expected a JSON object",
      "2: expected a JSON object",
      "2: expected seq 2, found 3",
      `2: the chain is broken: expected prev "${head}", the SHA-256 of the line before, found nothing`,
      `2: the chain is broken: expected prev "${head}", the SHA-256 of the line before, found "abc"`,
      "2: at: expected a value, found nothing",
      '2: type: expected text, found ""',
      "2: type: expected string, found 5",
    ]);
  });

  it("is broken by bytes that are not UTF-8", () => {
    const journal = parseJournal(
      Buffer.concat([Buffer.from('{"seq":1,"prev":null,"at":"'), Buffer.from([0xff]), Buffer.from('","type":"t"}\n')]),
    );
    assert.ok(journal.kind === "broken" && journal.line === 1);
  });
});
