import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scanContract } from "../../lib/documents/scan-contract.ts";

const scan = (front: string, body = "\n# T\n", defaults = {}) => scanContract(`---\n${front}\n---\n${body}`, defaults);
const named = "id: T-7\ntitle: Round half up";

test("the plain keys are read, with comments behind them", () => {
  const { contract } =
    scan(
      'id: T-7 # one\ntitle: "Round: half up" # two\npriority: -3\ndepends_on: [T-1, T-2]\n# note\n\nuser_facing: true',
    ) ?? assert.fail("it is not scanned");
  const { id, title, priority, dependsOn, userFacing } = contract;
  assert.deepEqual([id, title, priority, dependsOn, userFacing], ["T-7", "Round: half up", -3, ["T-1", "T-2"], true]);
});

test("dependencies on lines of their own are read, and a task must not be among them", () => {
  const lines = (id: string) => scan(`${named}\ndepends_on:\n  - ${id}`);
  assert.deepEqual([lines("T-1")?.contract.dependsOn, lines("T-7")], [["T-1"], null]);
});

test("keys that are not there come from the defaults", () => {
  const defaults = { priority: 4, user_facing: true };
  const contract = scan(named, "", defaults)?.contract;
  assert.deepEqual([contract?.priority, contract?.userFacing], [4, true]);
  assert.equal(scan(`${named}\npriority: 0`, "", defaults)?.contract.priority, 0);
  assert.equal(scan(named)?.contract.priority, 0);
});

test("briefs with the same other keys share their lists", () => {
  const lists = ["T-7", "T-8"].map(
    (id) => scan(`id: ${id}\ntitle: x\nvalidators: [{ name: tests, command: [make] }]`)?.contract.validators,
  );
  assert.equal(lists[0], lists[1]);
  assert.deepEqual(
    lists[0]?.map(({ name }) => name),
    ["tests"],
  );
});

describe("a front matter is left to the parser", () => {
  for (const [what, front] of Object.entries({
    "with a key twice": `${named}\nid: T-8`,
    "without an id": "title: x",
    "without a title": "id: T-7",
    "with an id that YAML reads as another value": "id: true\ntitle: x",
    "with an id of digits": "id: 7\ntitle: x",
    "with a title that YAML reads as another value": "id: T-7\ntitle: null",
    "with a title of spaces": 'id: T-7\ntitle: "  "',
    "with an escape in the title": 'id: T-7\ntitle: "a\\nb"',
    "with a colon in a bare title": "id: T-7\ntitle: a: b",
    "with a priority in another form": `${named}\npriority: 1e3`,
    "with a priority of eight": `${named}\npriority: 010`,
    "with a dependency that is no word": `${named}\ndepends_on: [T-1, null]`,
    "with a task that depends on itself": `${named}\ndepends_on: [T-7]`,
    "with a value that goes on": "id: T-7\n  x\ntitle: x",
    "with an anchor": `${named}\nrepo: &a b`,
    "with an open bracket": `${named}\nvalidators: [`,
    "with brackets that cross": `${named}\nvalidators: [{]}`,
    "with an open quote": `${named}\nrepo: "a`,
    "with text behind a quote": `${named}\nrepo: "a"b`,
    "with a block of text": `${named}\nrepo: |\n  a`,
    "with an unknown key": `${named}\nx: y`,
  }))
    test(what, () => assert.equal(scan(front), null));

  test("that does not begin the text, or is never closed", () => {
    assert.equal(scanContract(`\n---\n${named}\n---\n`, {}), null);
    assert.equal(scanContract(`---\n${named}\n`, {}), null);
    assert.equal(scanContract(`---\n${named}\n----\n`, {}), null);
  });
});

describe("a body", () => {
  for (const [body, isEmpty] of [
    ["", true],
    ["# Title\n\n<!-- advice\nof two lines -->\n", true],
    ["Round half up.\n", false],
    ["# Title\n\n- round half up\n", false],
    ["Title\n===\n", null],
    ["word\n", null],
    ["> quoted words\n", null],
    ["<!-- never closed\n", null],
    ["<!-- x --> words\n", null],
    ["some words <!-- x -->\n", null],
  ] as const)
    test(`${JSON.stringify(body)} ${isEmpty === null ? "is left to the parser" : isEmpty ? "says nothing" : "says something"}`, () =>
      assert.equal(scan(named, body)?.isEmpty ?? null, isEmpty));
});
