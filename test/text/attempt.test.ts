import assert from "node:assert/strict";
import { test } from "node:test";
import { catchForeseen, catchForeseenIn, orElse, orIfForeseen, warningsOf } from "../../lib/text/attempt.ts";
import { dataError, type TaskPhaseError } from "../../lib/text/errors.ts";

const foreseen = () => {
  throw dataError("TP_BROKEN", "it is broken");
};
const defect = () => {
  throw new TypeError("a defect");
};

test("any error has the other value", () => {
  assert.deepEqual([orElse(() => 1, 0), orElse(foreseen, 0), orElse(defect, 0)], [1, 0, 0]);
});

test("only a foreseen error is caught", async () => {
  const codes = ({ findings }: TaskPhaseError) => findings.map(({ code }) => code);
  assert.deepEqual([catchForeseen(() => 1, codes), catchForeseen(foreseen, codes)], [1, ["TP_BROKEN"]]);
  assert.deepEqual(
    [await catchForeseenIn(async () => 1, codes), await catchForeseenIn(async () => foreseen(), codes)],
    [1, ["TP_BROKEN"]],
  );
  assert.deepEqual([orIfForeseen(() => 1, 0), orIfForeseen(foreseen, 0)], [1, 0]);
  assert.throws(() => orIfForeseen(defect, 0), TypeError);
  assert.throws(() => catchForeseen(defect, codes), TypeError);
  await assert.rejects(
    catchForeseenIn(async () => defect(), codes),
    TypeError,
  );
});

test("a foreseen error of what can be left out is a warning", () => {
  const found = warningsOf(foreseen).map(({ severity, code, message }) => [severity, code, message]);
  assert.deepEqual(found, [["warning", "TP_BROKEN", "it is broken"]]);
  assert.deepEqual(
    warningsOf(() => undefined),
    [],
  );
  assert.throws(() => warningsOf(defect), TypeError);
});
