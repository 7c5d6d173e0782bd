import assert from "node:assert/strict";
import { test } from "node:test";
import { listWatched } from "../../../lib/pages/model/list-watched.ts";
import { readHistory } from "../../../lib/rules/add-event.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import type { WatchedDigest } from "../../../lib/rules/watched.ts";
import { change, watched } from "../full-task.ts";
import { verdict } from "../sample-task.ts";

const answered = (accepted: boolean, ...changes: readonly WatchedDigest[]) =>
  ({ type: "watch_answered", at: "2026-11-21T11:00:00Z", question: "Q1", accepted, changes, tickets: [] }) as const;
const list = (events: readonly TaskEvent[]) => listWatched(events, readHistory(events));
const standings = (events: readonly TaskEvent[]) => list(events).rows.map((row) => `${row.name} ${row.standing}`);

test("changes that no person accepted come first, and harmless ones last", () => {
  const accepted = change({ name: "b", digest: "d9", answer: "accepted" });
  assert.deepEqual(standings([verdict(1, { watched: [accepted, ...watched] })]), [
    "test/export.test.js open",
    "package.json#scripts.test open",
    ".mocharc.yml refused",
    "b accepted",
    "test/added.test.js shown",
  ]);
});

test("with a brief that only shows changes, unanswered ones are shown, and a person's answers stay", () => {
  const some = [change({ name: "a", digest: "d8", answer: "accepted" }), ...watched];
  const shown = list([verdict(1, { watched: some, tests_changed: "show" })]);
  assert.deepEqual(
    shown.rows.map(({ name, standing, hides }) => `${name} ${standing} ${hides}`),
    [
      ".mocharc.yml refused true",
      "a accepted true",
      "test/export.test.js shown true",
      "package.json#scripts.test shown true",
      "test/added.test.js shown false",
    ],
  );
  const blocked = standings([
    verdict(1, { watched, tests_changed: "show" }),
    verdict(2, { watched, tests_changed: "block" }),
  ]);
  assert.equal(blocked[0], "test/export.test.js open");
});

test("changes that the brief allows are distinguished from those that a person accepted", () => {
  const allowed = change({ name: "a", digest: "d8", side: "checks", answer: "accepted", answer_by: "brief" });
  assert.deepEqual(standings([verdict(1, { watched: [allowed] })]), ["a allowed"]);
  assert.deepEqual(standings([verdict(1, { watched: [allowed] }), answered(true, allowed)]), ["a accepted"]);
});

test("an answer holds for its digest alone, and the newest one counts", () => {
  const [one, two] = [change({ digest: "d1" }), change({ digest: "d2" })];
  assert.deepEqual(
    list([verdict(1, { watched: [one, two] }), answered(true, one)]).rows.map(({ digest, standing }) => [
      digest,
      standing,
    ]),
    [
      ["d2", "open"],
      ["d1", "accepted"],
    ],
  );
  const refused = [
    answered(true, one),
    verdict(1, { watched: [{ ...one, answer: "accepted" }] }),
    answered(false, one),
  ];
  assert.deepEqual(standings(refused), ["test/export.test.js refused"]);
});

test("the newest verdict that looked says what differs, and how much is watched", () => {
  const base = {
    type: "watched",
    at: "2026-11-21T10:00:00Z",
    pass: 1,
    file: "",
    sha256: "",
    count: 14,
    origin: null,
    dependencies: null,
    held_out: {},
  } as const;
  const events = [base, verdict(1, { watched }), verdict(2, { watched: [] }), verdict(3)];
  assert.deepEqual(list(events), { rows: [], seen: { pass: 2, at: "2026-11-21T10:02:30.000Z", count: 14 } });
  assert.equal(list(events.slice(1)).seen?.count, null);
  assert.deepEqual(list([base, verdict(3)]), { rows: [], seen: null });
});
