import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { readRow } from "../../../lib/queue/listing/read-row.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { at, eventsAt, openQuestion } from "../../cli/task-states.ts";
import { makeTaskWorld, type TaskSpec } from "../../cli/task-world.ts";

async function make(t: TestContext, phase: Phase = "implement", spec: Partial<TaskSpec> = {}) {
  const task = await makeTaskWorld(t).makeTask("one", {
    state: { phase },
    events: (made) => eventsAt(phase, made),
    ...spec,
  });
  const read = () => readRow(placeOf(task.taskDir), {}).files;
  const refused = () => {
    try {
      read();
      return null;
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError);
      return error.findings[0]?.code;
    }
  };
  return { task, read, refused };
}

test("a row has what the brief, STATE.md and the journal say", async (t) => {
  const { read } = await make(t, "blocked", { state: { phase: "blocked", fields: { Blockers: "no key" } } });
  const { brief, phase, blockers, history, movedAt, edited, questions, paused, retry, hindered } = read();
  assert.deepEqual(
    [brief.id, brief.title, phase, blockers, history.phase],
    ["T-1", "Export the answer", "blocked", "no key", "blocked"],
  );
  assert.deepEqual([movedAt, edited, questions, paused, retry, hindered], [at, false, [], null, false, null]);
});

test("files in a form that is not scanned are read all the same", async (t) => {
  const { task, read } = await make(t);
  const plain = read();
  task.write(
    "README.md",
    `${task.read("README.md").replace("title: Export", "title: 'Export").replace("answer\n", "answer'\n")}\n> quoted\n`,
  );
  task.write("STATE.md", task.state().replace("- Phase: implement", "- Phase: **Implement**"));
  const odd = read();
  assert.deepEqual([odd.brief.title, odd.phase, odd.edited], [plain.brief.title, "implement", true]);
});

test("an edit of STATE.md, a question, a PAUSE and a RETRY are seen", async (t) => {
  const { task, read } = await make(t);
  task.edit({ Objective: "mine" });
  task.write("DECISIONS.md", openQuestion);
  task.write("CONTROL.md", "- [ ] PAUSE\n- [ ] RETRY\n");
  const { edited, questions, paused, retry, hasDecisions } = read();
  assert.deepEqual([edited, questions.map(({ id }) => id), retry, hasDecisions], [true, ["Q1"], true, true]);
  assert.match(paused ?? "", /PAUSE/);
});

test("an edit of the brief of a task that is done is seen, in any form", async (t) => {
  const { task, read } = await make(t, "done");
  assert.equal(read().briefEdited, false);
  task.write("README.md", `${task.read("README.md")}\nAnd more.\n`);
  assert.equal(read().briefEdited, true);
  task.write("README.md", `${task.read("README.md")}\n> quoted\n`);
  assert.equal(read().briefEdited, true);
  const working = await make(t);
  working.task.write("README.md", `${working.task.read("README.md")}\nAnd more.\n`);
  assert.equal(working.read().briefEdited, false, "the next pass is told");
});

test("a STATE.md that is lost counts as last accepted, and without a journal it is an error", async (t) => {
  const { task, read } = await make(t);
  rmSync(`${task.taskDir}/STATE.md`);
  const { phase, edited, hasState } = read();
  assert.deepEqual([phase, edited, hasState], ["implement", true, false]);
  const fresh = await make(t, "intake", { events: null });
  fresh.task.write("STATE.md", "no fields\n");
  assert.equal(fresh.refused(), "TP_STATE_NO_FIELDS");
});

test("events that only note something do not move a task", async (t) => {
  const { read } = await make(t, "shape", {
    events: async (place) => [
      ...(await eventsAt("shape", place)),
      { type: "pinned", at: "2026-09-09T00:00:00.000Z", protected: {} },
    ],
  });
  assert.equal(read().movedAt, at);
  const fresh = await make(t, "intake", { events: null });
  assert.deepEqual([fresh.read().movedAt, fresh.read().history.phase], [null, null]);
});

test("what the task lacks before its first pass is said", async (t) => {
  assert.match((await make(t, "intake", { contract: [] })).read().hindered?.why ?? "", /check|validator/);
});

test("each file that cannot be read is an error of the task", async (t) => {
  for (const [name, text, code] of [
    ["TASKS.md", "\0", "TP_TEXT_CHARACTER"],
    ["DECISIONS.md", "\0", "TP_TEXT_CHARACTER"],
    ["EVIDENCE.md", "<!-- task-phase:begin x -->\n", "TP_EVIDENCE_MARKS"],
    ["README.md", "no brief\n", "TP_BRIEF_NO_CONTRACT"],
    ["artifacts/journal.jsonl", "nonsense\n", "TP_JOURNAL_BROKEN"],
  ] as const) {
    const { task, refused } = await make(t);
    task.write(name, text);
    assert.equal(refused(), code, name);
  }
});

test("a folder of the task that is a link is refused, and what has the name of a page or of git is noted", async (t) => {
  const { task, read, refused } = await make(t);
  task.write("artifacts/evidence.html", "");
  mkdirSync(`${task.taskDir}/.git`);
  assert.deepEqual([read().hasPage, read().hasGit, read().hasEvidence], [true, true, false]);
  symlinkSync("/tmp", `${task.taskDir}/artifacts/passes`);
  assert.equal(refused(), "TP_TASK_FILE");
});
