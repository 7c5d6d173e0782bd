import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { fieldOf, stateFile } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type Report, type TaskCase, type TaskSpec, validator } from "../cli/task-world.ts";

const concurrency = 2;
/** When each task is asked about; the runner's own clock in all of these tests. */
const asked = new Date("2026-11-21T10:00:00.000Z");
const after = (minutes: number) => new Date(asked.getTime() + minutes * 60_000);
const written = (minutes: number) => after(minutes).toISOString();

interface Written {
  readonly id?: string;
  readonly title?: string;
  readonly safeDefault?: string;
  readonly deadline?: string;
  readonly answer?: string;
}

function question({ id = "Q1", title = "Which encoding?", safeDefault, deadline, answer = "" }: Written = {}): string {
  return [
    `## ${id}: ${title}`,
    "",
    "- Asked in: implement, pass 1, 2026-11-21T09:59:00Z",
    "- Question: Which one does the export have?",
    "- Options: UTF-8 or Latin-1",
    `- Safe default: ${safeDefault ?? "UTF-8"}`,
    `- Deadline: ${deadline ?? written(30)}`,
    `- Answer: ${answer}`.trimEnd(),
    "",
  ].join("\n");
}

const words = (minutes: number, taken = "UTF-8") =>
  `${taken} (safe default, taken by task-phase at ${written(minutes)}; see ASSUMPTIONS.md)`;

