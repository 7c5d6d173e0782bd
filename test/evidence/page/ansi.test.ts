import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AnsiRun, readAnsi, textOf } from "../../../lib/evidence/page/ansi.ts";
import { nearestColour, paletteColour } from "../../../lib/evidence/page/ansi-colours.ts";

const esc = "\u001b[";
const runs = (text: string) => readAnsi(text).flat();
const run = (text: string, classes = ""): AnsiRun => ({ text, classes });

test("colours and weights become classes, and end where they are ended", () => {
  const cases: readonly (readonly [text: string, expected: readonly AnsiRun[]])[] = [
    ["plain", [run("plain")]],
    [`${esc}31mred${esc}0m plain`, [run("red", "f1"), run(" plain")]],
    [`${esc}1;4;92mx${esc}22;24;39my`, [run("x", "bo un f10"), run("y")]],
    [`${esc}41mx${esc}49my${esc}103mz`, [run("x", "b1"), run("y"), run("z", "b11")]],
    [`${esc}2mdim${esc}22m ${esc}2;32mgreen`, [run("dim", "di"), run(" "), run("green", "f2")]],
    [`${esc}7;31mx${esc}27my`, [run("x", "in"), run("y", "f1")]],
    [`${esc}38;5;196mx${esc}38;2;0;200;0my${esc}48;5;21mz`, [run("x", "f9"), run("y", "f2"), run("z", "f2 b4")]],
    [`${esc}38:5:196mx${esc}38:2::0:200:0my${esc}38:2:0:200:0mz`, [run("x", "f9"), run("yz", "f2")]],
    [`${esc}38;5;999mx${esc}38;9;1my${esc}58;5;1mz`, [run("x"), run("yz", "bo")]],
    [`a${esc}mb${esc}95mc${esc}21md`, [run("ab"), run("c", "f13"), run("d", "un f13")]],
    ["\u009b31mred", [run("red", "f1")]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(runs(text), expected, JSON.stringify(text));
});

test("what moves the cursor, sets a title or makes a link is left out; what is cut off stays, to be spelled out", () => {
  const link = "\u001b]8;;https://evil.example\u0007words\u001b]8;;\u001b\\";
  const text = `${esc}2J${esc}10;4Ha${link}\u001b]0;title\u009cb\u001b(Bc\u001b7\u001bPq\u001b\\d${esc}?25l`;
  assert.equal(textOf(readAnsi(text)), "awordsbcd");
  assert.equal(textOf(readAnsi("a\u001b]8;;unended\nb\u001b[31")), "a\u001b]8;;unended\nb\u001b[31");
});

test("a line that was written over shows its last state, in its last colours, and a Windows line end is none", () => {
  assert.equal(textOf(readAnsi("10%\r50%\r100%\nnext\r\nlast\r")), "100%\nnext\nlast");
  assert.deepEqual(readAnsi(`${esc}31mold\r${esc}K${esc}32mnew\nnext`), [[run("new", "f2")], [run("next", "f2")]]);
});

test("a colour beyond the 16 is the nearest of them", () => {
  assert.deepEqual([0, 15, 16, 21, 196, 231, 232, 244, 255].map(paletteColour), [0, 15, 0, 4, 9, 15, 0, 8, 7]);
  assert.equal(paletteColour(256), null);
  assert.equal(nearestColour(250, 5, 5), 9);
});

test("for any text: runs hold only known classes, next ones differ, and nothing comes in that was not there", () => {
  const piece = fc.oneof(
    fc.constantFrom(esc, "\u001b", "\u009b", "\u001b]", "\u0007", "\r", "\n", "31m", "38;5;", "0m", "<b>", "&"),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join("");
      const lines = readAnsi(text);
      assert.equal(lines.length, text.split("\n").length);
      for (const line of lines) {
        for (const [index, { text: part, classes }] of line.entries()) {
          assert.match(classes, /^(?:(?:bo|un|in|di|[fb](?:\d|1[0-5]))(?: |$))*$/);
          assert.ok(part !== "" && text.includes(part[0] ?? "") && !/[\r\n]/.test(part));
          assert.notEqual(classes, line[index - 1]?.classes);
        }
      }
      // Words without any escape stay as they are.
      const plain = text.replace(/[^ -~]/g, "");
      assert.equal(textOf(readAnsi(plain)), plain);
    }),
    { numRuns: 300 },
  );
});
