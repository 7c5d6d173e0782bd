import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type JsonNode, memberOf, readJson } from "../../../lib/scaffold/interchange/json-text.ts";

test("all valid JSON is read as JSON.parse reads it, in any layout", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const read = readJson(`\r\n ${text}\t\n`);
      assert.equal(read.kind, "json");
      if (read.kind === "json") assert.deepEqual(plain(read.root), JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test("a text is refused exactly where JSON.parse refuses it", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("", ",", '"', "}", "]", "x", "\\", "\n", "1"),
      (value, place, mark) => {
        const text = JSON.stringify(value, null, 1);
        const at = place % (text.length + 1);
        const broken = text.slice(0, at) + mark + text.slice(at + 1);
        assert.equal(readJson(broken).kind === "json", takes(broken), broken);
      },
    ),
    { numRuns: 400 },
  );
});

test("each value and key knows its place", () => {
  const text = '{ "a" : [1, "\\u00e9"] }';
  const read = readJson(text);
  assert(read.kind === "json");
  const list = memberOf(read.root, "a");
  assert(list?.value.kind === "array");
  assert.deepEqual(
    [list, ...list.value.items].map(({ start, end }) => text.slice(start, end)),
    ['"a"', "1", '"\\u00e9"'],
  );
  assert.equal(text.slice(list.value.start, list.value.end), '[1, "\\u00e9"]');
  assert.deepEqual([memberOf(read.root, "b"), memberOf(list.value, "a")], [null, null]);
});

for (const [text, offset, problem] of [
  ["", 0, "expected a value, found the end of the file"],
  ["{", 1, "expected a key in double quotes, found the end of the file"],
  ["{a: 1}", 1, "expected a key in double quotes, found a: 1}"],
  ['{"a" 1}', 5, "expected a colon after the key, found 1}"],
  ['{"a": 1,}', 8, "expected another entry after the comma, found }"],
  ["[1,\n]", 4, "expected another entry after the comma, found ]"],
  ["[1 2]", 3, "expected a comma or ], found 2]"],
  ["[1] x", 4, "expected the end of the file, found x"],
  ['["a\nb"]', 3, "expected text without line breaks and control characters, found the end of the line"],
  ['["a\\x"]', 3, 'expected an escape that JSON knows, found \\x"]'],
  ['["a', 1, "the quoted text is never closed"],
  ['{"a": 1, "a": 2}', 9, "the key appears twice in one object"],
  [`${"[".repeat(200)}`, 101, "the values are nested deeper than 100 levels"],
  ["{a".repeat(3), 1, "expected a key in double quotes, found a{a{a"],
  ["[tru]", 1, "expected a value, found tru]"],
  ["[1, /* no */ 2]", 4, "expected a value, found /* no */ 2]"],
  ["[1.]", 1, "expected a value, found 1.]"],
  ["[01]", 2, "expected a comma or ], found 1]"],
  ['["\u{7f}\\u00zz"]', 3, 'expected an escape that JSON knows, found \\u00zz"]'],
  [`["${"x".repeat(4_000_000)}`, 1, "the quoted text is never closed"],
  ["[".repeat(4_000_000), 101, "the values are nested deeper than 100 levels"],
] as const) {
  test(`the first mistake of ${JSON.stringify(text.slice(0, 20))} is named with its place`, () => {
    const read = readJson(text);
    assert.deepEqual(read.kind === "bad" ? [read.offset, read.problem, read.fix !== ""] : read, [
      offset,
      problem,
      true,
    ]);
  });
}

function takes(text: string): boolean {
  try {
    JSON.parse(text, undefined);
    return !doublesKey(text);
  } catch {
    return false;
  }
}

/** Taken by JSON.parse and refused by us: the one deliberate difference that such damage can make. */
function doublesKey(text: string): boolean {
  const read = readJson(text);
  return read.kind === "bad" && read.problem === "the key appears twice in one object";
}

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map((member) => [member.key, plain(member.value)]));
    case "array":
      return node.items.map(plain);
    case "null":
      return null;
    default:
      return node.value;
  }
}
