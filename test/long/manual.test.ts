import assert from "node:assert/strict";
import { test } from "node:test";
import { stateFile } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type Report, type TaskCase, validator } from "../cli/task-world.ts";

const look = "the header fits at 360 px";
const contract = [validator, `scenarios: [{ name: page, manual: "${look}" }]`];

test("a person looks at a manual scenario before done", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const ends = ({ verdict, to, exit_code }: Report) => [verdict, to, exit_code];
  const inReview = (folder: string, lines: readonly string[] = contract) =>
    world.taskAt(folder, "review", { contract: lines });
  const proposes = (task: TaskCase, phase: "done" | "repair" | "verify" | "review", repo = {}) =>
    task.propose({ task: { "STATE.md": stateFile({ phase }) }, repo });
  const answer = (task: TaskCase, text: string) =>
    task.write("DECISIONS.md", task.read("DECISIONS.md").replace(/- Answer:\s*$/, `- Answer: ${text}\n`));
  /** Every recorded verdict is decided again; the arranged pass 1 has no record. */
  const holdsAgain = async (task: TaskCase) => {
    const { findings } = (await task.command("check", "--json")).json() as {
      findings: { code: string; message: string }[];
    };
    assert.deepEqual(
      findings.filter(({ message }) => !/pass 1\b/.test(message)),
      [],
    );
  };

  it("is asked once, and `yes` on the same code lets it through", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    const asked = await task.pass();
    assert.deepEqual(ends(asked), ["rejected", "needs_user_decision", 22], asked.reason);
    assert.match(task.read("DECISIONS.md"), /## Q1: Is what you see as it should be\?/);
    assert.match(task.read("DECISIONS.md"), /page \(the header fits at 360 px\)/);
    assert.match(
      task.read("EVIDENCE.md"),
      /- \*\*page\*\*: the header fits at 360 px; nothing ran for it, and no person has looked/,
    );
    assert.equal((await task.run()).code, 22);
    assert.equal(task.calls(), 1);
    await holdsAgain(task);

    answer(task, "`yes`");
    const done = await task.pass();
    assert.deepEqual(ends(done), ["accepted", "done", 0], done.reason);
    assert.match(done.reason, /A person looked at page and said yes$/);
    assert.match(task.read("EVIDENCE.md"), /A person looked at page and said yes/);
    assert.match(
      task.read("EVIDENCE.md"),
      /- page: the header fits at 360 px; nothing ran for it; a person looked and said yes \(Q1\)/,
    );
    assert.match(task.read("SUMMARY.md"), /A person looked at page and said yes/);
    assert.match(task.read("artifacts/evidence.html"), /a person looked and said yes \(Q1\)/);
    const verdict = task.events().findLast((event) => event.type === "verdict");
    assert.deepEqual(verdict?.manual, [{ name: "page", look, answer: { holds: true, said: "`yes`", question: "Q1" } }]);
    assert.deepEqual([verdict?.proof?.looked, verdict?.proof?.grade === "shown"], [["page"], false]);
    await holdsAgain(task);
  });

  it("is asked again without a pass if the answer is neither yes nor no, and is never a no", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    await task.pass();
    answer(task, "yes, but the menu is cut off");
    const before = task.read("artifacts/journal.jsonl");
    const again = await task.pass();
    assert.deepEqual([again.verdict, again.exit_code, task.calls()], [null, 22, 1]);
    assert.match(
      again.reason,
      /Q1 .*its answer "yes, but the menu is cut off" is neither yes nor no, write `yes` or `no: /,
    );
    const status = await task.command("status");
    assert.match(status.stdout, /neither yes nor no/);
    const loop = await world.call("task-phase-loop", ["--task-dir", task.taskDir]);
    assert.deepEqual([loop.code, task.calls(), task.read("artifacts/journal.jsonl")], [22, 1, before]);

    const said = await task.command("answer", "Q1", "Yes, looks right");
    assert.deepEqual(
      [said.code, /^read as yes: all of it is as it should be$/m.test(said.stderr)],
      [0, true],
      said.stderr,
    );
    assert.match(task.read("DECISIONS.md"), /^- Answer: Yes, looks right$/m);
    assert.deepEqual(ends(await task.pass()), ["accepted", "done", 0]);
    await holdsAgain(task);
  });

  it("takes each option as the question itself prints it", async (folder) => {
    for (const [index, to, exit] of [
      [0, "done", 0],
      [1, "repair", 0],
    ] as const) {
      const task = await inReview(`${folder}-${to}`);
      proposes(task, "done");
      await task.pass();
      const options = /^- Options: (.*)$/m.exec(task.read("DECISIONS.md"))?.[1]?.split("; ") ?? [];
      answer(task, options[index] ?? "");
      const report = await task.pass();
      assert.deepEqual([report.to, report.exit_code], [to, exit], `${options[index]}: ${report.reason}`);
    }
  });

  it("is a ticket with a person's words where one says no, and asked again once the code has changed", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    await task.pass();
    answer(task, "No, the menu is cut off");
    const refused = await task.pass();
    assert.deepEqual(ends(refused), ["redirected", "repair", 0], refused.reason);
    assert.deepEqual(
      refused.tickets.map(({ id, source }) => [id, source]),
      [["manual:page", "scenario"]],
    );
    assert.match(refused.tickets[0]?.text ?? "", /said: No, the menu is cut off/);
    await holdsAgain(task);

    proposes(task, "verify");
    assert.deepEqual(ends(await task.pass()), ["accepted", "verify", 0]);
    proposes(task, "review");
    const same = await task.pass();
    assert.deepEqual(ends(same), ["redirected", "repair", 0], "the same code is still refused");
    proposes(task, "verify", { "menu.txt": "whole\n" });
    await task.pass();
    proposes(task, "review");
    assert.deepEqual(ends(await task.pass()), ["accepted", "review", 0]);
    proposes(task, "done");
    assert.deepEqual(ends(await task.pass()), ["rejected", "needs_user_decision", 22]);
    assert.match(task.read("DECISIONS.md"), /## Q2: Is what you see/);
    answer(task, "Yes.");
    assert.deepEqual(ends(await task.pass()), ["accepted", "done", 0]);
    await holdsAgain(task);
  });

  it("lets a model propose repair with no other finding than a person's no", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    await task.pass();
    answer(task, "no: too wide");
    proposes(task, "repair");
    const report = await task.pass();
    assert.deepEqual(ends(report), ["accepted", "repair", 0], report.reason);
    assert.deepEqual(
      report.tickets.map(({ id }) => id),
      ["manual:page"],
    );
  });

  it("asks nobody while something else is wrong", async (folder) => {
    const task = await inReview(folder);
    task.propose({ task: { "STATE.md": stateFile({ phase: "done", fields: { "Candidate done": "no" } }) } });
    const report = await task.pass();
    assert.deepEqual(ends(report), ["rejected", "review", 20], report.reason);
    assert.equal(task.exists("DECISIONS.md"), false);
  });

  it("counts no answer to a question that the agent asked under the same title", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    await task.pass();
    const own = "## Q9: Is what you see as it should be?\n\n- Question: Is blue fine?\n- Answer: yes\n";
    task.write("DECISIONS.md", `${task.read("DECISIONS.md")}\n${own}`);
    assert.equal((await task.run()).code, 22);
    assert.equal(task.calls(), 1);
  });

  await Promise.all(cases);
});
