import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { goOnTitle } from "../../../lib/documents/decisions.ts";
import { readIfGood, taskFiles } from "../../../lib/documents/read-task-file.ts";
import { answerStop, followAnswer, isRetryDue, liftCancel, obeyRetry } from "../../../lib/pass/people/reopen.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { loadContract } from "../../../lib/task/load-contract.ts";
import { decisionsFile, eventsAt, fieldOf, openQuestion } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { mustRead } from "../../documents/arrange.ts";
import { type Held, holdTask, noon } from "../verdict/arrange.ts";

const fields = (state: string, ...labels: string[]) => labels.map((label) => fieldOf(state, label));
const questionsOf = ({ session }: Held) => readIfGood(taskFiles.decisions, session.place.taskDir).questions;

describe("an answered question", () => {
  test("leads back to the phase that asked", async (t) => {
    const held = await holdTask(t, "needs_user_decision", { files: { "DECISIONS.md": decisionsFile("UTF-8") } });
    const asked = readIfGood(taskFiles.decisions, held.session.place.taskDir).questions;
    const document = followAnswer(held.session, mustRead(held.task.state()), asked);
    assert.equal(document.view.phase, "implement");
    assert.deepEqual(fields(held.task.state(), "Phase", "Status", "Last updated"), ["implement", "in progress", noon]);
    const event = held.session.journal.events.at(-1);
    assert.deepEqual(event, {
      ...{ type: "answered", at: noon, from: "needs_user_decision", to: "implement", questions: ["Q1"] },
      state: held.task.state(),
    });
    assert.deepEqual(
      held.session.findings.map(({ message }) => message),
      ["every question is answered; the task continues in implement"],
    );
  });

  test("is recorded without those that were answered before", async (t) => {
    const held = await holdTask(t, "needs_user_decision", {
      files: { "DECISIONS.md": `${decisionsFile("UTF-8")}\n${decisionsFile("yes", "Q2")}` },
      events: (place) => eventsAt("needs_user_decision", place, { open_questions: ["Q2"] }),
    });
    followAnswer(held.session, mustRead(held.task.state()), questionsOf(held));
    const event = held.session.journal.events.at(-1);
    assert.deepEqual(event?.type === "answered" && event.questions, ["Q2"]);
  });

  test("takes the Blockers of the runner's own stop away, and an open one changes nothing", async (t) => {
    const stop = { cause: "repairs", to: "needs_user_decision", blockers: "all are spent", question: "?" } as const;
    const make = (answer: string) =>
      holdTask(t, "needs_user_decision", {
        state: { phase: "needs_user_decision", fields: { Blockers: "all are spent" } },
        files: { "DECISIONS.md": decisionsFile(answer) },
        events: (place) => eventsAt("needs_user_decision", place, { escalation: stop }),
      });
    const follow = async (answer: string) => {
      const { task, session } = await make(answer);
      followAnswer(session, mustRead(task.state()), readIfGood(taskFiles.decisions, session.place.taskDir).questions);
      return fields(task.state(), "Phase", "Blockers");
    };
    assert.deepEqual(await follow("go on"), ["implement", "none"]);
    assert.deepEqual(await follow(""), ["needs_user_decision", "all are spent"]);
  });
});

const asksHow = openQuestion.replace("Which encoding?", goOnTitle);
const stop = { cause: "repairs", to: "needs_user_decision", blockers: "all are spent", question: "?" } as const;

/** A task that the runner itself stopped with this question. */
const makeStopped = (t: TestContext, phase: "blocked" | "needs_user_decision", text: string) =>
  holdTask(t, phase, {
    state: { phase, fields: { Blockers: "all are spent" } },
    files: { "DECISIONS.md": text },
    events: (place) => eventsAt(phase, place, { escalation: { ...stop, to: phase } }),
  });

describe("a person's word that a stopped task continues", () => {
  test("answers the runner's own question in DECISIONS.md, and no other", async (t) => {
    const other = openQuestion.replace("Q1", "Q2");
    const held = await makeStopped(t, "needs_user_decision", `${asksHow}\n${other}`);
    const { files, questions } = answerStop(held.session.place, questionsOf(held), "continue: it is cheap");
    assert.deepEqual(
      files.map(({ path, text, append }) => [path, text, append]),
      [["DECISIONS.md", `${asksHow.replace("- Answer:", "- Answer: continue: it is cheap")}\n${other}`, false]],
    );
    assert.deepEqual(
      questions.map(({ id, open }) => [id, open]),
      [
        ["Q1", false],
        ["Q2", true],
      ],
    );
    assert.equal(held.task.read("DECISIONS.md"), `${asksHow}\n${other}`, "it is written with the event");
  });

  test("writes nothing if the runner asked nothing", async (t) => {
    const held = await makeStopped(t, "needs_user_decision", openQuestion);
    const asked = questionsOf(held);
    assert.deepEqual(answerStop(held.session.place, asked, "continue"), { files: [], questions: asked });
  });
});