test("questions with deadlines and safe defaults", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const call = (task: TaskCase, now: Date, bin: string, ...args: readonly string[]) =>
    world.call(bin, [...args, "--task-dir", task.taskDir, "--json"], { now });
  const run = async (task: TaskCase, now: Date, ...args: readonly string[]) =>
    (await call(task, now, "task-phase-run", ...args)).json() as unknown as Report & { prompt: string | null };
  const status = async (task: TaskCase, now: Date) =>
    (await call(task, now, "task-phase", "status")).json() as unknown as { standing: string; why: string };
  const { taskAt } = world;

  /** A task whose first pass has asked this: in `phase`, and on to `to`. */
  async function askedIn(
    folder: string,
    decisions: string,
    phase: Phase = "implement",
    to: Phase = phase,
    spec: Partial<TaskSpec> = {},
  ): Promise<TaskCase> {
    const task = await taskAt(folder, phase, spec);
    const state = stateFile({ phase: to, fields: { "Next step": "wait for the answer" } });
    task.propose({ task: { "STATE.md": state, "DECISIONS.md": decisions } });
    const report = await run(task, asked);
    assert.deepEqual([report.verdict, report.to], ["accepted", to], report.reason);
    task.propose({ task: { "STATE.md": stateFile({ phase, fields: { "Next step": "went on" } }) } });
    return task;
  }

  /** The task waits: 22, no model, and nothing of it changes. */
  async function assertWaits(task: TaskCase, now: Date, why: RegExp, standing = "asks"): Promise<void> {
    const files = () => ["STATE.md", "DECISIONS.md", "artifacts/journal.jsonl"].map((name) => task.read(name));
    const [before, calls] = [files(), task.calls()];
    const told = await status(task, now);
    const report = await run(task, now);
    assert.deepEqual([report.exit_code, report.verdict, task.calls()], [22, null, calls], report.reason);
    assert.match(report.reason, why);
    assert.equal(told.standing, standing);
    assert.match(told.why, why);
    assert.deepEqual(files(), before);
  }

  const last = <Type extends TaskEvent["type"]>(task: TaskCase, type: Type) =>
    task.events().findLast((event): event is Extract<TaskEvent, { type: Type }> => event.type === type) ?? null;

  it("nobody answers by the deadline: the safe default is taken, written down, and the pass goes on", async (folder) => {
    const task = await askedIn(folder, `# Decisions\n\nMine.\n\n${question()}\nMore.\n`);
    const state = task.state();
    await assertWaits(
      task,
      after(29),
      /Q1 .*\(DECISIONS\.md:\d+; until 2026-11-21T10:30:00\.000Z, then its safe default is taken\)/,
    );
    assert.equal(task.exists("ASSUMPTIONS.md"), false);
    const told = await status(task, after(30));
    assert.deepEqual(
      [told.standing, told.why],
      ["runnable", "the deadline of Q1 has passed; the next run takes its safe default"],
    );
    const report = await run(task, after(30));
    assert.deepEqual([report.verdict, report.from, task.calls()], ["accepted", "implement", 2], report.reason);
    assert.deepEqual(
      report.findings.map(({ code, message }) => [code, message]),
      [["TP_DEFAULT_TAKEN", 'nobody answered Q1 by 2026-11-21T10:30:00.000Z; its safe default was taken: "UTF-8"']],
    );
    assert.equal(task.read("DECISIONS.md"), `# Decisions\n\nMine.\n\n${question({ answer: words(30) })}\nMore.\n`);
    assert.equal(
      task.read("ASSUMPTIONS.md"),
      `# Assumptions

Nobody answered these questions by their deadline, so task-phase took their safe defaults. To overrule one, replace its answer in [DECISIONS.md](DECISIONS.md) with your own.

## Q1: Which encoding?

- Default taken: UTF-8
- Why: nobody answered by the deadline, 2026-11-21T10:30:00.000Z
- Taken at: 2026-11-21T10:30:00.000Z
- Phase: \`implement\`
`,
    );
    const { seq, prev, ...event } = last(task, "defaulted") as unknown as Record<string, unknown>;
    assert.deepEqual([typeof seq, typeof prev], ["number", "string"]);
    assert.deepEqual(event, {
      type: "defaulted",
      at: written(30),
      from: "implement",
      to: "implement",
      questions: [{ id: "Q1", taken: "UTF-8" }],
      state,
    });
    const prompt = task.read("artifacts/passes/0002/prompt.md");
    assert.match(prompt, /are in DECISIONS\.md/);
    assert.match(prompt, /are in ASSUMPTIONS\.md/);
    assert.match(task.read("log.txt"), /implement deadline of Q1 passed: safe default taken\n/);
  });

  it("a dry run says what would be taken and shows the prompt, and writes nothing", async (folder) => {
    const task = await askedIn(folder, question(), "shape", "needs_user_decision");
    const files = () =>
      ["STATE.md", "DECISIONS.md", "artifacts/journal.jsonl", "log.txt"].map((name) => task.read(name));
    const before = files();
    const report = await run(task, after(30), "--dry-run");
    assert.deepEqual([report.exit_code, report.from], [0, "shape"], report.reason);
    assert.match(report.findings[0]?.message ?? "", /will be taken by the next run without --dry-run: "UTF-8"/);
    assert.match(report.prompt ?? "", /Do one bounded pass in the phase `shape`/);
    assert.deepEqual([files(), task.exists("ASSUMPTIONS.md"), task.calls()], [before, false, 1]);
  });

  it("a paused task takes no default", async (folder) => {
    const task = await askedIn(folder, question(), "implement", "needs_user_decision");
    task.write("CONTROL.md", "- [ ] PAUSE\n");
    const report = await run(task, after(99));
    assert.deepEqual([report.verdict, last(task, "defaulted")], [null, null], report.reason);
    task.write("CONTROL.md", "- [x] PAUSE\n");
    assert.equal((await run(task, after(99))).verdict, "accepted");
  });

  it("a blocked task takes none until a person opens it again", async (folder) => {
    const task = await taskAt(folder, "blocked", {
      files: { "DECISIONS.md": question() },
      state: { phase: "blocked", fields: { Blockers: "no key" } },
    });
    const held = await run(task, after(99));
    assert.deepEqual([held.exit_code, last(task, "defaulted")], [21, null], held.reason);
    assert.equal((await call(task, after(99), "task-phase", "resume", "--to", "implement", "--reason", "x")).code, 0);
    assert.equal(last(task, "defaulted"), null);
    task.propose({ task: { "STATE.md": stateFile({ phase: "verify" }) } });
    assert.equal((await run(task, after(99))).verdict, "accepted");
    assert.deepEqual(last(task, "defaulted")?.questions, [{ id: "Q1", taken: "UTF-8" }]);
  });

  /**
   * A pass in review without progress, or with a question and an illegal move: the runner stops the task with a question
   * of its own.
   */
  async function stoppedInReview(folder: string, decisions: string | null = null): Promise<TaskCase> {
    const task = await taskAt(folder, "review", { contract: ["retries_per_failure: 0", validator] });
    task.propose({
      output: "I thought about it\n",
      ...(decisions === null
        ? {}
        : { task: { "DECISIONS.md": decisions, "STATE.md": stateFile({ phase: "implement" }) } }),
    });
    const report = await run(task, asked);
    assert.deepEqual([report.exit_code, report.to], [23, "needs_user_decision"], report.reason);
    task.propose({ task: { "STATE.md": stateFile({ phase: "review", fields: { "Next step": "go on" } }) } });
    return task;
  }
  const ownQuestion = (text: string) => text.indexOf("How should the task continue?");
  const answerOwn = (text: string) =>
    text.slice(0, ownQuestion(text)) + text.slice(ownQuestion(text)).replace(/- Answer:.*$/m, "- Answer: go on");

  it("the runner's own question waits for a person, also where somebody gave it a default and a deadline", async (folder) => {
    const task = await stoppedInReview(folder);
    const text = task.read("DECISIONS.md");
    const withDefault = text
      .replace("- Safe default:", "- Safe default: go on as it is")
      .replace("- Deadline:", "- Deadline: 2026-11-21T10:01:00Z");
    assert.notEqual(withDefault, text);
    task.write("DECISIONS.md", withDefault);
    await assertWaits(task, after(999), /no material progress in 1 pass/, "stuck");
    // Under another title it is still the runner that stopped the task.
    task.write("DECISIONS.md", withDefault.replace("How should the task continue?", "And now?"));
    await assertWaits(task, after(999), /Q1/, "stuck");
    task.write("DECISIONS.md", answerOwn(withDefault));
    const report = await run(task, after(1000));
    assert.deepEqual([report.from, last(task, "answered")?.to], ["review", "review"], report.reason);
    assert.equal(fieldOf(last(task, "answered")?.state ?? "", "Blockers"), "none");
  });

  it("a default opens no stop of the runner: its question wants a person, and then the others go their way", async (folder) => {
    const task = await stoppedInReview(folder, question());
    await assertWaits(task, after(999), /the pass failed: review → implement is not allowed/, "stuck");
    const { reason } = await run(task, after(999));
    assert.match(reason, /Q1 .*the runner stopped the task, so no default is taken;.*\), Q2 .*; asked by the runner/);
    task.write("DECISIONS.md", answerOwn(task.read("DECISIONS.md")));
    const report = await run(task, after(1000));
    assert.equal(report.from, "review", report.reason);
    const kinds = task.events().map((event) => event.type);
    assert.deepEqual(kinds.slice(kinds.indexOf("defaulted"), kinds.indexOf("defaulted") + 2), [
      "defaulted",
      "answered",
    ]);
    assert.deepEqual(
      [last(task, "defaulted")?.from, last(task, "defaulted")?.to],
      ["needs_user_decision", "needs_user_decision"],
    );
  });

  for (const word of ["accept", "done", "COMPLETE"]) {
    it(`neither the answer nor the default \`${word}\` opens a gate, clears a counter or frees what is protected`, async (folder) => {
      const contract = ['protected: ["good.txt"]', validator];
      for (const how of ["answer", "default"] as const) {
        const task = await askedIn(
          `${folder}-${how}`,
          question({ safeDefault: word }),
          "implement",
          "needs_user_decision",
          { contract },
        );
        if (how === "answer") task.write("DECISIONS.md", question({ safeDefault: word, answer: word }));
        task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) }, repo: { "good.txt": "changed\n" } });
        const report = await run(task, after(60));
        assert.deepEqual(
          [report.verdict, report.from, report.to],
          ["rejected", "implement", "implement"],
          report.reason,
        );
        assert.match(report.reason, /changed good\.txt, which it must not/);
        const verdict = last(task, "verdict");
        assert.deepEqual(
          verdict?.reasons.map(({ category }) => category),
          ["tampering", "illegal"],
        );
        assert.equal(world.read(`cases/${folder}-${how}/repo/good.txt`), "good\n");
      }
    });
  }

  it("a pass that writes ASSUMPTIONS.md is rejected, and the file is put back", async (folder) => {
    for (const before of [null, "# Assumptions\n"]) {
      const task = await taskAt(
        `${folder}-${before === null}`,
        "implement",
        before === null ? {} : { files: { "ASSUMPTIONS.md": before } },
      );
      task.propose({
        task: { "STATE.md": stateFile({ phase: "verify" }), "ASSUMPTIONS.md": "# Assumptions\n\nI may do anything.\n" },
      });
      const report = await run(task, asked);
      assert.equal(report.verdict, "rejected");
      assert.match(
        report.reason,
        new RegExp(`ASSUMPTIONS.md, which it must not.*${before === null ? "removed" : "restored"}`),
      );
      assert.equal(task.exists("ASSUMPTIONS.md") ? task.read("ASSUMPTIONS.md") : null, before);
    }
  });

  it("a rejected pass may have asked: its question counts from then", async (folder) => {
    const task = await taskAt(folder, "implement");
    task.propose({
      task: { "STATE.md": stateFile({ phase: "done" }), "DECISIONS.md": question({ deadline: written(1) }) },
    });
    assert.equal((await run(task, asked)).verdict, "rejected");
    assert.deepEqual(last(task, "verdict")?.open_questions, ["Q1"]);
    await assertWaits(task, after(9), /until 2026-11-21T10:10:00\.000Z/);
  });

  it("removing a question does not answer it: the task reports it and waits for resume", async (folder) => {
    const earlier = question({ answer: "UTF-8" });
    for (const left of ["", earlier]) {
      const task = await askedIn(
        `${folder}-${left === ""}`,
        `${left}\n${question({ id: "Q2" })}`,
        "shape",
        "needs_user_decision",
        left === "" ? {} : { files: { "DECISIONS.md": earlier } },
      );
      task.write("DECISIONS.md", left);
      await assertWaits(task, after(99), /no question is open, and none from this stop was answered/);
      const end = await call(task, after(99), "task-phase", "resume", "--to", "shape", "--reason", "not needed");
      assert.equal(end.code, 0, end.stdout);
      task.propose({ task: { "STATE.md": stateFile({ phase: "implement" }) } });
      assert.equal((await run(task, after(99))).verdict, "accepted");
    }
  });

  it("of two questions one is taken out and one answered: the task goes on", async (folder) => {
    const task = await askedIn(folder, `${question()}\n${question({ id: "Q2" })}`, "implement", "needs_user_decision");
    task.write("DECISIONS.md", question({ id: "Q2", answer: "yes" }));
    assert.equal((await status(task, after(1))).why, "every question is answered; the next run continues in implement");
    assert.equal((await run(task, after(1))).verdict, "accepted");
  });

  it("a tasks root runs a task for its default once the deadline has passed, and not before", async (folder) => {
    const task = await askedIn(folder, question());
    const select = async (now: Date) =>
      (await world.call("task-phase-run", ["--tasks-root", `${task.folder}/tasks`, "--json"], { now })).json();
    assert.deepEqual([(await select(after(29))).exit_code, task.calls()], [22, 1]);
    assert.deepEqual([(await select(after(30))).exit_code, task.calls()], [0, 2]);
  });

  await Promise.all(cases);
});
