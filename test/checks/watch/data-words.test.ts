import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asksFor,
  asksToRemove,
  exempts,
  failedNames,
  isBinary,
  lostValue,
  namesFile,
  onlyLost,
} from "../../../lib/checks/watch/data-words.ts";
import { check, failing } from "../../rules/arrange.ts";

test("a file is named by its whole name", () => {
  const names = (text: string) => namesFile("data/a.json").test(text);
  assert.deepEqual(
    ["see a.json.", "data/a.json", "`a.json`", "aa.json", "x-a.json", "a.json5", "a-json", "a.json-old"].map(names),
    [true, true, true, false, false, false, false, false],
  );
});

test("a brief asks for a change of a file that it names, unless the sentence says to leave it", () => {
  const rows: readonly (readonly [brief: string, asks: boolean])[] = [
    ["Add the new prices to rates.json.", true],
    ["Do not change rates.json.", false],
    ["Change rates.json. Leave the rest alone.", true],
    ["Leave the rest alone\nChange rates.json", true],
    ["rates.json must stay unchanged! Add a test.", false],
    ["Change rates.", false],
    ["", false],
  ];
  for (const [brief, asks] of rows) assert.equal(asksFor(brief, "data/rates.json", false), asks, brief);
  assert.equal(asksFor("The Login page has a new button.", "shots/login.png", true), true);
  assert.equal(asksFor("The loginpage has a new button.", "shots/login.png", true), false);
});

test("a brief is about removal if the sentence that names the file speaks of it", () => {
  assert.equal(asksToRemove("Remove the old rows from rates.json.", "rates.json"), true);
  assert.equal(asksToRemove("Remove the old page. Keep rates.json.", "rates.json"), false);
  assert.equal(asksToRemove("Add a row to rates.json.", "rates.json"), false);
});

test("data that was read as text is known to be binary by its bytes", () => {
  assert.deepEqual([null, "", "text", "a\0b", "a\ufffdb"].map(isBinary), [false, false, false, true, true]);
});

test("a value is lost if it occurs less often, and data only lost values if it gained none", () => {
  const rows: readonly (readonly [before: string | null, now: string | null, lost: boolean, only: boolean])[] = [
    ["1 2 3", "1 2 3", false, false],
    ["1 2 3", "3, 2; 1", false, false],
    ["1 2 3", "1 2 3 4", false, false],
    ["1 2 3", "1 2", true, true],
    ["1 2 2", "1 2", true, true],
    ["1 2 3", "1 2 4", true, false],
    ["1 2 3", null, true, true],
    [null, "1", false, false],
    [null, null, false, false],
    ["", null, true, true],
    ["a\0", "a\0", false, false],
    ["a\0", "a\0b", true, false],
  ];
  for (const [before, now, lost, only] of rows)
    assert.deepEqual([lostValue(before, now), onlyLost(before, now)], [lost, only], `${before} ${now}`);
});

test("failed tests are named by their results and by the output, also without their suite", () => {
  const named = failing({ failure: { by: "assertion", tests: ["suite > adds rows"], said: null } });
  const printed = failing({ excerpt: "not ok 12 - halves\nFAILED tests/test_a.py::test_b\nok 3 - fine" });
  const passed = check({ excerpt: "not ok 1 - kept" });
  const names = failedNames([named, printed, passed]);
  for (const name of ["suite > adds rows", "adds rows", "suite", "halves", "tests/test_a.py"])
    assert.ok(names.includes(name), name);
  assert.ok(names.every((name) => name.length > 2 && !name.includes("kept") && !name.includes("fine")));
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(failedNames([]), []);
});

test("a list exempts a failed test if one of its new lines names it", () => {
  const rows: readonly (readonly [before: string | null, now: string | null, isExempt: boolean])[] = [
    ["a\n", "a\nhalves\n", true],
    ["a\r\nhalves\r\n", "halves\r\na\r\n", false],
    [null, "- halves: flaky\n", true],
    ["a\n", "a\nhalves-up\n", false],
    ["a\n", "a\nx/halves\n", false],
    ["a\n", null, false],
  ];
  for (const [before, now, isExempt] of rows) assert.equal(exempts(["halves"], before, now), isExempt, String(now));
  assert.equal(exempts([], null, "halves"), false);
  assert.equal(exempts(["a(b)*"], null, "a(b)*"), true);
});
