import assert from "node:assert/strict";
import { test } from "node:test";
import { addEvent } from "../../lib/rules/add-event.ts";
import { judgeTaken, renderTaken, takeFresh } from "../../lib/rules/fresh.ts";
import { emptyHistory, type TaskHistory } from "../../lib/rules/history.ts";
import { checkRun, passStarted, verdictEvent } from "./arrange.ts";

const ran = "2026-11-21T10:00:00.000Z";
const run = { ...checkRun(), contract: "c1" };
const verified = verdictEvent("verify", "review", { state: "s", contract: "b1" }, { at: ran, checks: run });
const inReview: TaskHistory = [verified, passStarted(verified.pass + 1, { at: ran })].reduce(addEvent, emptyHistory);
const present = { fingerprint: run.fingerprint_after, contract: "c1", freshMs: 3_600_000 };
const at = (minutes: number) => new Date(Date.parse(ran) + minutes * 60_000).toISOString();

test("the checks of the accepted verify → review are taken over on the same code and contract", () => {
  const taken = takeFresh(inReview, { ...present, at: at(6) });
  assert.deepEqual(taken, { ...run, taken: { pass: verified.pass, ran, at: at(6), fresh_ms: 3_600_000 } });
  assert.equal(
    renderTaken(taken?.taken ?? { pass: 0, ran, at: ran, fresh_ms: 0 }),
    `checks of pass ${verified.pass}, 6 minutes earlier, on the same code`,
  );
  assert.equal(judgeTaken(taken ?? run, inReview), null);
});

test("the checks run anew where anything differs", () => {
  const takes = (change: Partial<Parameters<typeof takeFresh>[1]>, history = inReview) =>
    takeFresh(history, { ...present, at: at(6), ...change }) !== null;
  assert.deepEqual(
    {
      same: takes({}),
      oldest: takes({ at: at(60) }),
      code: takes({ fingerprint: "f2" }),
      contract: takes({ contract: "c2" }),
      tooOld: takes({ at: at(60.1) }),
      off: takes({ freshMs: 0, at: ran }),
      clockBackwards: takes({ at: at(-1) }),
      clockBackwardsInThePass: takes({}, { ...inReview, startedAt: at(7) }),
      nothingVerified: takes({}, { ...inReview, reviewed: null }),
      checksOfAnEarlierVersion: takes({}, { ...inReview, reviewed: { ...verified, checks: checkRun() } }),
    },
    {
      ...{ same: true, oldest: true, code: false, contract: false, tooOld: false, off: false },
      ...{ clockBackwards: false, clockBackwardsInThePass: false, nothingVerified: false },
      checksOfAnEarlierVersion: false,
    },
  );
});

test("a record that claims what the journal does not support is found out", () => {
  const taken = { pass: verified.pass, ran, at: at(6), fresh_ms: 3_600_000 };
  const claims = (change: Partial<typeof taken>, history = inReview, results = run.results) =>
    judgeTaken({ ...run, results, taken: { ...taken, ...change } }, history);
  const none = { ...inReview, reviewed: null };
  assert.match(claims({}, none) ?? "", /accepted verify → review before it is none/);
  assert.match(claims({ pass: 9 }) ?? "", /takes over the checks of pass 9, but/);
  assert.match(claims({ ran: at(5) }) ?? "", /but the accepted verify → review before it is pass/);
  assert.match(claims({}, inReview, []) ?? "", /but those were others/);
  assert.match(claims({ at: at(61) }) ?? "", /were not fresh/);
  assert.match(claims({ at: ran }, { ...inReview, startedAt: at(1) }) ?? "", /were not fresh/);
  assert.equal(judgeTaken(run, none), null);
});

test("a person who opens the task again or edits the brief voids what could be taken over", () => {
  const resumed = { type: "resumed", at: ran, from: "blocked", to: "review", reason: "", state: "s" } as const;
  const edited = { type: "brief_changed", at: ran, contract_sha256: "b2", state: "s" } as const;
  for (const event of [resumed, edited])
    assert.equal(addEvent(inReview, event as Parameters<typeof addEvent>[1]).reviewed, null);
});