test("a cancelled task continues where it was, and STATE.md and the log say so", async (t) => {
  const held = await holdTask(t, "shape");
  const after = liftCancel(held.session, mustRead(held.task.state()), "shape", "in a\nhurry");
  assert.deepEqual([after.view.phase, after.view.fields.status], ["shape", "in progress"]);
  const event = held.session.journal.events.at(-1);
  assert.deepEqual(event?.type === "resumed" && [event.from, event.to, event.reason], [
    "shape",
    "shape",
    "in a\nhurry",
  ]);
  assert.equal(held.task.read("log.txt"), `${noon} shape → shape continued by a person: in a hurry\n`);
});

describe("RETRY", () => {
  const due = async (t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}) => {
    const held = await holdTask(t, phase, spec);
    return isRetryDue(held.session, { document: mustRead(held.task.state()), questions: questionsOf(held) });
  };

  test("has an effect on a task that works or is stopped, unless it is done or a person is asked", async (t) => {
    assert.deepEqual([await due(t, "implement"), await due(t, "blocked"), await due(t, "done")], [true, true, false]);
    const asks = (text: string) => due(t, "needs_user_decision", { files: { "DECISIONS.md": text } });
    assert.deepEqual([await asks(openQuestion), await asks(asksHow), await asks("")], [false, true, true]);
  });

  const obey = async (held: Held) => {
    const { session, task } = held;
    const found = { document: mustRead(task.state()), questions: questionsOf(held) };
    const after = obeyRetry(session, loadContract(session.place, null, session.ports), found);
    const words = session.findings.map(({ message }) => message);
    return { after, words, events: session.journal.events.slice(-2).map(({ type }) => type) };
  };

  test("has a working task count from zero where it is", async (t) => {
    const held = await holdTask(t, "implement");
    const { after, words, events } = await obey(held);
    assert.deepEqual([after.document.view.phase, events], ["implement", ["resumed", "controlled"]]);
    assert.deepEqual(words, ["RETRY: failures and timeouts are counted from zero again"]);
  });

  test("continues a blocked task in the phase where it stopped", async (t) => {
    const held = await makeStopped(t, "blocked", "");
    const { after, words, events } = await obey(held);
    assert.deepEqual(events, ["controlled", "resumed"]);
    assert.deepEqual(fields(held.task.state(), "Phase", "Blockers"), ["implement", "none"]);
    assert.equal(after.document.view.phase, "implement");
    assert.match(words[0] ?? "", /; the task continues in implement, where it stopped$/);
  });

  test("answers the runner's question how to continue, and leaves a question about the work open", async (t) => {
    const own = await makeStopped(t, "needs_user_decision", asksHow);
    assert.equal((await obey(own)).after.document.view.phase, "implement");
    assert.match(
      own.task.read("DECISIONS.md"),
      new RegExp(`- Answer: continue as it is \\(RETRY in CONTROL.md, ${noon}\\)`),
    );
    const work = await makeStopped(t, "needs_user_decision", openQuestion);
    const { after, words } = await obey(work);
    assert.deepEqual([after.document.view.phase, words.length], ["needs_user_decision", 1]);
    assert.equal(work.task.read("DECISIONS.md"), openQuestion);
  });

  test("ends the cooldowns of the configured models alone", async (t) => {
    const held = await holdTask(t, "implement");
    const cooling = (name: string) => [
      name,
      { cooldown_until: 4e9, observed_at: Date.parse(noon) / 1_000, reason: "429" },
    ];
    const entries = Object.fromEntries(["prepared", "other"].map(cooling));
    held.task.write("../.task-phase/cooldowns.json", JSON.stringify(entries));
    const { words } = await obey(held);
    assert.deepEqual(words, [
      "RETRY: failures and timeouts are counted from zero again, and the cooldown of prepared ended",
    ]);
  });
});
