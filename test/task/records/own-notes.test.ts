import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  anchorFolder,
  openAnchor,
  readReviewedLines,
  refuseInside,
  storeReviewed,
} from "../../../lib/task/records/anchor.ts";
import { interruptedBy, startTrace } from "../../../lib/task/records/ports.ts";
import { readHead } from "../../../lib/task/records/records.ts";
import { countEvents, parseTaskJournal, readTaskJournal } from "../../../lib/task/records/task-journal.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { makeWorkFolder, removeWorkFolders } from "../../../lib/task/records/work-folder.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { at } from "../../cli/task-states.ts";
import { journalFile, portsOf } from "../../cli/task-world.ts";
import { makeFolder } from "../../process/arrange.ts";
import { findingOf } from "./finding-of.ts";

test("work folders are named by their anchor, and removed with what reviews and the matrix left", (t) => {
  const anchor = join(makeFolder(t), "0123456789abcdef0123");
  const other = join(makeFolder(t), "fedcba98765432100123");
  for (const folder of [anchor, other]) mkdirSync(folder);
  const left = makeWorkFolder(other);
  const one = makeWorkFolder(anchor);
  assert.ok(one.startsWith(join(tmpdir(), "task-phase-0123456789abcdef-")));
  const two = makeWorkFolder(anchor);
  assert.deepEqual([existsSync(one), existsSync(two), existsSync(left)], [false, true, true]);
  for (const name of ["review-3", "proof", "copies"]) mkdirSync(join(anchor, name));
  writeFileSync(join(anchor, "review-note"), "no folder");
  removeWorkFolders(anchor);
  const names = [two, ...["review-3", "proof", "copies", "review-note"].map((name) => join(anchor, name))];
  assert.deepEqual(names.map(existsSync), [false, false, false, true, true]);
  removeWorkFolders(other);
});

test("the lines of the reviewed code are read by its fingerprint alone", (t) => {
  const anchor = { folder: makeFolder(t) } as Parameters<typeof storeReviewed>[0];
  assert.equal(readReviewedLines(anchor, "f"), null);
  storeReviewed(anchor, { hash: "f", entries: new Map([["a.js", "file 1"]]) } as never);
  const text = readFileSync(join(anchor.folder, "reviewed.json"), "utf8");
  assert.deepEqual([...(readReviewedLines(anchor, sha256(text)) ?? [])], text.split("\n").slice(0, -1));
  assert.equal(readReviewedLines(anchor, "f"), null);
});

describe("a journal", () => {
  const adopted = { type: "adopted", at, phase: "intake", state: "s", contract_sha256: "c" } as const;

  test("is read whole, or not at all with the line that is wrong", (t) => {
    const path = join(makeFolder(t), "journal.jsonl");
    assert.equal(readTaskJournal(path), null);
    const text = journalFile([adopted, { type: "cancelled", at, state: null }]);
    const { events, seq, bytes, sha256: digest } = parseTaskJournal(Buffer.from(text), path);
    assert.deepEqual(
      [events.map(({ type }) => type), seq, bytes.toString(), digest],
      [["adopted", "cancelled"], 2, text, sha256(text)],
    );
    const wrong = (of: string) => findingOf(() => parseTaskJournal(Buffer.from(of), path));
    assert.deepEqual(wrong(text.slice(0, -5))?.slice(1), [
      "TP_JOURNAL_TORN",
      "the last line of the journal is incomplete",
      2,
    ]);
    assert.deepEqual(wrong(text.replace('"contract_sha256":"c"', '"contract_sha256":"d"'))?.slice(0, 2), [
      "data",
      "TP_JOURNAL_BROKEN",
    ]);
    const unknown = wrong(journalFile([adopted, { type: "nothing", at } as never]));
    assert.deepEqual([unknown?.[1], unknown?.[3]], ["TP_JOURNAL_EVENT", 2]);
  });

  test("that is empty, or no file, says what to do", (t) => {
    const place = placeOf(makeFolder(t));
    mkdirSync(place.artifacts);
    assert.equal(countEvents(place), 0);
    writeFileSync(place.journal, "");
    assert.match(
      String(findingOf(() => readTaskJournal(place.journal))?.[2]),
      /^the journal is empty; expected at least/,
    );
    writeFileSync(place.journal, journalFile([adopted, { type: "cancelled", at, state: null }]));
    assert.equal(countEvents(place), 2);
    assert.equal(readTaskJournal(place.journal)?.seq, 2);
    const folder = placeOf(makeFolder(t));
    mkdirSync(folder.journal, { recursive: true });
    assert.match(
      String(findingOf(() => readTaskJournal(folder.journal))?.[2]),
      /not a readable regular file \(folder\)$/,
    );
  });
});

