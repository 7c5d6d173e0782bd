import assert from "node:assert/strict";
import { chmodSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { LoadedConfig } from "../../../lib/documents/config/load-config.ts";
import { type ListedFiles, noHistory } from "../../../lib/queue/listing/listed-files.ts";
import { noCooldowns } from "../../../lib/queue/views/inspect-cooldowns.ts";
import { inspectFiles, inspectUnread, type Surroundings, withFacts } from "../../../lib/queue/views/inspect-task.ts";
import type { ListedTasks } from "../../../lib/task/judge-dependencies.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { dataError } from "../../../lib/text/errors.ts";
import { infoFinding } from "../../../lib/text/finding.ts";
import { inspected } from "../inspected.ts";

const place = placeOf("/tasks/T-1");
const history = (more: object) => ({ ...noHistory, ...more }) as ListedFiles["history"];

const files = (more: Partial<ListedFiles> = {}): ListedFiles => ({
  brief: {
    id: "T-1",
    title: "x",
    priority: 3,
    dependsOn: [],
    provenOnly: [],
    questionWaitMs: 0,
  } as unknown as ListedFiles["brief"],
  ...{
    hindered: null,
    phase: "implement",
    blockers: "none",
    edited: false,
    briefEdited: false,
    history: history({ phase: "implement" }),
  },
  ...{ movedAt: null, questions: [], paused: null, retry: false, hasPage: false, hasState: true },
  ...{ hasEvidence: true, hasDecisions: false, hasGit: false },
  ...more,
});

const tasks = (more: Partial<ListedTasks> = {}): ListedTasks => ({
  ...{ find: () => [], ids: () => [], isDone: () => false, isProven: () => false, cleared: new Set() },
  ...more,
});

const around = (more: Partial<Surroundings> = {}): Surroundings => ({
  ...{ config: {} as LoadedConfig, models: noCooldowns, isLocked: () => false, waitsForRecovery: () => false },
  ...{ listed: () => tasks(), now: () => new Date("2026-11-21T12:00:00.000Z") },
  ...more,
});

const look = (of: Partial<ListedFiles> = {}, with_: Partial<Surroundings> = {}) =>
  inspectFiles(place, files(of), around(with_));

test("a task is as its journal says, else as STATE.md says", () => {
  const task = look({ phase: "shape" });
  assert.deepEqual(
    [task.id, task.priority, task.phase, task.standing, task.unreadable],
    ["T-1", 3, "implement", "runnable", null],
  );
  const fresh = look({ phase: "intake", history: noHistory });
  assert.deepEqual([fresh.phase, fresh.standing, fresh.findings], ["intake", "runnable", []]);
});

test("a STATE.md in another phase that no journal accepted is unreadable, unless a run is at it or left it so", () => {
  const orphan = { phase: "verify", history: noHistory } as const;
  const task = look(orphan);
  assert.deepEqual(
    [task.standing, task.unreadable, task.findings.map(({ code }) => code)],
    ["unreadable", "data", ["TP_NO_JOURNAL"]],
  );
  assert.equal(look(orphan, { isLocked: () => true }).standing, "running");
  const left = look(orphan, { waitsForRecovery: () => true });
  assert.deepEqual([left.standing, left.unreadable], ["runnable", null]);
  assert.match(left.why, /cut off/);
});

test("a pass without a verdict was cut off, as long as nothing holds the task", () => {
  const open = { history: history({ phase: "implement", unfinishedPass: 3 }) };
  assert.match(look(open).why, /cut off/);
  assert.equal(look(open, { isLocked: () => true }).standing, "running");
});

test("dependencies that are open are waited for, and wrong ones are a finding of the task", () => {
  const brief = { ...files().brief, dependsOn: ["T-2", "T-3"], provenOnly: ["T-3"] };
  const listed = () =>
    tasks({
      find: (id) => [{ id, dependsOn: [], folder: `/tasks/${id}` }],
      isAlone: () => true,
      isDone: (folder) => folder === "/tasks/T-3",
    });
  const waits = look({ brief }, { listed });
  assert.deepEqual([waits.standing, waits.waitsFor], ["waits", ["T-2", "T-3"]]);
  assert.match(waits.why, /T-2, T-3 \(done without proof\)/);
  const wrong = look({ brief });
  assert.deepEqual([wrong.standing, wrong.who, wrong.unreadable], ["waits", "person", "config"]);
  assert.deepEqual(
    wrong.findings.map(({ code }) => code),
    ["TP_DEPENDENCY_UNKNOWN"],
  );
});

test("why a run refused a task counts only if no file says it", () => {
  const held = (standing: string) =>
    look({ history: history({ phase: "implement", held: { standing, brief: "b", why: "w" } }) }).facts.held;
  assert.deepEqual(
    [held("refused")?.why, held("runnable")?.why, held("paused"), held("waits")],
    ["w", "w", null, null],
  );
});

test("findings about models, what is not ready and a PAUSE are the task's", () => {
  const finding = infoFinding("TP_MODELS", "m", {});
  const task = look(
    { hindered: { why: "no check", until: null }, paused: "line 1 says PAUSE" },
    { models: { ...noCooldowns, findings: [finding] } },
  );
  assert.deepEqual(
    [task.findings, task.facts.hindered, task.standing],
    [[finding], { why: "no check", until: null }, "paused"],
  );
});

test("an error of one task becomes a fact of it: its first finding, or that it cannot be inspected", () => {
  const unread = (error: unknown, cutOff = false) => {
    const task = inspectUnread(place, error, null, { waitsForRecovery: () => cutOff });
    return [task.standing, task.unreadable, task.findings.map(({ code }) => code), task.why];
  };
  const wrong = dataError("TP_JOURNAL", "the journal is broken", {});
  assert.deepEqual(unread(wrong), ["unreadable", "data", ["TP_JOURNAL"], "the journal is broken"]);
  assert.deepEqual(unread(wrong, true).slice(0, 3), ["runnable", null, []]);
  const defect = unread(new TypeError("x is undefined"), true);
  assert.deepEqual(defect, [
    "unreadable",
    "failure",
    ["TP_UNEXPECTED"],
    "this task cannot be inspected: x is undefined",
  ]);
});

test("a task in a folder that this user may not look into is unreadable, and stops no list", (t) => {
  const closed = mkdtempSync(join(tmpdir(), "task-phase-closed-"));
  const user = process.geteuid?.() ?? 0;
  t.after(() => {
    process.seteuid?.(user);
    rmSync(closed, { recursive: true });
  });
  chmodSync(closed, 0);
  if (user === 0) process.seteuid?.(65534);
  const refused = refusalOf(() => lstatSync(join(closed, "T-1", "STATE.md")));
  const task = inspectUnread(placeOf(join(closed, "T-1")), refused, null, { waitsForRecovery: () => false });
  assert.deepEqual(
    [task.standing, task.findings.map(({ code }) => code), task.hasPage, task.why],
    [
      "unreadable",
      ["TP_DISK"],
      false,
      `cannot lstat ${join(closed, "T-1", "STATE.md")}: permission is denied (EACCES)`,
    ],
  );
});

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}

test("a task is judged anew with other facts", () => {
  const task = inspected("T-1");
  const running = withFacts(task, { locked: true });
  assert.deepEqual([running.standing, running.facts.locked, task.facts.locked], ["running", true, false]);
});
