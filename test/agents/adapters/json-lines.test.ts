import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { addAmounts, amountOf, idOf, readJsonLines, textOf } from "../../../lib/agents/adapters/json-lines.ts";
import { objectAt, parseObject } from "../../../lib/text/json-object.ts";

const mebibyte = 1024 * 1024;

type Value = Readonly<Record<string, unknown>>;

function readAll(chunks: readonly (string | Uint8Array)[], skips?: readonly string[]): Value[] {
  const taken: Value[] = [];
  const lines = readJsonLines((value) => taken.push(value), skips);
  for (const chunk of chunks) lines.write(Buffer.from(chunk));
  lines.end();
  return taken;
}

test("each line that is a JSON object is handed over, in order, the last one without its line end too", () => {
  assert.deepEqual(readAll(['{"a":1}\n{"a":2}\n{"a":', "3}"]), [{ a: 1 }, { a: 2 }, { a: 3 }]);
});

test("text, arrays, numbers, broken JSON, empty lines and zero bytes are passed over", () => {
  const noise = ["starting", "[1]", "7", '{"a":', '"{}"', "", "\0", '{"a":"\0"}', '\u001b[1m{"a":1}', ' {"a":1}', "{"];
  assert.deepEqual(readAll([`${noise.join("\n")}\n{"good":true}\n`]), [{ good: true }]);
});

test("lines that end with CR LF are read as well", () => {
  assert.deepEqual(readAll(['{"a":1}\r\n\r\n{"a":2}\r\n']), [{ a: 1 }, { a: 2 }]);
});

test("line separators of Unicode within a string end no line", () => {
  assert.deepEqual(readAll([`{"a":"x\u2028y\u2029z\u0085"}\n`]), [{ a: "x\u2028y\u2029z\u0085" }]);
});

test("however the chunks cut the bytes, the values are the same", () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (values, sizes) => {
        const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(readAll(chunks), readAll([bytes]));
        assert.deepEqual(
          readAll([bytes]).map((value) => JSON.stringify(value)),
          values.map((value) => JSON.stringify(JSON.parse(JSON.stringify(value)))),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("bytes that are no UTF-8 do not stop the reading", () => {
  const bad = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\n{"b":2}\n')]);
  assert.deepEqual(readAll([bad]), [{ a: "\ufffd\ufffd" }, { b: 2 }]);
});

test("the owner of a chunk may use it again at once", () => {
  const taken: Value[] = [];
  const lines = readJsonLines((value) => taken.push(value));
  const chunk = Buffer.alloc(4);
  for (const piece of ['{"a"', ":12}", "\n   "]) {
    chunk.write(piece);
    lines.write(chunk);
  }
  assert.deepEqual(taken, [{ a: 12 }]);
});

test("lines that begin as named are passed over unread, also where a chunk cuts their beginning", () => {
  const skips = ['{"type":"update"'];
  assert.deepEqual(readAll(['{"type":"update","a":1}\n{"type":"up', 'date"}\n{"type":"updates"}\n'], skips), [
    { type: "updates" },
  ]);
});

test("only the type of a line past 8 MiB is reported, and nothing if the line does not begin with a type", () => {
  const long = "x".repeat(9 * mebibyte);
  const lines = [
    `{"type":"agent_end","text":"${long}"}`,
    `{"text":"${long}"}`,
    `{"type":"broken ${long}`,
    '{"type":"next"}',
  ];
  assert.deepEqual(readAll([`${lines.join("\n")}\n`]), [{ type: "agent_end" }, { type: "next" }]);
  const short = `{"type":"whole","text":"${"x".repeat(7 * mebibyte)}"}`;
  assert.equal(Object.keys(readAll([short])[0] ?? {}).length, 2);
});

test("two hundred megabytes are read with memory that does not grow", () => {
  const skipped = Buffer.from(`{"type":"message_update","text":"${"é".repeat(60_000)}"}\n`);
  const endless = Buffer.alloc(64 * 1024, "x");
  let count = 0;
  const lines = readJsonLines(() => (count += 1), ['{"type":"message_update"']);
  // What is garbage already counts for nothing: when it goes differs with each Node.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const held = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = held();
  let most = 0;
  for (let at = 0; at < 400; at += 1) {
    // Cut where no line ends.
    lines.write(skipped.subarray(0, 50_000));
    lines.write(skipped.subarray(50_000));
    if (at % 50 === 0) most = Math.max(most, held() - before);
  }
  lines.write(Buffer.from('{"type":"one","rest":"'));
  for (let at = 0; at < 3_000; at += 1) {
    lines.write(endless);
    if (at % 200 === 0) most = Math.max(most, held() - before);
  }
  lines.end();
  assert.equal(count, 1);
  assert.ok(most < 60 * mebibyte, `${Math.round(most / mebibyte)} MiB more`);
});

test("a name is what a CLI calls its session, and nothing that a log could be misled by", () => {
  const id = "01a20064-8f6a.75e2:x_1";
  assert.equal(idOf(id), id);
  assert.deepEqual(["", "a b", "a\nb", "x".repeat(129), 7, null].map(idOf), [null, null, null, null, null, null]);
});

test("small readers give null for what does not exist", () => {
  assert.deepEqual([parseObject("[]"), parseObject("null"), parseObject("x")], [null, null, null]);
  assert.deepEqual(objectAt({ a: { b: { c: 1 } } }, "a", "b"), { c: 1 });
  assert.deepEqual([objectAt({ a: [] }, "a"), objectAt(null, "a"), objectAt({ a: 1 }, "a", "b")], [null, null, null]);
  assert.deepEqual([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, "1", null].map(amountOf), [
    0,
    1.5,
    null,
    null,
    null,
    null,
    null,
  ]);
  assert.deepEqual([textOf(""), textOf(1)], ["", null]);
  assert.deepEqual(
    [addAmounts(null, null), addAmounts(1, null), addAmounts(null, 2), addAmounts(1, 2)],
    [null, 1, 2, 3],
  );
});
