import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../../../lib/checks/wrong/changed-lines.ts";

test("lines that a work added or changed are found beside those that stayed", () => {
  const before = "a\nb\nc\nd\n";
  assert.deepEqual([...changedLines(before, "a\nB\nc\nnew\nd\n")], [2, 4]);
  assert.deepEqual([...changedLines(before, before)], []);
  assert.deepEqual([...changedLines(before, "a\r\nb\r\nc\r\nd\r\n")], []);
  assert.deepEqual([...changedLines(null, "x\ny")], [1, 2]);
  assert.deepEqual([...changedLines(before, "d\nc\nb\na\n")].length, 3);
  const large = Array.from({ length: 3_000 }, (_none, index) => `line ${index}`).join("\n");
  const other = large.replaceAll("line", "row");
  assert.equal(changedLines(large, other).size, 3_000);
  const edited = large.replace("line 2\n", "line two\n").replace("line 2990", "line last");
  assert.deepEqual([...changedLines(large, edited)], [3, 2_991]);
  const moved = `begin\n${large.replace("line 1500\n", "")}\nend`;
  assert.deepEqual([...changedLines(large, moved)], [1, 3_001]);
});

test("a file with nothing in it has no changed line, and lines that are only gone change none", () => {
  assert.deepEqual([...changedLines(null, "")], []);
  assert.deepEqual([...changedLines("a\nb\nc\n", "")], []);
  assert.deepEqual([...changedLines("a\nb\nc\n", "a\nc\n")], []);
  assert.deepEqual([...changedLines("", "a\n\n")], [1, 2]);
  assert.deepEqual([...changedLines("a\na\n", "a\na\na\n")], [3]);
});

test("the longest run of lines stays, and beside a large change lines that are there twice stay too", () => {
  assert.deepEqual([...changedLines("a\nb\nc\nx\n", "x\na\nb\nc\n")], [1]);
  const rows = (word: string) => Array.from({ length: 3_000 }, (_none, index) => `${word} ${index}`).join("\n");
  const around = (first: string, word: string, last: string) => `${first}\n}\n${rows(word)}\n}\n${last}\n`;
  assert.deepEqual([...changedLines(around("a", "row", "b"), around("A", "row", "B"))], [1, 3_004]);
  assert.equal(changedLines(around("a", "row", "}"), around("A", "line", "}")).size, 3_001);
});

test("as many lines stay as the longest common subsequence has, in its order", () => {
  const longest = (left: readonly string[], right: readonly string[]): number => {
    const [one, ...ones] = left;
    const [other, ...others] = right;
    if (one === undefined || other === undefined) return 0;
    return one === other ? 1 + longest(ones, others) : Math.max(longest(ones, right), longest(left, others));
  };
  const texts = [""];
  for (const text of texts) if (text.length < 4) texts.push(...["a", "b", "c"].map((letter) => text + letter));
  for (const before of texts) {
    for (const now of texts) {
      const changed = changedLines([...before].join("\n"), [...now].join("\n"));
      const kept = [...now].filter((_line, index) => !changed.has(index + 1));
      assert.equal(kept.length, longest([...before], [...now]), `${before} > ${now}`);
      assert.equal(longest([...before], kept), kept.length);
    }
  }
});
