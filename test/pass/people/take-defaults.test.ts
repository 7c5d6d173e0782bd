import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readIfGood, taskFiles } from "../../../lib/documents/read-task-file.ts";
import { takeDefaults } from "../../../lib/pass/people/take-defaults.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { fieldOf } from "../../cli/task-states.ts";
import { mustRead } from "../../documents/arrange.ts";
import { type Held, holdTask, noon } from "../verdict/arrange.ts";

const hour = 3_600_000;

interface Asked {
  readonly safeDefault?: string;
  readonly deadline?: string;
  readonly answer?: string;
}

function questions(...asked: readonly Asked[]): string {
  const parts = asked.map(({ safeDefault = "UTF-8", deadline = "2026-11-21T11:00:00Z", answer = "" }, index) =>
    [
      `## Q${index + 1}: Which encoding?`,
      "",
      "- Asked in: shape, pass 1, 2026-11-21T08:00:00Z",
      "- Question: Which encoding does the export have?",
      "- Options: UTF-8 or Latin-1",
      `- Safe default: ${safeDefault}`,
      `- Deadline: ${deadline}`,
      `- Answer:${answer === "" ? "" : ` ${answer}`}`,
      "",
    ].join("\n"),
  );
  return `# Decisions\n\n${parts.join("\n")}`;
}

async function take(t: Parameters<typeof holdTask>[0], phase: Phase, text: string, waitMs = hour) {
  const held = await holdTask(t, phase, { files: { "DECISIONS.md": text } });
  const document = mustRead(held.task.state());
  const asked = readIfGood(taskFiles.decisions, held.session.place.taskDir).questions;
  return { ...held, document, taken: takeDefaults(held.session, document, asked, waitMs) };
}

const last = ({ session }: Held) => session.journal.events.at(-1);
const words = `(safe default, taken by task-phase at ${noon}; see ASSUMPTIONS.md)`;

test("a default that is due stands in DECISIONS.md and ASSUMPTIONS.md, and the task goes on where it is", async (t) => {
  const held = await take(t, "shape", questions({}));
  const { task, session, taken, document } = held;
  assert.equal(task.read("DECISIONS.md"), questions({ answer: `UTF-8 ${words}` }));
  assert.match(task.read("ASSUMPTIONS.md"), /^# Assumptions\n[\s\S]*Q1[\s\S]*UTF-8/);
  assert.equal(task.read("log.txt"), `${noon} shape deadline of Q1 passed: safe default taken\n`);
  assert.deepEqual(last(held), {
    type: "defaulted",
    at: noon,
    from: "shape",
    to: "shape",
    questions: [{ id: "Q1", taken: "UTF-8" }],
    state: task.state(),
  });
  assert.equal(taken.document, document);
  assert.deepEqual(
    taken.questions.map(({ id, open }) => [id, open]),
    [["Q1", false]],
  );
  assert.deepEqual(
    session.findings.map(({ code, message }) => `${code}: ${message}`),
    ['TP_DEFAULT_TAKEN: nobody answered Q1 by 2026-11-21T11:00:00.000Z; its safe default was taken: "UTF-8"'],
  );
});

test("a second assumption goes behind the first", async (t) => {
  const { task } = await take(t, "shape", questions({}, { safeDefault: "Latin-1" }));
  const text = task.read("ASSUMPTIONS.md");
  assert.equal(text.match(/^# Assumptions$/gm)?.length, 1);
  assert.ok(text.indexOf("UTF-8") < text.indexOf("Latin-1"));
  assert.match(task.read("log.txt"), /deadline of Q1, Q2 passed/);
});

describe("no default is taken", () => {
  const rows: Readonly<Record<string, [Phase, string, number]>> = {
    "before the deadline": ["shape", questions({ deadline: "2026-11-21T13:00:00Z" }), hour],
    "as long as the question has waited less than the contract wants": ["shape", questions({}), 5 * hour],
    "without a safe default": ["shape", questions({ safeDefault: "" }), hour],
    "of a question that is answered": ["shape", questions({ answer: "Latin-1" }), hour],
    "in a task that is done": ["blocked", questions({}), hour],
  };
  for (const [name, [phase, text, waitMs]] of Object.entries(rows)) {
    test(name, async (t) => {
      const held = await take(t, phase, text, waitMs);
      assert.equal(held.taken.document, held.document);
      assert.notEqual(last(held)?.type, "defaulted");
      assert.equal(held.task.read("DECISIONS.md"), text);
      assert.ok(!held.task.exists("ASSUMPTIONS.md"));
    });
  }
});

describe("in needs_user_decision", () => {
  test("the last default leads back to the phase that asked", async (t) => {
    const held = await take(t, "needs_user_decision", questions({}));
    assert.equal(held.taken.document.view.phase, "implement");
    assert.deepEqual(
      ["Phase", "Status", "Last updated"].map((label) => fieldOf(held.task.state(), label)),
      ["implement", "in progress", noon],
    );
    const event = last(held);
    assert.deepEqual(event?.type === "defaulted" ? [event.from, event.to] : [], ["needs_user_decision", "implement"]);
    assert.match(held.task.read("ASSUMPTIONS.md"), /implement/);
  });

  test("another open question keeps the task there", async (t) => {
    const held = await take(t, "needs_user_decision", questions({}, { safeDefault: "" }));
    assert.equal(held.taken.document.view.phase, "needs_user_decision");
    assert.equal(fieldOf(held.task.state(), "Phase"), "needs_user_decision");
  });
});

test("a default of many lines or letters is named in the answer, and whole in ASSUMPTIONS.md", async (t) => {
  const long = "x".repeat(201);
  const { task } = await take(t, "shape", questions({ safeDefault: long }));
  assert.match(task.read("DECISIONS.md"), /- Answer: the safe default above \(safe default, taken/);
  assert.ok(task.read("ASSUMPTIONS.md").includes(long));
});
