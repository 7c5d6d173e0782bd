import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { makeBranchWorld } from "./branch-world.ts";
import { fieldOf, stateFile } from "./task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase } from "./task-world.ts";

const ask = (id: string, lines: readonly string[] = []) =>
  [`## ${id}: Which encoding?`, "", "- Question: Which one does the export have?", "- Options: UTF-8; Latin-1"]
    .concat(lines.length > 0 ? lines : ["- Safe default: UTF-8", "- Deadline:", "- Answer:"])
    .concat("")
    .join("\n");

test("a pass that asks a person", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const verdictOf = (task: TaskCase) => task.events().findLast((event) => event.type === "verdict");

  it("has made progress by that alone: accepted, 22, and run prints the question with its command", async (folder) => {
    const task = await world.taskAt(folder, "shape");
    task.propose({ task: { "DECISIONS.md": ask("Q1") } });
    const end = await task.run();
    assert.equal(end.code, 22, end.stderr);
    assert.match(end.stderr, /shape → shape {2}accepted {2}Q1 asked/);
    assert.match(end.stderr, /T-1 asks Q1: Which encoding\?\n {2}Which one does the export have\?\n/);
    assert.match(end.stderr, /options: UTF-8; Latin-1\n {2}safe default: UTF-8\n[\s\S]*task-phase answer T-1 Q1 TEXT/);
    const verdict = verdictOf(task);
    assert.deepEqual([verdict?.verdict, verdict?.progress, verdict?.failure], ["accepted", ["question"], null]);
    assert.doesNotMatch(task.read("EVIDENCE.md"), /did not accept/);
    assert.match(task.read("log.txt"), /shape → shape accepted: Q1 asked/);
    assert.equal((await task.command("check")).code, 0);
  });

  it("is named with its command by a later run that names no task", async (folder) => {
    const task = await world.taskAt(folder, "shape");
    task.propose({ task: { "DECISIONS.md": ask("Q1") } });
    assert.equal((await task.pass()).exit_code, 22);
    const end = await world.call("task-phase", ["run"], { cwd: `cases/${folder}` });
    assert.equal(end.code, 22, end.stderr);
    assert.match(
      end.stderr,
      /^nothing is runnable; .*\nT-1 asks Q1: Which encoding\?\n[\s\S]*task-phase answer T-1 Q1 TEXT/,
    );
  });

  it("is never stuck by it: each answer lets the next run continue", async (folder) => {
    const task = await world.taskAt(folder, "shape");
    let decisions = "";
    for (const number of [1, 2, 3, 4]) {
      decisions += `${ask(`Q${number}`)}\n`;
      task.propose({ task: { "DECISIONS.md": decisions } });
      const report = await task.pass();
      assert.deepEqual([report.verdict, report.exit_code, task.calls()], ["accepted", 22, number], report.reason);
      assert.equal((await task.command("answer", `Q${number}`, "UTF-8")).code, 0);
      decisions = task.read("DECISIONS.md");
    }
  });

  it("is printed too where the pass was accepted for other work, or refused", async (folder) => {
    const moved = await world.taskAt(folder, "shape");
    moved.propose({ task: { "STATE.md": stateFile({ phase: "implement" }), "DECISIONS.md": ask("Q1") } });
    const accepted = await moved.run();
    assert.equal(accepted.code, 22);
    assert.match(
      accepted.stderr,
      /shape → implement {2}accepted {2}Q1 asked\n[\s\S]*T-1 asks Q1: [\s\S]*task-phase answer T-1 Q1/,
    );
    const refused = await world.taskAt(`${folder}-refused`, "shape");
    refused.propose({ task: { "STATE.md": stateFile({ phase: "done" }), "DECISIONS.md": ask("Q1") } });
    const rejected = await refused.run();
    assert.equal(rejected.code, 20);
    assert.match(rejected.stderr, /T-1 asks Q1: [\s\S]*task-phase answer T-1 Q1/);
  });

  it("makes no progress with a question that is not well formed, and says what is wrong with it", async (folder) => {
    const malformed = [
      ["## Q1\n\n- Answer:\n", /Q1 asks nothing/],
      [ask("Q1", ["- Safe default: UTF-8", "- Deadline: tomorrow", "- Answer:"]), /deadline of Q1 is "tomorrow"/],
      [ask("Q1", ["- Safe default: UTF-8", "- Answer: UTF-8"]), /Q1 came with an answer/],
    ] as const;
    for (const [index, [text, wrong]] of malformed.entries()) {
      const task = await world.taskAt(`${folder}-${index}`, "shape");
      task.propose({ task: { "DECISIONS.md": text } });
      const report = await task.pass();
      assert.deepEqual([report.verdict, report.exit_code, report.progress], ["no_progress", 23, []], text);
      assert.match(report.reason, wrong);
      assert.match(report.findings.map(({ message }) => message).join(), wrong);
    }
  });

  it("is over once it is answered: no page shows it as open, and the answer says what comes next", async (folder) => {
    const task = await world.taskAt(folder, "shape");
    const asked = stateFile({ phase: "needs_user_decision", fields: { "Next step": "wait" } });
    task.propose({ task: { "STATE.md": asked, "DECISIONS.md": ask("Q1") } });
    assert.equal((await task.pass()).exit_code, 22);
    const root = path.dirname(task.taskDir);
    await world.call("task-phase", ["board", "--tasks-root", root]);
    const pages = ["EVIDENCE.md", "artifacts/evidence.html", "STATE.md", "../BOARD.md", "../index.html"];
    assert.deepEqual(
      pages.map((page) => /Which encoding|Q1/.test(task.read(page))),
      pages.map(() => true),
    );
    const end = await task.command("answer", "Q1", "UTF-8");
    assert.match(end.stderr, /answered Q1: Which encoding\?\nthe next run continues\n/);
    for (const page of pages) assert.doesNotMatch(task.read(page), /Which encoding|T-1 asks/, page);
    assert.equal(fieldOf(task.state(), "Phase"), "shape");
    assert.equal((await task.command("check")).code, 0);
  });

  it("is over in a working phase too, once it is answered", async (folder) => {
    const task = await world.taskAt(folder, "shape", { files: { "DECISIONS.md": ask("Q1") } });
    assert.equal((await task.pass()).exit_code, 22);
    assert.equal((await task.command("answer", "Q1", "UTF-8")).code, 0);
    assert.doesNotMatch(task.state() + task.read("EVIDENCE.md"), /Which encoding/);
  });

  await Promise.all(cases);
});

test("a run that finds nothing to do says what the tasks wait for, or what to type for one that is blocked", async (t) => {
  const needy = { contract: ["depends_on: [{ id: T-1, proof: shown }]"] };
  const waiting = makeBranchWorld(t, { "T-1": {}, "T-2": needy }, "checkpoint: patch\n");
  await waiting.ends(21, "loop");
  const said = "nothing is runnable; a task waits for another task\nT-2 waits for T-1 (done without proof)\n";
  assert.equal((await waiting.ends(21, "run")).stderr, said);
  const plan = ['set_field Phase blocked; set_field Blockers "no key"; exit 0'];
  const blocked = makeBranchWorld(t, { "T-1": { plan } }, "checkpoint: patch\n");
  await blocked.ends(21, "run");
  const next =
    "nothing is runnable; T-1 is blocked: no key\nnext: task-phase resume T-1 --to implement --reason TEXT\n";
  assert.equal((await blocked.ends(21, "run")).stderr, next);
});
