import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readRootUsage } from "../../../lib/pass/budget/root-usage.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import { emptyJournal, parseTaskJournal } from "../../../lib/task/records/task-journal.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { journalFile } from "../../cli/task-world.ts";
import { passStarted, verdictEvent } from "../../rules/arrange.ts";

const now = new Date("2026-01-05T12:00:00.000Z");
const at = "2026-01-05T11:00:00.000Z";

function started(run: string | null, pass = 1): TaskEvent {
  return passStarted(pass, { at, model: "prepared", estimate_usd: 0.5, run, timeout_ms: 60_000 });
}

function ended(cost_usd: number, changes: Partial<VerdictEvent> = {}): VerdictEvent {
  const place = { state: "", contract: "", repo: "" };
  return verdictEvent("implement", "implement", place, {
    at,
    cost_usd,
    duration_ms: 1_000,
    tokens: { input: 10, output: 1 },
    ...changes,
  });
}

/** A tasks root in which T-own is the task at hand. */
function makeRoot(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-test-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const journalOf = (task: string) => path.join(root, task, "artifacts", "journal.jsonl");
  const put = (task: string, bytes: string) => {
    mkdirSync(path.dirname(journalOf(task)), { recursive: true });
    writeFileSync(journalOf(task), bytes);
    writeFileSync(path.join(root, task, "STATE.md"), "");
  };
  return {
    root,
    journalOf,
    put,
    task: (task: string, ...events: readonly TaskEvent[]) => put(task, journalFile(events)),
    read: (run: string | null = null, own: readonly TaskEvent[] = []) => {
      const place = placeOf(path.join(root, "T-own"));
      const journal = own.length === 0 ? emptyJournal : parseTaskJournal(Buffer.from(journalFile(own)), "journal");
      return readRootUsage(place, journal, run, { now: () => now });
    },
  };
}

const nothing = { passes: 0, moneyUsd: 0, tokens: 0, timeMs: 0 };

test("a day is what all tasks of the root used on it, a run what its own passes used", (t) => {
  const root = makeRoot(t);
  root.task("T-1", started("r1"), ended(1), started("r2", 2), ended(2, { pass: 2 }));
  root.task("T-2", started("r1"), ended(4, { at: "2026-01-04T23:59:59.999Z" }));
  mkdirSync(path.join(root.root, "no-task"));
  assert.deepEqual(root.read("r1", [started("r1"), ended(8)]), {
    day: { passes: 3, moneyUsd: 11, tokens: 33, timeMs: 3_000 },
    run: { passes: 3, moneyUsd: 13, tokens: 33, timeMs: 3_000 },
    findings: [],
  });
  assert.deepEqual(root.read().run, nothing);
});

test("a claim counts for the other tasks as long as it protects its pass, and never for its own task", (t) => {
  const root = makeRoot(t);
  const runner = { worker: "w1", host: null, attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };
  const claimed = (time: string): TaskEvent => ({
    ...{ type: "claimed", at: `2026-01-05T${time}.000Z`, pass: 1, phase: "implement", model: "prepared" },
    ...{ estimate_usd: 0.5, reviewers: 1, timeout_ms: 60_000, run: "r1", runner },
  });
  root.task("T-1", claimed("11:58:01"));
  root.task("T-2", claimed("11:58:00"));
  const expected = { passes: 1, moneyUsd: 1, tokens: 0, timeMs: 60_000 };
  const { day, run } = root.read("r1", [claimed("11:59:00")]);
  assert.deepEqual([day, run], [expected, expected]);
});

test("the task at hand counts as this process holds it, not as its file says", (t) => {
  const root = makeRoot(t);
  root.task("T-own", started(null), ended(100));
  assert.equal(root.read(null, [started(null), ended(1)]).day.moneyUsd, 1);
});

test("a pass of another runner counts before it ends: its estimate, its time so far, and as one pass", (t) => {
  const root = makeRoot(t);
  root.task("T-1", started("r1"), ended(0.25), started("r1", 2));
  const sum = { passes: 2, moneyUsd: 0.75, tokens: 22, timeMs: 61_000 };
  assert.deepEqual(root.read("r1"), { day: sum, run: sum, findings: [] });
  assert.deepEqual(root.read("other").run, nothing);
});

test("a line that another runner is just writing is left out without a word", (t) => {
  const root = makeRoot(t);
  const whole = journalFile([started("r1"), ended(1)]);
  root.put("T-1", `${whole}{"seq":3,"prev":"ab`);
  root.put("T-2", '{"seq":1');
  root.put("T-3", "");
  const { day, findings } = root.read();
  assert.deepEqual([day.moneyUsd, findings], [1, []]);
});

test("of a journal that is broken the part before counts, with a warning that names the line", (t) => {
  const root = makeRoot(t);
  const lines = journalFile([started("r1"), ended(1), started("r1", 2), ended(2, { pass: 2 })]).split("\n");
  root.put("T-1", [lines[0], lines[1], lines[3], ""].join("\n"));
  const odd = { ...ended(3), duration_ms: "long" } as unknown as TaskEvent;
  root.task("T-2", started("r1"), ended(4), odd);
  root.put("T-3", "no journal\n");
  const { day, findings } = root.read();
  assert.equal(day.moneyUsd, 5);
  assert.deepEqual(
    findings.map(({ code, severity, file, message }) => [
      code,
      severity,
      file === null ? null : path.relative(root.root, file).split(path.sep)[0],
      /counted only up to line (\d) of its journal: (.*)/.exec(message)?.[1],
    ]),
    [
      ["TP_USAGE", "warning", "T-1", "2"],
      ["TP_USAGE", "warning", "T-2", "2"],
      ["TP_USAGE", "warning", "T-3", "0"],
    ],
  );
});

test("a task whose journal cannot be read is left out with a warning, and fails nothing", (t) => {
  const root = makeRoot(t);
  root.task("T-1", started("r1"), ended(1));
  for (const task of ["T-link", "T-folder"]) root.task(task);
  rmSync(root.journalOf("T-link"));
  symlinkSync(root.journalOf("T-1"), root.journalOf("T-link"));
  rmSync(root.journalOf("T-folder"));
  mkdirSync(root.journalOf("T-folder"));
  const { day, findings } = root.read();
  assert.equal(day.moneyUsd, 1);
  assert.deepEqual(
    findings.map(({ message }) => message),
    ["folder", "link"].map((why) => `what this task has used cannot be counted: its journal cannot be read (${why})`),
  );
});

test("a folder that may not be looked into is left out with a warning", { skip: process.getuid?.() === 0 }, (t) => {
  const root = makeRoot(t);
  root.task("T-1", started("r1"), ended(1));
  const closed = path.dirname(root.journalOf("T-1"));
  chmodSync(closed, 0o000);
  t.after(() => chmodSync(closed, 0o700));
  const { day, findings } = root.read();
  assert.deepEqual([day, findings.map(({ code }) => code)], [nothing, ["TP_USAGE"]]);
});

test("a journal that stays as it is is read once, and read anew when it changes", (t) => {
  const root = makeRoot(t);
  const settled = new Date(Date.now() - 60_000);
  root.task("T-1", started("r1"), ended(1));
  utimesSync(root.journalOf("T-1"), settled, settled);
  const first = root.read().day.moneyUsd;
  root.task("T-1", started("r1"), ended(1), started("r1", 2), ended(2, { pass: 2 }));
  assert.deepEqual([first, root.read().day.moneyUsd], [1, 3]);
});
