import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { closedForms, optionsOf } from "../../../lib/documents/closed-questions.ts";
import { answerTask } from "../../../lib/queue/actions/answer-task.ts";
import { readHistory } from "../../../lib/rules/add-event.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { decisionsFile, openQuestion } from "../../cli/task-states.ts";
import { holdTask } from "../../pass/verdict/arrange.ts";

async function make(t: TestContext, phase: Phase, decisions: string) {
  const { session, task } = await holdTask(t, phase, { files: { "DECISIONS.md": decisions } });
  const answer = (id: string, text: string) =>
    answerTask({ place: session.place, id, text, config: null }, session.ports);
  const refused = async (id: string, text: string) => {
    try {
      await answer(id, text);
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError);
      const [finding] = error.findings;
      return `${error.exitName} ${finding?.code}: ${finding?.message}; ${finding?.fix}`;
    }
    return assert.fail("it is answered");
  };
  return { task, answer, refused, types: () => task.events().map(({ type }) => type) };
}

test("an answer is written on its line, and leads a task that only asked back to where it asked", async (t) => {
  const { task, answer, types } = await make(t, "needs_user_decision", openQuestion);
  const { question, read, open, findings } = await answer("q1", " UTF-8,\n as always ");
  assert.equal(task.read("DECISIONS.md"), decisionsFile("UTF-8, as always"));
  assert.deepEqual([question.id, read, open, types().at(-1)], ["Q1", null, [], "answered"]);
  assert.deepEqual(
    [readHistory(task.events()).phase, findings.map(({ code }) => code)],
    ["implement", ["TP_ANSWERED"]],
  );
});

test("other words take the place of an answer that a killed call wrote, and did not follow", async (t) => {
  const { task, answer, refused, types } = await make(t, "needs_user_decision", decisionsFile("ASCII"));
  const { findings } = await answer("Q1", "UTF-8");
  assert.equal(task.read("DECISIONS.md"), decisionsFile("UTF-8"));
  assert.deepEqual([types().at(-1), findings.map(({ code }) => code)], ["answered", ["TP_ANSWERED", "TP_ANSWERED"]]);
  assert.match(findings[0]?.message ?? "", /"ASCII"/);
  assert.match(await refused("Q1", "EBCDIC"), /^rejected TP_ANSWER_QUESTION: Q1 has an answer: UTF-8/);
});

test("other questions stay open, and the task waits for them", async (t) => {
  const two = `${openQuestion}\n${decisionsFile("", "Q2")}`;
  const { task, answer, types } = await make(t, "needs_user_decision", two);
  const known = types().length;
  assert.deepEqual((await answer("Q2", "yes")).open, ["Q1"]);
  assert.equal(task.read("DECISIONS.md"), `${openQuestion}\n${decisionsFile("yes", "Q2")}`);
  assert.equal(types().length, known);
});

test("a question with two answers says how the words were read, and refuses words that say neither", async (t) => {
  const form = closedForms.approve;
  const text = `## Q1: ${form.title}\n\n- Options: ${optionsOf(form)}\n- Answer:\n`;
  const { task, answer, refused } = await make(t, "shape", text);
  assert.equal(
    await refused("Q1", "perhaps"),
    'usage TP_ANSWER_UNCLEAR: "perhaps" is neither a plain yes nor a plain no to Q1; answer `approve` or `no: what to change`',
  );
  assert.equal(task.read("DECISIONS.md"), text);
  assert.deepEqual((await answer("Q1", "no: smaller")).read, { as: "no", means: form.no.means });
});

test("an answer that is empty, or to no open question, is refused with what is open", async (t) => {
  const { refused } = await make(t, "shape", `${decisionsFile("UTF-8")}\n${decisionsFile("", "Q12")}`);
  assert.match(await refused("Q12", " \n "), /^usage TP_USAGE_ANSWER: the answer is empty/);
  assert.equal(
    await refused("Q122", "x"),
    "usage TP_ANSWER_QUESTION: there is no question Q122; open: Q12; did you mean Q12?",
  );
  assert.match(await refused("something", "x"), /; open: Q12; task-phase status lists the questions$/);
  assert.equal(
    await refused("Q1", "x"),
    "rejected TP_ANSWER_QUESTION: Q1 has an answer: UTF-8; open: Q12; change the answer in DECISIONS.md by hand",
  );
  const none = await make(t, "shape", "");
  assert.match(await none.refused("Q1", "x"), /there is no question Q1; no question is open;/);
});

test("an answer beside an edit of STATE.md is written, and the next run takes the rest", async (t) => {
  const { task, answer, types } = await make(t, "needs_user_decision", openQuestion);
  task.edit({ Objective: "mine" });
  const known = types().length;
  await answer("Q1", "UTF-8");
  assert.deepEqual([task.read("DECISIONS.md"), types().length], [decisionsFile("UTF-8"), known]);
});

test("a call that was killed behind its answer is finished by the same call", async (t) => {
  const { task, answer, types } = await make(t, "needs_user_decision", openQuestion);
  task.write("DECISIONS.md", decisionsFile("UTF-8"));
  const known = types().length;
  assert.deepEqual((await answer("Q1", "UTF-8")).open, []);
  assert.deepEqual(types().slice(known), ["answered"]);
  const page = task.read("EVIDENCE.md");
  task.write("EVIDENCE.md", page.replaceAll("implement", "needs_user_decision"));
  await answer("Q1", "UTF-8");
  assert.deepEqual([task.read("EVIDENCE.md"), types().length], [page, known + 1]);
  assert.equal(task.read("DECISIONS.md"), decisionsFile("UTF-8"));
});

test("a brief that cannot be read holds no answer back, and is a warning", async (t) => {
  const { task, answer } = await make(t, "needs_user_decision", openQuestion);
  task.write("README.md", "no brief\n");
  const { findings } = await answer("Q1", "UTF-8");
  assert.deepEqual([task.read("DECISIONS.md"), findings[0]?.severity], [decisionsFile("UTF-8"), "warning"]);
});
