import assert from "node:assert/strict";
import { test } from "node:test";
import { readSteps, stepsKept } from "../../lib/documents/steps.ts";

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

test("words that Markdown takes for HTML are part of a step, and a comment is not", () => {
  assert.deepEqual(steps("- [ ] read a Vec<u8> <!-- x -->\n"), ["  read a Vec<u8>"]);
  assert.match(kept("- [ ] read a Vec<u8>\n", "- [ ] read a Vec<i8>\n") ?? "", /Vec<u8>/);
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

test("a box with a tick, without space behind it, or a tick in place of the box is a step that is done", () => {
  assert.deepEqual(steps("- [✓] a\n- [✔️] b\n- [x]c\n- ✅ d\n- ☑️ e\n- [X] f\n"), [
    "x a",
    "x b",
    "x c",
    "x d",
    "x e",
    "x f",
  ]);
});

const changes: readonly (readonly [what: string, before: string, after: string])[] = [
  ["added", "- [ ] a\n- [x] b\n", "- [x] new\n- [x] a\n  - [ ] newer\n- [x] b\n"],
  ["made", "", "- [ ] a\n"],
  ["doubled", "- [x] a\n", "- [ ] a\n- [x] a\n"],
  ["ticked", "- [ ] a\n", "- [x] a\n"],
  ["ticked with a capital", "- [ ] a\n", "- [X] a\n"],
  ["ticked with a tick", "- [ ] a\n", "- [✓] a\n"],
  ["ticked by an emoji", "- [ ] a\n", "- ✅ a\n"],
  ["ticked, with a note", "- [ ] a\n", "- [x] a (done in pass 2)\n"],
  ["ticked, with a dash and a note", "- [ ] Write the test.\n", "- [x] Write the test — see test/a.test.ts\n"],
  ["ticked, with a link", "- [ ] a\n", "- [x] a: [log](artifacts/a.log)\n"],
  ["ticked, with a nested note", "- [ ] a\n", "- [x] a\n  - it was easy\n"],
  ["ticked, with a note on the next line", "- [ ] a\n", "- [x] a\n  it was easy\n"],
  ["reordered", "- [ ] a\n- [ ] b\n", "- [ ] b\n- [ ] a\n"],
  ["reordered and appended to", "- [ ] a\n- [ ] a b\n", "- [x] a b c\n- [ ] a, later\n"],
  ["put under another heading", "# Open\n\n- [ ] a\n", "# Open\n\n# Done\n\n- [x] a\n"],
  ["nested", "- [ ] a\n- [ ] b\n", "- [ ] a\n  - [x] b\n"],
  ["written with other bullets", "- [ ] a\n", "* [x] a\n"],
  ["numbered", "- [ ] a\n", "1. [x] a\n"],
  ["set in bold", "- [ ] a\n", "- [x] **a**\n"],
  ["rid of its full stop", "- [ ] a.\n", "- [x] a\n"],
];

for (const [what, before, after] of changes)
  test(`a step may be ${what}`, () => assert.equal(kept(before, after), null));

test("steps may not be removed, reworded, struck out or unticked, and the message has the line to keep", () => {
  const keep = "keep its line, and only append to it";
  assert.equal(kept("- [ ] a\n", "# none\n"), `the item "a" was removed or reworded; ${keep}: \`- [ ] a\``);
  assert.equal(kept("- [x] a\n", "- [ ] a\n"), `the item "a" was unticked; ${keep}: \`- [x] a\``);
  assert.equal(
    kept("- [ ] a\n- [ ] a\n", "- [ ] a\n"),
    `the item "a" appeared more often before; ${keep}: \`- [ ] a\``,
  );
  for (const after of [
    "- [ ] about\n",
    "- [x] not a\n",
    "- [x] ~~a~~\n",
    "- [x] ~~a~~ (not needed)\n",
    "- a\n",
    "> - [x] a\n",
  ])
    assert.match(kept("- [ ] a\n", after) ?? "", /^the item "a" was removed or reworded/, after);
  assert.match(kept("- [ ] a\n- [ ] a b\n", "- [ ] a b\n- [ ] c\n") ?? "", /^the item "a" appeared more often before/);
});

test("a file that cannot be read keeps nothing, and one that could not be read had nothing", () => {
  const broken = Buffer.from([0xff]);
  assert.equal(kept("- [ ] a\n", broken), "the file is not valid UTF-8 from here on");
  assert.deepEqual(stepsKept(broken, Buffer.from("")), { ok: true, problem: null });
  assert.equal(readSteps(broken, "TASKS.md").kind, "unreadable");
});

test("the files under artifacts/ that an item names in brackets or links are its proofs, with the item's line", () => {
  const text = [
    "# T",
    "",
    "- [x] chart (artifacts/a.png), table (./artifacts/b.csv; artifacts/c_d_e.csv.)",
    "  - [ ] nested (`artifacts/d.png`) and (see artifacts/e.log)",
    "- [X] [shot](artifacts/f%20g.png) ![](./artifacts/h.png)",
    "- [x] ~~gone (artifacts/i.png)~~ ~~[j](artifacts/j.png)~~",
    "- [x] write artifacts/k.md, (src/artifacts/l.md), (artifacts), [m](../artifacts/m.md)",
    "- ✅ tick (artifacts/n.png)",
    "- no box (artifacts/o.png)",
  ].join("\n");
  const read = readSteps(Buffer.from(text), "TASKS.md");
  assert.ok(read.kind === "steps");
  assert.deepEqual(
    read.proofs.map(({ line, done, path }) => `${line} ${done ? "x" : " "} ${path}`),
    [
      "3 x artifacts/a.png",
      "3 x artifacts/b.csv",
      "3 x artifacts/c_d_e.csv",
      "4   artifacts/d.png",
      "4   artifacts/e.log",
      "5 x artifacts/f g.png",
      "5 x artifacts/h.png",
      "8 x artifacts/n.png",
    ],
  );
  assert.deepEqual(Object.keys(read.items[0] ?? {}), ["text", "done"]);
});
