import assert from "node:assert/strict";
import { test } from "node:test";
import { nameIn } from "../../../lib/checks/wrong/tested-names.ts";
import { listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";

test("lines that name what the tests newly name come first, then those of functions that they name", async () => {
  const before = "def walk(items):\n    for one in items:\n        yield one\n";
  const text = [
    "DEFAULT_MAX_DEPTH = 20",
    "def rest(items):",
    "    return 8 # max_depth",
    ...["def walk(items):", "    for one in items:", "        yield one", "    yield 7"],
    ...["def other(items):", "    return 9", ""],
  ].join("\n");
  const tests = {
    path: "test_a.py",
    before: "def test_walk(self):\n    self.check(other([1]), 1)\n",
    text: "def test_walk(self):\n    self.check(other([1]), 1)\ndef test_depth(self):\n    self.check(walk([]).max_depth, 20)\n",
  };
  const order = async (files: readonly (typeof tests)[], failing: readonly string[], seed: string) => {
    const { lines } = await listWrongVersions([{ path: "a.py", text, before }], seed, false, { files, failing });
    return lines.filter(({ change }) => change === "value").map(({ was }) => was);
  };
  for (const seed of ["one", "two", "three", "four"]) {
    assert.deepEqual((await order([tests], [], seed)).slice(0, 2), ["20", "7"], seed);
    const stood = { ...tests, before: tests.text };
    assert.deepEqual((await order([stood], ["test_depth"], seed)).slice(0, 2), ["20", "7"], seed);
    assert.deepEqual(await order([tests], [], seed), await order([tests], [], seed));
  }
  // In Rust, and in a language without a grammar here.
  const inner =
    "pub const MOST: u32 = 20;\nfn two() -> u32 { 3 + 2 }\n#[cfg(test)]\nmod tests { fn most() { assert_eq!(MOST, 20) } }\n";
  const rust = [{ path: "src/a.rs", text: inner, before: "" }];
  const ofRust = await listWrongVersions(rust, "one", false, { files: rust, failing: [] });
  assert.equal(ofRust.lines[0]?.was, "20");
  const ruby = [{ path: "a.rb", text: "MOST = 20\nx = 3\ny = 4\nz = 5\n", before: "" }];
  const ofRuby = await listWrongVersions(ruby, "two", false, {
    ...{ files: [{ path: "a_test.rb", text: "assert_equal 20, A::MOST\n", before: "" }], failing: [] },
  });
  assert.equal(ofRuby.lines[0]?.was, "20");
});

test("a name of a test is found in the line that writes it, as a whole word", () => {
  const found = (name: string, line: string) => nameIn(name, line);
  assert.equal(found("sum", 'test("sum", () => {})'), true);
  assert.equal(found("sum", 'test("summary", () => {})'), false);
  assert.equal(found("tests/test_a.py::test_adds", "def test_adds():"), true);
  assert.equal(found("test_adds (test_a.Adds.test_adds)", "    def test_adds(self):"), true);
});

test("the row of a table is no part of the name that a test file writes", () => {
  for (const row of ["annot4", "a.b/c::d", "a[0]", "1-two\nlines"])
    assert.equal(nameIn(`tests/test_sum.py::TestSum::test_adds[${row}]`, "    def test_adds(self, one):"), true, row);
  for (const row of ["#1", '"none, or (few)"'])
    assert.equal(nameIn(`App\\SumTest::testAdds with data set ${row}`, "public function testAdds($one)"), true, row);
  assert.equal(nameIn("reads [a]", 'test("reads [b]", () => {'), false);
});

test("a file that could not be loaded is the name of no test", () => {
  assert.equal(nameIn("/repo/test/post.test.mjs", 'import a from "./a.mjs";'), false);
});
