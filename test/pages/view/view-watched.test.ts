import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchedRow } from "../../../lib/pages/model/list-watched.ts";
import { onlyShown, viewWatched, watchedAlarm } from "../../../lib/pages/view/view-watched.ts";

const row = (standing: WatchedRow["standing"], hides = false) =>
  ({
    kind: "test",
    name: "a.test.js",
    change: "removed",
    detail: "it is gone",
    standing,
    hides,
  }) as unknown as WatchedRow;

test("a change says what a person made of it, and is good once nobody has to look at it", () => {
  const seen = (one: WatchedRow) => {
    const { standing, good } = viewWatched(one, { paths: new Set(), cut: false });
    return [standing, good];
  };
  assert.deepEqual(
    [row("open"), row("refused"), row("accepted"), row("allowed", true), row("shown"), row("shown", true)].map(seen),
    [
      ["no person has answered", false],
      ["refused by a person", false],
      ["accepted by a person", true],
      ["allowed by tests_may_change of the brief", true],
      ["only shown", true],
      [onlyShown, true],
    ],
  );
});

test("the alarm counts what no person accepted, what was refused, and what could hide a failure", () => {
  assert.equal(watchedAlarm([row("accepted"), row("allowed", true), row("shown")]), "");
  assert.equal(
    watchedAlarm([row("open"), row("open", true), row("refused"), row("shown", true)]),
    `2 changes of tests or checks that no person has accepted, and 1 change that a person refused, and 1 change of tests or checks that could hide a failure, ${onlyShown}`,
  );
});
