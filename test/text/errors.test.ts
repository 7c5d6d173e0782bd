import assert from "node:assert/strict";
import { test } from "node:test";
import { asForeseen, diskError, hasCode, runWithCleanUp, TaskPhaseError, withCleanUp } from "../../lib/text/errors.ts";
import { errorFinding } from "../../lib/text/finding.ts";

const fail = (error: Error) => () => {
  throw error;
};

test("the result comes back after the cleanup, and an error of the cleanup is not hidden", async () => {
  const steps: string[] = [];
  const value = await runWithCleanUp(
    async () => steps.push("act"),
    () => steps.push("clear"),
  );
  assert.deepEqual([value, steps], [1, ["act", "clear"]]);
  await assert.rejects(
    runWithCleanUp(async () => 1, fail(new Error("no release"))),
    /^Error: no release$/,
  );
});

test("the first error counts, and the second is reported beside it", async () => {
  const first = diskError("TP_DISK", "the disk is full");
  const second = new Error("no release");
  const error = await runWithCleanUp(async () => fail(first)(), fail(second)).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof TaskPhaseError);
  assert.equal(error.exitName, "failure");
  assert.deepEqual(
    error.findings.map(({ severity, code, message }) => [severity, code, message]),
    [
      ["error", "TP_DISK", "the disk is full"],
      ["warning", "TP_CLEANUP", "what was left could not be cleared away either: no release"],
    ],
  );
  assert.deepEqual(error.cause instanceof AggregateError ? error.cause.errors : [], [first, second]);
  await assert.rejects(
    runWithCleanUp(
      async () => fail(first)(),
      () => undefined,
    ),
    first,
  );
  await assert.rejects(
    runWithCleanUp(async () => fail(new Error("a defect"))(), fail(second)),
    /a defect; what was left .*no release/,
  );
});

test("an error is itself once all is cleared away, and tells of a clearing that failed", () => {
  const first = diskError("TP_DISK", "the disk is full");
  assert.equal(
    withCleanUp(first, () => undefined),
    first,
  );
  const both = withCleanUp(first, fail(new Error("no room")));
  assert.ok(both instanceof TaskPhaseError);
  assert.deepEqual(
    both.findings.map(({ code }) => code),
    ["TP_DISK", "TP_CLEANUP"],
  );
});

test("an error has the code of its first finding, and nothing else has one", () => {
  const both = new TaskPhaseError("data", [errorFinding("TP_GIT", "first"), errorFinding("TP_DISK", "second")]);
  assert.deepEqual([hasCode(both, "TP_GIT"), hasCode(both, "TP_DISK")], [true, false]);
  const others = [new TaskPhaseError("data", []), Object.assign(new Error("no"), { findings: both.findings }), null];
  for (const error of others) assert.equal(hasCode(error, "TP_GIT"), false);
});

test("a foreseen error stays as it is, and any other becomes a failure that says what failed and keeps its cause", () => {
  const known = diskError("TP_DISK", "the disk is full");
  assert.equal(asForeseen(known, "the pass failed"), known);
  for (const [thrown, said] of [
    [new TypeError("no clock"), "no clock"],
    ["no clock", "no clock"],
    [undefined, "undefined"],
  ] as const) {
    const error = asForeseen(thrown, "the pass failed", { file: "a", fix: "wind it" });
    const finding = errorFinding("TP_UNEXPECTED", `the pass failed: ${said}`, { file: "a", fix: "wind it" });
    assert.deepEqual([error.exitName, error.findings, error.cause], ["failure", [finding], thrown]);
  }
});
