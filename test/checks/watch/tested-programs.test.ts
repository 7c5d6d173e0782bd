import assert from "node:assert/strict";
import { test } from "node:test";
import { isTested, isTestedLibrary } from "../../../lib/checks/watch/tested-programs.ts";

const plain = { feeds: false, from: null };
const rows: readonly (readonly [path: string, how: Parameters<typeof isTested>[1], tested: boolean])[] = [
  ["bin/row.mjs", plain, true],
  ["src/main.js", plain, true],
  ["cmd/a/main.go", plain, true],
  ["bin/row", plain, false],
  ["row.mjs", plain, false],
  ["row.mjs", { ...plain, feeds: true }, true],
  ["row.mjs", { ...plain, from: "test/run.sh" }, true],
  ["row.mjs", { ...plain, from: "ci.sh" }, false],
  ["build.mjs", plain, true],
  ["scripts/build-docs.mjs", plain, true],
  ["scripts/row.mjs", plain, false],
  ["scripts/src/row.mjs", plain, false],
  ["scripts/row.mjs", { ...plain, feeds: true }, true],
  ["scripts/row.mjs", { ...plain, from: "test/run.sh" }, false],
  ["src/check-docs.mjs", { ...plain, feeds: true }, false],
  ["src/lint.sh", plain, false],
  ["test/run.mjs", { ...plain, feeds: true }, false],
  ["src/a.test.js", plain, false],
];
for (const [path, { feeds, from }, tested] of rows) {
  const how = `${feeds ? " whose output is looked at" : ""}${from === null ? "" : ` that ${from} runs`}`;
  test(`${path}${how} is ${tested ? "the work" : "a part of the check"}`, () =>
    assert.equal(isTested(path, { feeds, from }), tested));
}

const sum = "sum() {\n  echo 3\n}\n";
const libraries: readonly (readonly [
  what: string,
  path: string,
  text: string,
  from: string | null,
  tested: boolean,
])[] = [
  ["a library of the product", "src/sum.sh", sum, null, true],
  ["a library that a test sources", "sum.sh", sum, "test/run.sh", true],
  ["a file that only sets variables", "src/env.sh", "A=1\n", null, false],
  ["a library elsewhere", "sum.sh", sum, null, false],
  ["a helper of the tests", "test/kit.sh", sum, "test/run.sh", false],
  ["a library whose name speaks of checks", "src/assert.sh", sum, null, false],
  ["a helper script", "scripts/src/sum.sh", sum, null, false],
  ["a library that replaces a command of tests", "src/sum.sh", `${sum}test() { :; }\n`, null, false],
  ["a library that replaces an assertion", "src/sum.sh", `${sum}function assert_eq() { :; }\n`, null, false],
  ["a library with a trap", "src/sum.sh", `${sum}trap 'exit 0' EXIT\n`, null, false],
  ["a library that ends the shell well", "src/sum.sh", `${sum}exit 0\n`, null, false],
  ["a library that ends the shell with a failure", "src/sum.sh", "sum() {\n  exit 3\n}\n", null, true],
  ["a library that no longer stops at an error", "src/sum.sh", `${sum}set +e\n`, null, false],
];
for (const [what, path, text, from, tested] of libraries) {
  test(`${what} is ${tested ? "the work" : "a part of the check"}`, () =>
    assert.equal(isTestedLibrary(path, text, from), tested));
}
