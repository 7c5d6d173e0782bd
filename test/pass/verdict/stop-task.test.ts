import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closedForms } from "../../../lib/documents/closed-questions.ts";
import { goOnTitle } from "../../../lib/documents/decisions.ts";
import { askAfter, stopTask } from "../../../lib/pass/verdict/stop-task.ts";
import type { Escalation, EscalationCause } from "../../../lib/rules/decision.ts";
import { escalate } from "../../../lib/rules/escalate.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { decisionsFile, fieldOf } from "../../cli/task-states.ts";
import { mustRead } from "../../documents/arrange.ts";
import { type Held, holdTask, judged, noon } from "./arrange.ts";

function stop({ task, session }: Held, escalation: Escalation) {
  return stopTask(session, mustRead(task.state()), escalation);
}

const asking: Escalation = {
  ...{ cause: "watched", to: "needs_user_decision" },
  ...{ blockers: "Stopped by task-phase: a test changed", question: "A test changed. May it stay?" },
};

test("a stop outside a pass is recorded in STATE.md, the journal and the log", async (t) => {
  const held = await holdTask(t, "implement");
  const escalation = escalate("passes", "implement", "all 12 passes are spent");
  assert.deepEqual(stop(held, escalation), {
    kind: "stopped",
    exitName: "iterations",
    reason: escalation.blockers,
    from: "implement",
    to: "blocked",
    task: null,
    findings: [],
    escalated: "passes",
    nextEligibleAt: null,
  });
  const state = held.task.state();
  assert.deepEqual(
    ["Phase", "Status", "Blockers", "Last updated"].map((label) => fieldOf(state, label)),
    ["blocked", "blocked: all 12 passes are spent", escalation.blockers, noon],
  );
  assert.equal(
    held.task.read("log.txt"),
    `${noon} implement → blocked stopped: ${escalation.blockers}\n`,
    "there is one line of the log for it",
  );
  assert.deepEqual(held.session.journal.events.at(-1), {
    type: "escalated",
    at: noon,
    from: "implement",
    state,
    ...escalation,
    open_questions: [],
  });
  assert.ok(!held.task.exists("DECISIONS.md"));
});

test("a budget that is spent while something is to be repaired leaves DEFERRED.md, and no other stop does", async (t) => {
  const held = await holdTask(t, "repair");
  const tickets = [{ id: "validator:tests", source: "validator", name: "tests", text: "it ended with 1" }] as const;
  const session = { ...held.session, history: { ...held.session.history, tickets, lastPass: 12 } };
  stop({ ...held, session }, escalate("stuck", "repair", "the same three times"));
  assert.ok(!held.task.exists("DEFERRED.md"));
  stop({ ...held, session }, escalate("passes", "repair", "all 12 passes are spent"));
  const text = held.task.read("DEFERRED.md");
  stop({ ...held, session }, escalate("passes", "repair", "all 12 passes are spent"));
  assert.equal(held.task.read("DEFERRED.md"), text, "it is written anew");
  assert.match(text, /^`budget\.passes` of this task was spent by the end of pass 12, /m);
  assert.match(text, /## tests[\s\S]*it ended with 1[\s\S]*raise `budget\.passes` in README\.md/);

  const empty = await holdTask(t, "implement");
  stop(empty, escalate("passes", "implement", "all 12 passes are spent"));
  assert.ok(!empty.task.exists("DEFERRED.md"));
});

test("the log keeps the lines of earlier stops", async (t) => {
  const held = await holdTask(t, "implement", { files: { "log.txt": "before\n" } });
  stop(held, escalate("time", "implement", "the time is spent"));
  assert.match(held.task.read("log.txt"), /^before\n.* stopped: .*\n$/);
});

test("the exit of a stop outside a pass names what is spent", async (t) => {
  const exits: Partial<Record<EscalationCause, string>> = {
    passes: "iterations",
    money: "budget",
    tokens: "budget",
    time: "budget",
  };
  for (const [cause, exitName] of Object.entries(exits)) {
    const held = await holdTask(t, "implement");
    assert.equal(stop(held, escalate(cause as EscalationCause, "implement", "it is spent")).exitName, exitName, cause);
  }
});

describe("a stop that asks a person", () => {
  const fields = (text: string) =>
    text.split("\n").filter((line) => /^(## |- (Asked|Question|Options|Answer))/.test(line));

  test("puts its question behind those of DECISIONS.md, and the journal names what is open", async (t) => {
    const held = await holdTask(t, "implement", { files: { "DECISIONS.md": decisionsFile("UTF-8") } });
    stop(held, asking);
    const text = held.task.read("DECISIONS.md");
    assert.ok(text.startsWith(decisionsFile("UTF-8")));
    assert.deepEqual(fields(text).slice(-5), [
      `## Q2: ${closedForms.watched.title}`,
      `- Asked in: implement, pass 0, ${noon}`,
      "- Question: A test changed. May it stay?",
      "- Options: `accept`: exactly these changes stay; `undo`: each of them becomes a ticket",
      "- Answer:",
    ]);
    const event = held.session.journal.events.at(-1);
    assert.deepEqual(event?.type === "escalated" ? event.open_questions : null, ["Q2"]);
    assert.match(fieldOf(held.task.state(), "Status") ?? "", /^asks: Q2 /);
  });

  test("makes DECISIONS.md where there is none, and asks how to go on if no test changed", async (t) => {
    const held = await holdTask(t, "review");
    stop(held, { ...asking, cause: "repairs", question: "The work fails. How should the task continue?" });
    const text = held.task.read("DECISIONS.md");
    assert.match(text, /^# Decisions\n/);
    assert.deepEqual(fields(text), [
      `## Q1: ${goOnTitle}`,
      `- Asked in: review, pass 1, ${noon}`,
      "- Question: The work fails. How should the task continue?",
      "- Options: any answer lets it continue, after a change of the brief or of the code if it needs one; `task-phase cancel` gives it up",
      "- Answer:",
    ]);
  });
});

describe("the question of a verdict", () => {
  const escalated = (phase: Phase, escalation: Escalation | null) => ({ ...judged(phase, phase).decision, escalation });

  test("is that of its escalation, asked in the phase and the pass of the verdict", async (t) => {
    const { session, task } = await holdTask(t, "implement", { files: { "DECISIONS.md": decisionsFile("") } });
    const asked = askAfter(session, escalated("implement", asking), 7, noon);
    assert.deepEqual(
      asked.questions.map(({ id, title, askedIn, askedPass, open }) => [id, title, askedIn, askedPass, open]),
      [
        ["Q1", "Which encoding?", "shape", 1, true],
        ["Q2", closedForms.watched.title, "implement", 7, true],
      ],
    );
    assert.deepEqual(
      asked.files.map(({ path, append, text }) => [path, append, text.startsWith(decisionsFile(""))]),
      [["DECISIONS.md", false, true]],
    );
    assert.equal(task.read("DECISIONS.md"), decisionsFile(""), "it becomes durable with the verdict");
  });

  test("is none if the verdict stops nothing, or stops without one; the file's own questions are still listed", async (t) => {
    const { session } = await holdTask(t, "implement", { files: { "DECISIONS.md": decisionsFile("") } });
    for (const escalation of [null, escalate("stuck", "implement", "it fails")]) {
      const asked = askAfter(session, escalated("implement", escalation), 7, noon);
      assert.deepEqual([asked.files, asked.questions.map(({ id }) => id)], [[], ["Q1"]]);
    }
  });
});
