import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type GivenBrief,
  readGivenBrief,
  readValidators,
  refuseSaidTwice,
  textKey,
} from "../../../lib/scaffold/init/given-brief.ts";

const read = (text: string) => readGivenBrief(Buffer.from(text), "wish.md");

test("text is taken as it is, with line feeds alone, and its first heading is noticed", () => {
  assert.deepEqual(read("\ufeff# A *b*\r\n\r\ntext\r\n"), { front: null, body: "# A *b*\n\ntext", heading: "A b" });
  assert.deepEqual(read("text\n# later\n"), { front: null, body: "text\n# later", heading: null });
  assert.equal(read("## second level\n").heading, null);
});

test("front matter is taken apart, keys and lines, and may stand alone", () => {
  const { front, body, heading } = read("---\r\nid: T-9   # mine\r\n---\r\n\r\n# A\r\n");
  assert.deepEqual([front, body, heading], [{ keys: { id: "T-9" }, lines: "id: T-9   # mine\n" }, "# A", "A"]);
  assert.equal(read("---\nid: T-9\n---\n").body, "");
});

test("an empty brief is refused, and so is unreadable front matter", () => {
  assert.throws(() => read(" \n"), /the brief is empty/);
  assert.throws(() => read("---\n- a\n---\n"), /not a list of keys/);
  assert.throws(() => read("---\na: [\n---\n"), { exitName: "data" });
});

test("a key as text, if it is there and is text", () => {
  const given = read("---\nid: T-9\ntitle: 3\n---\n");
  assert.deepEqual([textKey(given, "id"), textKey(given, "title"), textKey(null, "id")], ["T-9", null, null]);
});

test("keys that a flag and the front matter both give are named, each once", () => {
  const flags = new Map([
    ["id", "--id"],
    ["title", "--title"],
  ]);
  const twice = (given: GivenBrief) => () => refuseSaidTwice(given, "wish.md", flags);
  assert.doesNotThrow(twice(read("text\n")));
  assert.doesNotThrow(twice(read("---\npriority: 1\n---\n")));
  assert.throws(twice(read("---\nid: T-9\n---\n")), {
    exitName: "usage",
    message: "--id was given, and the front matter of the brief has `id` too",
  });
});

test("each text is a name and words, split at the first equals sign", () => {
  assert.deepEqual(readValidators(["tests=npm test", "lint = node -e 'a = 1' --x=y"]), {
    validators: [
      { name: "tests", command: ["npm", "test"] },
      { name: "lint", command: ["node", "-e", "a = 1", "--x=y"] },
    ],
    findings: [],
  });
});

const wrong: readonly (readonly [string, string])[] = [
  ["npm test", "'npm test' has no name before an equals sign"],
  ["=npm test", "'=npm test' has no name before an equals sign"],
  ["tests= ", "'tests' has no command after the equals sign"],
  ["tests=''", "'tests' has no command after the equals sign"],
];

for (const [text, problem] of wrong) {
  test(`refused: ${text}`, () => {
    const { validators, findings } = readValidators([text]);
    assert.deepEqual([validators, findings.map((one) => one.message)], [[], [`--validator: ${problem}`]]);
  });
}

test("a command line that needs a shell is refused with its place", () => {
  const { findings } = readValidators(["tests=a && b", "lint='x"]);
  assert.match(findings[0]?.message ?? "", /^--validator: the command of 'tests': column 3: /);
  assert.match(findings[1]?.message ?? "", /^--validator: the command of 'lint': column 1: /);
});

test("a name may stand once", () => {
  const { validators, findings } = readValidators(["a=x", "a=y"]);
  assert.deepEqual(validators, [{ name: "a", command: ["x"] }]);
  assert.deepEqual(
    findings.map((one) => one.message),
    ["--validator: 'a' was given twice; each validator needs its own name"],
  );
});
