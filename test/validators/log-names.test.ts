import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nameLogs } from "../../lib/validators/log-names.ts";

test("a log is named after its check", () => {
  assert.deepEqual(nameLogs(["tests", "type check", "e2e/web: login", "v1.2"]), [
    "tests.log",
    "type-check.log",
    "e2e-web-login.log",
    "v1.2.log",
  ]);
});

test("names that would meet are numbered, also where only letter case tells them apart", () => {
  assert.deepEqual(nameLogs(["lint", "Lint", "lint!", "lint-2"]), [
    "lint.log",
    "Lint-2.log",
    "lint-3.log",
    "lint-2-2.log",
  ]);
});

test("any names give safe and different files", () => {
  assert.deepEqual(nameLogs(["../..", "проверка", "", "\0"]), [
    "check.log",
    "check-2.log",
    "check-3.log",
    "check-4.log",
  ]);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const files = nameLogs(names);
      assert.equal(new Set(files.map((file) => file.toLowerCase())).size, names.length);
      for (const file of files) assert.match(file, /^[A-Za-z0-9_][A-Za-z0-9._-]{0,70}\.log$/);
    }),
  );
});
