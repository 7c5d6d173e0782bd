import assert from "node:assert/strict";
import { test } from "node:test";
import { listBriefEdits } from "../../../lib/evidence/model/brief-edits.ts";
import { events, verdict } from "../sample-task.ts";

const changed = (at: string, keys?: readonly string[]) =>
  ({
    type: "brief_changed",
    at,
    was: "a",
    contract_sha256: "b",
    state: "",
    ...(keys === undefined ? {} : { keys }),
  }) as const;

test("each edit of the brief says what differs, and whether the newest checks ran after it", () => {
  const first = changed("2026-11-21T09:00:00Z");
  const second = changed("2026-11-21T12:00:00Z", ["validators", "text"]);
  assert.deepEqual(listBriefEdits([first, ...events, second, verdict(7)]), [
    { at: first.at, was: "a", now: "b", keys: null, checkedSince: true },
    { at: second.at, was: "a", now: "b", keys: ["validators", "text"], checkedSince: false },
  ]);
});

test("before any check nothing was checked since", () => {
  assert.deepEqual(
    listBriefEdits([changed("2026-11-21T09:00:00Z", [])]).map(({ checkedSince }) => checkedSince),
    [false],
  );
});
