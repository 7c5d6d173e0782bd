import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readShellCommands } from "../../../lib/checks/watch/shell-commands.ts";

describe("the words of shell commands", () => {
  const cases: [string, string[][]][] = [
    ["", []],
    ["a b&&c||d;e|f", [["a", "b"], ["c"], ["d"], ["e"], ["f"]]],
    ['A=1 a \'b c\' "d \\"e" f\\ g', [["A=1", "a", "b c", 'd "e', "f g"]]],
    ["a # b c\nd#e", [["a"], ["d#e"]]],
    ["a $(b c) `d`", [["a"], ["b", "c"], ["d"]]],
    ["a >out.txt 2>&1 <in", [["a", "out.txt", "in"]]],
    ["a>out b", [["a", "out", "b"]]],
    ["a \\\n b $X/$Y", [["a", "b", "$X/$Y"]]],
    ["{ a; } ; (b)", [["a"], ["b"]]],
    ["a 'b", [["a", "'b"]]],
  ];
  for (const [line, expected] of cases) {
    it(`splits ${JSON.stringify(line)}`, () => {
      assert.deepEqual(
        readShellCommands(line).map(({ words }) => words),
        expected,
      );
    });
  }
});

describe("readShellCommands", () => {
  const feeding = (text: string): string[] =>
    readShellCommands(text).flatMap(({ words, feeds }) => (feeds ? [words.join(" ")] : []));
  const rows: [string, string[]][] = [
    ["a | diff - b; c && d || e", ["a"]],
    ["a | tee log", []],
    ["a | tee log | grep x", ["a", "tee log"]],
    ["x=$(a b) c; d", ["a b"]],
    ["x `a b` c; d", ["a b"]],
    ["diff <(a) <(b c) d", ["a", "b c"]],
    ["a > out.txt; cmp out.txt b", ["a out.txt"]],
    ["a > out.txt; b 2> err.txt; c > /dev/null; d /dev/null", []],
    ["(a; b) c) d | e", ["d"]],
  ];
  for (const [text, expected] of rows) {
    it(`tells whose output is looked at in ${text}`, () => assert.deepEqual(feeding(text), expected));
  }
});

it("reads 2,000 words of a text, and no more", () => {
  const commands = readShellCommands(`a; ${"b ".repeat(3_000)}`);
  assert.equal(commands.flatMap(({ words }) => words).length, 2_000);
});
