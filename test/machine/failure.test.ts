import assert from "node:assert/strict";
import { test } from "node:test";
import { failureSignature, normalizeOutput } from "../../lib/machine/failure.ts";
import { failing } from "./arrange.ts";

const same: readonly (readonly [string, string, string])[] = [
  ["times of day", "failed at 2026-01-02T03:04:05.678Z", "failed at 2026-11-22 13:14:15+02:00"],
  ["durations of other units", "1 failing (998ms)", "1 failing (1.02s)"],
  ["durations of more parts", "took 58s", "took 1m 2s"],
  ["numbers", "expected 41 to equal 42", "expected 7 to equal 42000000"],
  ["grouped numbers", "999 rows", "1,234,567 rows"],
  ["hashes", "at commit 0a1b2c3d", "at commit ffeeddccbbaa99887766554433221100ffeeddcc"],
  ["uuids", "run 0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", "run ffeeddcc-bbaa-9988-7766-554433221100"],
  ["addresses", "segfault at 0x7ffe12ab", "segfault at 0xdeadbeef12"],
  ["paths", "cannot read /tmp/run-a8f/out.csv", "cannot read /var/folders/x/y/out.csv"],
  ["places in a file", "src/a.ts:12:5 wrong", "src/a.ts:120:15 wrong"],
  ["white space", "a\n\n  b", "a b"],
];
for (const [what, one, other] of same) {
  test(`two outputs that differ only in ${what} are the same failure`, () => {
    assert.equal(normalizeOutput(one), normalizeOutput(other));
  });
}

test("another message is another failure", () => {
  assert.notEqual(
    normalizeOutput("TypeError: x is not a function"),
    normalizeOutput("RangeError: x is not a function"),
  );
});

test("64 KB without a space are normalised without delay", () => {
  const started = process.hrtime.bigint();
  assert.ok(normalizeOutput("a".repeat(65_536)).length <= 1500);
  assert.ok(process.hrtime.bigint() - started < 500_000_000n);
});

test("no progress is one failure, whatever was said", () => {
  assert.equal(
    failureSignature("no_progress", [{ category: "progress", code: "no_progress", text: "a" }], []),
    "no_progress",
  );
});

test("the order of the failing checks makes no difference", () => {
  const [a, b] = [failing({ name: "a" }), failing({ name: "b" })];
  assert.equal(failureSignature("redirected", [], [a, b]), failureSignature("redirected", [], [b, a]));
});

test("checks that fail speak for the failure, else the reasons do, and progress never does", () => {
  const reasons = [
    { category: "gate", code: "candidate_done", text: "it is no" },
    { category: "progress", code: "no_progress", text: "nothing" },
  ] as const;
  assert.equal(
    failureSignature("redirected", reasons, [failing()]),
    "redirected validator tests | validator tests: N failing",
  );
  assert.equal(failureSignature("rejected", reasons, []), "rejected candidate_done: it is no");
});

test("failing names tell two failures apart however long the outputs are", () => {
  const long = "x y ".repeat(500);
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => failing({ name, excerpt: long }));
  assert.ok(a && b && c && d);
  assert.notEqual(failureSignature("redirected", [], [a, b, c]), failureSignature("redirected", [], [a, b, d]));
});

test("a signature is at most 2,000 characters", () => {
  const many = Array.from({ length: 50 }, (_, index) =>
    failing({ name: `check-${index}`, excerpt: "word ".repeat(300) }),
  );
  assert.equal(failureSignature("redirected", [], many).length, 2000);
});
