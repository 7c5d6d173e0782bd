import assert from "node:assert/strict";
import { test } from "node:test";
import { liveLine } from "../../lib/cli/live-line.ts";

function makeStream(columns?: number) {
  const written: string[] = [];
  return {
    written,
    stream: { write: (text: string) => written.push(text), ...(columns === undefined ? {} : { columns }) },
  };
}

const erase = "\r\u001b[2K";

test("a line is written over in place, and taken away for what is printed", () => {
  const { written, stream } = makeStream();
  const line = liveLine(stream);
  line.show("one");
  line.show("two");
  line.clear();
  line.again();
  line.show(null);
  assert.deepEqual(written, [`${erase}one`, `${erase}two`, erase, `${erase}two`, erase]);
});

test("nothing is written where nothing is shown", () => {
  const { written, stream } = makeStream();
  const line = liveLine(stream);
  line.clear();
  line.again();
  line.show(null);
  assert.deepEqual(written, []);
});

test("a line never wraps, and never holds what the terminal would obey", () => {
  const { written, stream } = makeStream(10);
  const line = liveLine(stream);
  line.show("123456789012345");
  line.show("a\u001b[31m\nb");
  line.show("a\tb");
  line.show("日本語日本語");
  line.show("e\u0301".repeat(9));
  assert.deepEqual(written, [
    `${erase}12345678…`,
    `${erase}a\\x1b[31…`,
    `${erase}a b`,
    `${erase}日本語日…`,
    `${erase}${"e\u0301".repeat(9)}`,
  ]);
});

test("a terminal of one column gets one character", () => {
  const { written, stream } = makeStream(1);
  liveLine(stream).show("abc");
  assert.deepEqual(written, [`${erase}…`]);
});

test("a terminal that does not know its width gets as much as eighty columns hold", () => {
  const { written, stream } = makeStream(0);
  liveLine(stream).show("x".repeat(100));
  assert.deepEqual(written, [`${erase}${"x".repeat(78)}…`]);
});
