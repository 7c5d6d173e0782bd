import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { closedForms, optionsOf } from "../../../lib/documents/closed-questions.ts";
import { readIfGood, taskFiles } from "../../../lib/documents/read-task-file.ts";
import { followClosedAnswers } from "../../../lib/pass/people/follow-closed-answers.ts";
import type { TaskHistory } from "../../../lib/rules/history.ts";
import { holdTask, noon } from "../verdict/arrange.ts";

interface Answer {
  readonly id?: string;
  readonly answer: string;
  /** Null: any words answer it. */
  readonly form?: keyof typeof closedForms | null;
}

function question({ id = "Q1", answer, form = "watched" }: Answer): string {
  const [title, options] = form === null ? ["Go on?", "yes"] : [closedForms[form].title, optionsOf(closedForms[form])];
  const lines = [`## ${id}: ${title}`, "", `- Options: ${options}`];
  return [...lines, `- Answer:${answer === "" ? "" : ` ${answer}`}`, ""].join("\n");
}

/** The event and the message that these answers lead to, in a task with this history. */
async function follow(t: TestContext, history: Partial<TaskHistory>, ...answers: readonly Answer[]) {
  const { session } = await holdTask(t, "implement", { files: { "DECISIONS.md": answers.map(question).join("\n") } });
  session.history = { ...session.history, ...history };
  const known = session.journal.events.length;
  followClosedAnswers(session, readIfGood(taskFiles.decisions, session.place.taskDir).questions);
  const [event, ...more] = session.journal.events.slice(known);
  assert.deepEqual(more, []);
  return { event, words: session.findings.map(({ code, message }) => `${code}: ${message}`) };
}

const nothing = { event: undefined, words: [] };
const change = { kind: "test", name: "a.test.js", digest: "d1", what: "removed", text: "it is gone" };
const watch = { watchAsked: [change] } as unknown as TaskHistory;

test("a yes to changes of tests keeps exactly these changes, and a no makes a ticket of each", async (t) => {
  const yes = await follow(t, watch, { answer: "accept" });
  assert.deepEqual(yes.event, {
    ...{ type: "watch_answered", at: noon, question: "Q1", accepted: true },
    ...{ changes: [{ name: "a.test.js", digest: "d1" }], tickets: [] },
  });
  assert.deepEqual(yes.words, [
    "TP_WATCH_ANSWERED: Q1 about tests and checks is answered: exactly these changes may stay",
  ]);
  const no = await follow(t, watch, { answer: "undo" });
  assert.ok(no.event?.type === "watch_answered");
  assert.deepEqual([no.event.accepted, no.event.tickets.length], [false, 1]);
  assert.match(no.words[0] ?? "", /each change is now a ticket$/);
});

test("an open question, one that was not asked, and words that say neither are left alone", async (t) => {
  assert.deepEqual(await follow(t, watch, { answer: "" }), nothing);
  assert.deepEqual(await follow(t, watch, { answer: "maybe" }), nothing);
  assert.deepEqual(await follow(t, {}, { answer: "accept" }), nothing);
  assert.deepEqual(await follow(t, watch, { answer: "yes", form: "manual" }), nothing);
});

test("of several questions about tests the newest that the runner asked counts", async (t) => {
  const answers = ["Q2", "Q10", "Q11"].map((id, at) => ({ id, answer: ["accept", "undo", "accept"][at] ?? "" }));
  const asked = async (...ids: string[]) => {
    const askedAt = Object.fromEntries(ids.map((id) => [id, noon]));
    const { event } = await follow(t, { ...watch, askedAt }, ...answers);
    return event?.type === "watch_answered" ? event.question : null;
  };
  assert.deepEqual([await asked(), await asked("Q2", "Q10"), await asked("Q9")], ["Q11", "Q10", null]);
});

test("what a person saw holds for exactly the code that the question was about", async (t) => {
  const scenarios = [{ name: "page", look: "the header fits" }];
  const lookAsked = { question: "Q1", fingerprint: "f1", scenarios } as unknown as TaskHistory["lookAsked"];
  const yes = await follow(t, { lookAsked }, { answer: "yes", form: "manual" });
  assert.ok(yes.event?.type === "looked");
  assert.deepEqual([yes.event.fingerprint, yes.event.holds, yes.event.tickets], ["f1", true, []]);
  const no = await follow(t, { lookAsked }, { answer: "no: it overlaps", form: "manual" });
  assert.ok(no.event?.type === "looked");
  assert.deepEqual([no.event.holds, no.event.said, no.event.tickets.length], [false, "no: it overlaps", 1]);
  assert.deepEqual(await follow(t, { lookAsked }, { id: "Q2", answer: "yes", form: "manual" }), nothing);
});

test("a frame is approved or to be changed, in the person's words", async (t) => {
  const frameAsked = { question: "Q1", frame: "f" } as unknown as TaskHistory["frameAsked"];
  const yes = await follow(t, { frameAsked }, { answer: "approve", form: "approve" });
  assert.ok(yes.event?.type === "approved" && yes.event.approved);
  assert.deepEqual(yes.words, ["TP_FRAME_ANSWERED: Q1 is answered: a person approved the frame"]);
  const no = await follow(t, { frameAsked }, { answer: "no: smaller", form: "approve" });
  assert.deepEqual(no.event?.type === "approved" && [no.event.approved, no.event.said], [false, "no: smaller"]);
});

test("checks that cannot run here run once more after any word but a plain yes", async (t) => {
  const part = async (answer: string) => {
    const { event } = await follow(t, { environmentAsked: "Q1" }, { answer, form: null });
    return event?.type === "environment_answered" ? event.part_of_task : null;
  };
  assert.deepEqual(
    [await part("yes"), await part("no"), await part("I installed it"), await part("")],
    [true, false, false, null],
  );
  assert.deepEqual(await follow(t, { environmentAsked: "Q9" }, { answer: "yes", form: null }), nothing);
});

test("a secret in an answer does not get into the journal", async (t) => {
  const lookAsked = { question: "Q1", fingerprint: "f1", scenarios: [] } as unknown as TaskHistory["lookAsked"];
  const { event } = await follow(t, { lookAsked }, { answer: `no: see ghp_${"a1B2".repeat(9)}`, form: "manual" });
  assert.deepEqual(event?.type === "looked" && event.said, "no: see [redacted:github]");
});