describe("the anchor", () => {
  test("lies outside the tasks root, wherever links lead", (t) => {
    const folder = makeFolder(t);
    const place = placeOf(join(folder, "tasks/T-1"));
    mkdirSync(place.taskDir, { recursive: true });
    symlinkSync(join(folder, "tasks"), join(folder, "link"));
    const open = (state: string) => () =>
      openAnchor(place, portsOf({ env: { XDG_STATE_HOME: join(folder, state) }, folder }));
    for (const state of ["tasks", "tasks/state", "link/deep/er"])
      assert.deepEqual(findingOf(open(state))?.slice(0, 2), ["config", "TP_STATE_HOME"], state);
    assert.equal(findingOf(open("tasks-state")), null);
    assert.deepEqual(
      findingOf(() => refuseInside(join(folder, "tasks"), join(folder, "tasks"), "the repo"))?.[2],
      "the runner's state folder is inside the repo, where a pass can write",
    );
  });

  test("is the task's own, and holds the head of its journal", (t) => {
    const folder = makeFolder(t);
    const ports = { env: { XDG_STATE_HOME: folder }, home: "/home/a" };
    const [one, two] = ["/tasks/T-1", "/tasks/T-2"].map((task) => anchorFolder(task, ports));
    assert.notEqual(one, two);
    assert.match(one ?? "", /task-phase\/tasks\/[0-9a-f]{32}$/);
    assert.equal(readHead(folder), null);
    writeFileSync(join(folder, "accepted.json"), JSON.stringify({ line: "an event" }));
    assert.equal(readHead(folder), sha256("an event"));
    const running = { mark: { id: "one" }, started: { line: "a pass began" } };
    writeFileSync(join(folder, "current.json"), JSON.stringify(running));
    assert.equal(readHead(folder), sha256("a pass began"), "the journal has it, or gets it");
    writeFileSync(join(folder, "accepted.json"), JSON.stringify({ line: "it ended", ends: "one" }));
    assert.equal(readHead(folder), sha256("it ended"));
  });
});

test("the stop of a pass names what aborted it", () => {
  const aborted = (reason: unknown) => AbortSignal.abort(reason);
  assert.deepEqual(
    ["ABORT", "SKIP", "SIGTERM"].map((reason) => interruptedBy(aborted(reason), "a signal")),
    [
      { kind: "interrupted", cause: "abort", reason: "a person's ABORT in CONTROL.md stopped it" },
      { kind: "interrupted", cause: "skip", reason: "a person's SKIP in CONTROL.md abandoned the repair attempt" },
      { kind: "interrupted", cause: "signal", reason: "a signal" },
    ],
  );
});

test("stages are measured until the next one, and never less than nothing", () => {
  const times = [0, 30, 20, 50].map((ms) => new Date(ms));
  const trace = startTrace({ now: () => times.shift() ?? assert.fail() });
  for (const stage of ["PLAN", "PREP", "EXEC"] as const) trace.enter(stage);
  assert.deepEqual(
    trace.list().map(({ stage, at: time, ms }) => [stage, Date.parse(time), ms]),
    [
      ["PLAN", 0, 30],
      ["PREP", 30, 0],
      ["EXEC", 20, 30],
    ],
  );
});
