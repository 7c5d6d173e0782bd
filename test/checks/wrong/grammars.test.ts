import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits } from "../../../lib/checks/wrong/edit.ts";
import { emptySource } from "../../../lib/checks/wrong/empty-functions.ts";
import { parseSource } from "../../../lib/checks/wrong/grammars.ts";
import { versionsOf } from "./arrange.ts";

test("a source that is broken is read as far as it goes, and whatever it is nothing is thrown", async () => {
  for (const text of [
    "",
    "\u0000",
    "function (",
    "((((",
    "}}}}",
    "class A { m( {",
    "\ufeffconst a = 1;",
    "a\r\nb = 2",
  ]) {
    for (const path of ["a.js", "a.tsx", "a.py", "a.go", "a.rs", "A.java", "a.cpp", "a.php", "a.sh"]) {
      const parsed = await parseSource(path, text);
      if (parsed !== null) applyEdits(text, emptySource(parsed, new Set([1, 2])).functions);
      await versionsOf(path, text);
    }
  }
});

test("tests for Vitest within a source stay as they are when the source is made wrong", async () => {
  const text = "export const two = () => f(2);\nif (import.meta.vitest) {\n  run(1 + 1);\n}\n";
  assert.deepEqual((await versionsOf("src/two.js", text)).lines, ["1: 2 > 3", "1: f(2) > undefined"]);
});

test("tests within a source of Rust stay as they are when the source is made wrong", async () => {
  const text =
    "pub fn two() -> i32 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(super::two(), 2);\n    }\n}\n";
  const { lines, emptied } = await versionsOf("src/lib.rs", text);
  assert.deepEqual(lines, ["2: 2 > 3"]);
  assert.match(emptied ?? "", /fn a\(\) \{\n {8}assert_eq!/);
  assert.match(emptied ?? "", /i32 \{ return Default::default\(\);/);
});
