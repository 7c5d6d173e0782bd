import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf } from "../../../lib/checks/proof/wrong-outcome.ts";
import type { CheckResult } from "../../../lib/rules/check-run.ts";
import { failing } from "../../rules/arrange.ts";

const by = (kind: "assertion" | "load" | "crash" | "other"): Partial<CheckResult> => ({
  failure: { by: kind, tests: [], said: null },
});
const ran = (number: number): Partial<CheckResult> => ({ tests: { ran: number, failed: 1, skipped: 0 } });

async function outcome(
  clean: Partial<CheckResult>,
  result: Partial<CheckResult>,
  {
    asTypes = false,
    without = {},
    before = { status: "pass" },
  }: {
    readonly asTypes?: boolean;
    readonly without?: Partial<CheckResult>;
    readonly before?: Partial<CheckResult>;
  } = {},
): Promise<string> {
  const broken = async () => "what an unreadable file is told by";
  const isOld = (name: string) => name.startsWith("TestOld");
  const runs = {
    ...{ clean: [failing({ status: "pass", ...clean })], without: [failing(without)], before: [failing(before)] },
    isOld,
  };
  const judged = await outcomeOf([failing(result)], runs, asTypes, broken);
  return [judged.outcome, judged.noticed_by ?? ""].join(" ").trim();
}

test("a run of no test could not load them, whatever it failed by", async () => {
  for (const kind of ["assertion", "load", "crash", "other"] as const) {
    assert.equal(await outcome(ran(2), { ...by(kind), ...ran(0) }), "unloadable", kind);
    assert.equal(await outcome({}, { ...by(kind), ...ran(0) }), "unloadable", kind);
  }
});

test("a run that counts no tests, and so ended before them, is not noticed by a crash if the old work is no assertion's", async () => {
  for (const kind of ["crash", "other"] as const)
    assert.equal(await outcome(ran(2), by(kind), { without: by("load") }), "unloadable", kind);
  assert.equal(await outcome(ran(2), by("crash"), { without: by("assertion") }), "noticed crash");
  assert.equal(await outcome(ran(2), { ...by("crash"), exit_code: 139 }, { without: by("load") }), "noticed crash");
  assert.equal(await outcome(ran(2), by("assertion"), { without: by("load") }), "noticed assertion");
  assert.equal(await outcome({}, by("crash"), { without: by("load") }), "noticed crash");
});

test("a check that runs no test of its own is read by what it failed by", async () => {
  assert.equal(await outcome(ran(0), { ...by("assertion"), ...ran(0) }), "noticed assertion");
  assert.equal(await outcome(ran(0), { ...by("crash"), ...ran(0) }), "noticed crash");
  assert.equal(await outcome({}, by("other")), "noticed other");
  assert.equal(await outcome({}, by("load")), "unloadable");
  assert.equal(await outcome({}, by("load"), { asTypes: true }), "noticed load");
});

test("a run of fewer tests is noticed by an assertion alone", async () => {
  assert.equal(await outcome(ran(2), { ...by("assertion"), ...ran(1) }), "noticed assertion");
  assert.equal(await outcome(ran(2), { ...by("crash"), ...ran(1) }), "unloadable");
  assert.equal(await outcome(ran(2), { ...by("crash"), ...ran(2) }), "noticed crash");
});

test("a version that only tests notice which pass without the work is noticed by what stood before", async () => {
  const names = (kind: "assertion" | "load" | "crash", ...tests: string[]): Partial<CheckResult> => ({
    failure: { by: kind, tests, said: null },
  });
  const with3 = (result: Partial<CheckResult>) => ({ ...result, ...ran(3) });
  const old = with3(names("assertion", "old"));
  const without = with3(names("crash", "new"));
  assert.equal(await outcome(ran(3), old, { without }), "noticed standing");
  assert.equal(await outcome(ran(3), with3(names("assertion", "new", "old")), { without }), "noticed assertion");
  // Where names are missing, or tests did not run, nothing says so.
  assert.equal(await outcome(ran(3), with3(names("assertion")), { without }), "noticed assertion");
  assert.equal(await outcome(ran(3), old, { without: with3(names("load", "test/new.test.mjs")) }), "noticed assertion");
  assert.equal(await outcome(ran(3), { ...names("assertion", "old"), ...ran(1) }, { without }), "noticed assertion");
});

test("tests in files of before say nothing of new ones that could not be built without the work", async () => {
  const without = { failure: { by: "load" as const, tests: [], said: "undefined: NewID" } };
  const go = (...tests: string[]): Partial<CheckResult> => ({
    failure: { by: "other", tests, said: null },
    excerpt: tests.map((name) => `--- FAIL: ${name} (0.00s)\n`).join(""),
  });
  assert.equal(await outcome({}, go("TestOld", "TestOldest"), { without }), "noticed standing");
  assert.equal(await outcome({}, go("TestOld"), { without, before: without }), "noticed other");
  assert.equal(await outcome({}, go("TestOld", "TestNew"), { without }), "noticed other");
  assert.equal(
    await outcome({}, { ...go("TestOld"), command: ["go", "test", "-failfast"] }, { without }),
    "noticed other",
  );
  const packages = { excerpt: "ok  \texample.com/a\t0.002s\nok  \texample.com/b\t(cached)\n" };
  const stopped = `--- FAIL: TestOld (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s\n`;
  const both = `${stopped}ok  \texample.com/b\t0.001s\n`;
  assert.equal(await outcome(packages, { ...go("TestOld"), excerpt: stopped }, { without }), "noticed other");
  assert.equal(await outcome(packages, { ...go("TestOld"), excerpt: both }, { without }), "noticed standing");
  assert.equal(await outcome(ran(2), { ...go("TestOld"), ...ran(2) }, { without }), "noticed standing");
  assert.equal(await outcome({}, { ...go("TestOld"), excerpt: "" }, { without }), "noticed other");
});
