import assert from "node:assert/strict";
import { test } from "node:test";
import { readSteps, stepsKept } from "../../lib/task-folder/steps.ts";

function steps(text: string): string[] {
  const read = readSteps(Buffer.from(text), "TASKS.md");
  return read.kind === "steps"
    ? read.items.map((item) => `${item.done ? "x" : " "} ${item.text}`)
    : assert.fail("unreadable");
}

function kept(before: string | null, after: string | Buffer): string | null {
  const { ok, problem } = stepsKept(before === null ? null : Buffer.from(before), Buffer.from(after));
  assert.equal(ok, problem === null);
  return problem;
}

test("task items are read in order, nested ones and those of ordered lists included", () => {
  assert.deepEqual(steps("# T\n\n- [x] a *b*\n  - [ ] c\n- plain\n  1. [X] d\n\n1. [ ] e\n"), [
    "x a b",
    "  c",
    "x d",
    "  e",
  ]);
});

test("code, quotes and comments hold no steps", () => {
  assert.deepEqual(steps("```\n- [ ] a\n```\n\n> - [ ] b\n\n<!--\n- [ ] c\n-->\n\n- x\n\n      - [ ] d\n"), []);
});

test("a box with another mark, or with nothing behind it, is an open step", () => {
  assert.deepEqual(steps("- [-] a\n- [~] b\n- [ ]\n- [] c\n- [link](x) d\n- # [ ] e\n-\n"), [
    "  a",
    "  b",
    "  ",
    "  c",
  ]);
});

test("steps may be added and ticked", () => {
  assert.equal(kept("- [ ] a\n- [x] b\n", "- [x] new\n- [x] a\n  - [ ] newer\n- [x] b\n"), null);
  assert.equal(kept(null, "- [ ] a\n"), null);
  assert.equal(kept("- [x] a\n", "- [ ] a\n- [x] a\n"), null);
});

test("steps may not be removed, reworded, unticked or moved", () => {
  assert.equal(kept("- [ ] a\n", "# none\n"), 'the item "a" was removed or reworded');
  assert.equal(kept("- [x] a\n", "- [ ] a\n"), 'the item "a" was unticked');
  assert.equal(kept("- [ ] a\n- [ ] b\n", "- [ ] b\n- [ ] a\n"), 'the item "b" was moved');
  assert.equal(kept("- [ ] a\n- [ ] a\n", "- [ ] a\n"), 'the item "a" was moved');
});

test("a file that cannot be read keeps nothing, and one that could not be read had nothing", () => {
  const broken = Buffer.from([0xff]);
  assert.equal(kept("- [ ] a\n", broken), "the file is not valid UTF-8 from here on");
  assert.deepEqual(stepsKept(broken, Buffer.from("")), { ok: true, problem: null });
  assert.equal(readSteps(broken, "TASKS.md").kind, "unreadable");
});
