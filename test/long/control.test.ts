import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Phase } from "../../lib/rules/phases.ts";
import { makeLoopWorld } from "../cli/loop-world.ts";
import { eventsAt, fieldOf, openQuestion, stateFile, withFields } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase, type TaskSpec, validator } from "../cli/task-world.ts";
import { passStarted } from "../rules/arrange.ts";

const concurrency = 2;
const time = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";

/** CONTROL.md with the times taken out. */
function control(task: TaskCase): string {
  return task.read("CONTROL.md").replace(new RegExp(time, "g"), "TIME");
}

function controlled(task: TaskCase): string[] {
  return task.events().flatMap((event) => (event.type === "controlled" ? [event.command] : []));
}

/** CONTROL.md is read once a second. */
function pollOften(task: TaskCase): void {
  const file = path.join(task.folder, "tasks", "task-phase.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}control: { poll: 1s }\n`);
}

test("a person controls a task by CONTROL.md", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const taskAt = async (folder: string, phase: Phase, spec: Partial<TaskSpec> = {}) => {
    const task = await world.makeTask(folder, { state: { phase }, events: (place) => eventsAt(phase, place), ...spec });
    pollOften(task);
    return task;
  };
  /** A pass that is under way until the model has slept, and what a person writes meanwhile. */
  const during = async (task: TaskCase, text: string, seconds = "5") => {
    task.propose({ task: { "artifacts/more.md": "more\n" }, sleep: seconds });
    const report = task.pass();
    while (task.calls() === 0) await sleep(20);
    task.write("CONTROL.md", text);
    return report;
  };

  it("PAUSE before a pass: exit 25, no model, seen once, until it is ticked", async (folder) => {
    const task = await taskAt(folder, "implement");
    task.write("CONTROL.md", "# Control\r\n\r\n- [ ] Pause for lunch\r\n");
    const report = await task.pass();
    assert.deepEqual([report.exit_code, report.exit_name, report.verdict, task.calls()], [25, "paused", null, 0]);
    assert.equal(report.reason, "paused by a person: line 3 of CONTROL.md says PAUSE; tick or remove it to continue");
    const seen = task.read("CONTROL.md");
    assert.equal(control(task), "# Control\r\n\r\n- [ ] Pause for lunch (seen TIME)\r\n");
    assert.equal((await task.pass()).exit_code, 25);
    assert.deepEqual([task.read("CONTROL.md"), controlled(task)], [seen, ["PAUSE"]]);
    task.write("CONTROL.md", seen.replace("[ ]", "[x]"));
    task.propose({ task: { "artifacts/more.md": "more\n" } });
    assert.equal((await task.pass()).exit_code, 0);
  });

  it("a dry run holds at PAUSE too, and marks nothing", async (folder) => {
    const task = await taskAt(folder, "implement");
    task.write("CONTROL.md", "- [ ] PAUSE\n- [ ] STATUS\n- [ ] RETRY\n");
    const report = await task.pass("--dry-run");
    assert.deepEqual([report.exit_code, controlled(task), task.exists("artifacts/status.md")], [25, [], false]);
    assert.equal(task.read("CONTROL.md"), "- [ ] PAUSE\n- [ ] STATUS\n- [ ] RETRY\n");
  });

  it("a done task stays done under a PAUSE", async (folder) => {
    const task = await taskAt(folder, "done");
    task.write("CONTROL.md", "- [ ] PAUSE\n- [ ] RETRY\n");
    assert.equal((await task.pass()).exit_code, 0);
    assert.equal(task.read("CONTROL.md"), "- [ ] PAUSE\n- [x] RETRY (nothing to retry: the task is done)\n");
  });

  it("ABORT, SKIP and STATUS before a pass are ticked; ABORT ends that call and no later one", async (folder) => {
    const task = await taskAt(folder, "implement");
    task.write("CONTROL.md", "- [ ] SKIP it\n- [ ] STATUS\n- [ ] ABORT\n");
    const report = await task.pass();
    assert.deepEqual([report.exit_code, report.verdict, task.calls()], [25, null, 0]);
    assert.equal(report.reason, "aborted by a person: line 3 of CONTROL.md says ABORT");
    assert.equal(
      control(task),
      "- [x] SKIP it (done TIME, nothing to skip)\n- [x] STATUS (done TIME)\n- [x] ABORT (done TIME)\n",
    );
    assert.deepEqual(controlled(task), ["SKIP", "STATUS", "ABORT"]);
    assert.match(
      task.read("artifacts/status.md"),
      /^# Status: T-1\n[\s\S]*- Phase: implement\n- Pass: none is running\n/,
    );
    task.propose({ task: { "artifacts/more.md": "more\n" } });
    assert.equal((await task.pass()).exit_code, 0);
  });

  it("a CONTROL.md that cannot be read stops before the model, since a command may stand in it", async (folder) => {
    const task = await taskAt(folder, "implement");
    mkdirSync(path.join(task.taskDir, "CONTROL.md"));
    const report = await task.pass();
    assert.deepEqual([report.exit_code, task.calls()], [25, 0]);
    assert.match(report.reason, /paused, since CONTROL\.md cannot be read.*found a folder.*CONTROL\.md$/);
  });

  it("RETRY answers the runner's own question, clears a spent row of repairs, and goes back to review", async (folder) => {
    const task = await taskAt(folder, "review", { contract: ["retries_per_failure: 0", validator] });
    task.propose({ output: "I looked at it\n" });
    assert.equal((await task.pass()).to, "needs_user_decision");
    assert.equal((await task.pass()).exit_code, 22);
    task.write("CONTROL.md", "# Control\n\nretry\n");
    const before = task.read("DECISIONS.md");
    assert.equal((await task.pass("--dry-run")).from, "review");
    assert.deepEqual([task.read("DECISIONS.md"), task.read("CONTROL.md")], [before, "# Control\n\nretry\n"]);
    task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) } });
    const report = await task.pass();
    assert.deepEqual([report.exit_code, report.from, report.to], [0, "review", "done"]);
    assert.match(task.read("DECISIONS.md"), /- Answer: continue as it is \(RETRY in CONTROL\.md, \S+\)\n/);
    assert.equal(control(task), "# Control\n\n[x] retry (done TIME)\n");
  });

  it("RETRY answers no question about the work, and is ticked with the reason", async (folder) => {
    const task = await taskAt(folder, "shape");
    task.propose({ task: { "STATE.md": stateFile({ phase: "needs_user_decision" }), "DECISIONS.md": openQuestion } });
    assert.equal((await task.pass()).to, "needs_user_decision");
    task.write("CONTROL.md", "RETRY\n");
    const ticked = "[x] RETRY (nothing to retry: Q1 waits for an answer)\n";
    assert.deepEqual([(await task.pass()).exit_code, task.read("CONTROL.md")], [22, ticked]);
    assert.equal(task.read("DECISIONS.md"), openQuestion);

    const working = await taskAt(`${folder}-working`, "shape");
    working.propose({ task: { "DECISIONS.md": openQuestion } });
    assert.deepEqual([(await working.pass()).exit_code, working.calls()], [22, 1]);
    working.write("CONTROL.md", "RETRY\n");
    assert.deepEqual([(await working.pass()).exit_code, working.calls()], [22, 1]);
    assert.match(working.read("CONTROL.md"), /^\[x\] RETRY \(done \S+, Q1 waits for an answer\)\n$/);
  });

  it("commands in plain words are obeyed, an unknown one is warned of, and code, quotes and comments are not read", async (folder) => {
    const task = await taskAt(folder, "implement");
    task.write("CONTROL.md", "```\nABORT\n```\n\n> ABORT\n\n<!-- ABORT -->\n\nstop\n\nStatus\n");
    task.propose({ task: { "artifacts/more.md": "more\n" } });
    const report = await task.pass();
    const warned = report.findings.filter(({ code }) => code === "TP_CONTROL_WORD");
    assert.deepEqual([report.exit_code, warned.map(({ line }) => line), controlled(task)], [0, [9], ["STATUS"]]);
    assert.match(control(task), /\n\nstop\n\n\[x\] Status \(done TIME\)\n$/);
    task.write("CONTROL.md", "abort\n");
    const aborted = await task.pass();
    assert.deepEqual([aborted.exit_code, aborted.verdict, control(task)], [25, null, "[x] abort (done TIME)\n"]);
    task.write("CONTROL.md", `${task.read("CONTROL.md")}Pause\n`);
    assert.deepEqual([(await task.pass()).exit_code, (await task.pass()).exit_code], [25, 25]);
    assert.equal(control(task), "[x] abort (done TIME)\n[ ] Pause (seen TIME)\n");
    assert.deepEqual(controlled(task), ["STATUS", "ABORT", "PAUSE"]);
  });

  it("an agent's RETRY is refused, and its ABORT stops its own pass", async (folder) => {
    const task = await world.taskAt(folder, "implement");
    task.propose({ task: { "artifacts/more.md": "more\n", "CONTROL.md": "- [ ] RETRY\n- [ ] ABORT\n" } });
    const report = await task.pass();
    // The agent may have ended already when CONTROL.md is read.
    assert.ok(report.exit_code === 25 && ["accepted", "interrupted"].includes(report.verdict ?? ""));
    assert.equal(control(task), "- [x] RETRY (refused: written during pass 1)\n- [x] ABORT (done TIME)\n");
    assert.deepEqual(controlled(task), ["ABORT"]);
    assert(report.findings.some(({ code, line }) => code === "TP_CONTROL_RETRY" && line === 1));
  });

  it("ABORT during a pass: the model is ended, the verdict interrupted, exit 25, and the next pass runs", async (folder) => {
    const task = await taskAt(folder, "implement");
    const before = task.state();
    const report = await during(task, "- [ ] ABORT\n");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [25, "interrupted", "implement"]);
    assert.equal(report.reason, "a person's ABORT in CONTROL.md stopped it");
    assert.deepEqual([control(task), controlled(task)], ["- [x] ABORT (done TIME)\n", ["ABORT"]]);
    const told = { Status: "runnable: a person aborted pass 1; the next run continues" };
    const bare = (text: string) => withFields(text, { ...told, "Last updated": "" }).split("## Phases")[0];
    assert.deepEqual([fieldOf(task.state(), "Status"), bare(task.state())], [told.Status, bare(before)]);
    assert.equal((await task.command("check")).code, 0);
  });

  it("PAUSE and STATUS during a pass: it ends as usual, and the next one does not begin", async (folder) => {
    const task = await taskAt(folder, "implement");
    const report = await during(task, "- [ ] PAUSE\n- [ ] STATUS\n", "1.3");
    assert.deepEqual([report.exit_code, report.verdict], [0, "accepted"]);
    assert.equal(control(task), "- [ ] PAUSE (seen TIME)\n- [x] STATUS (done TIME)\n");
    assert.match(
      task.read("artifacts/status.md"),
      /- Pass: 1, started in implement\n- Stage: EXEC\n- Model: prepared\n/,
    );
    assert.equal((await task.pass()).exit_code, 25);
    assert.deepEqual(controlled(task), ["PAUSE", "STATUS"]);
  });

  it("SKIP during a repair gives that attempt up: exit 25, counted as a repair", async (folder) => {
    const task = await taskAt(folder, "repair");
    const repairs = async () => (await task.command("status", "--json")).json().repairs;
    const before = await repairs();
    const report = await during(task, "- [ ] SKIP\n");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [25, "interrupted", "repair"]);
    assert.deepEqual([control(task), controlled(task)], ["- [x] SKIP (done TIME)\n", ["SKIP"]]);
    assert.equal(await repairs(), Number(before) + 1);
  });

  it("SKIP outside repair has nothing to skip, and the pass goes on", async (folder) => {
    const task = await taskAt(folder, "implement");
    const report = await during(task, "- [ ] SKIP\n", "0.1");
    assert.deepEqual([report.exit_code, report.verdict], [0, "accepted"]);
    assert.equal(control(task), "- [x] SKIP (done TIME, nothing to skip)\n");
  });

  it("ABORT while validators run: interrupted, and STATE.md as it was", async (folder) => {
    const contract = ["validators: [{ name: tests, command: [sh, -c, 'touch ../started; sleep 10'], timeout: 30s }]"];
    const task = await taskAt(folder, "verify", { contract });
    task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) } });
    const report = task.pass();
    while (!world.exists(path.join("cases", folder, "started"))) await sleep(20);
    task.write("CONTROL.md", "- [ ] ABORT\n");
    const { exit_code, verdict, to } = await report;
    assert.deepEqual([exit_code, verdict, to, fieldOf(task.state(), "Phase")], [25, "interrupted", "verify", "verify"]);
  });

  it("ABORT while the run before the work runs: no model, exit 25", async (folder) => {
    const contract = ["validators: [{ name: tests, command: [sh, -c, 'touch ../started; sleep 10'], timeout: 30s }]"];
    const task = await taskAt(folder, "implement", {
      contract,
      events: async (place) => (await eventsAt("implement", place)).filter(({ type }) => type !== "before"),
    });
    const report = task.pass();
    while (!world.exists(path.join("cases", folder, "started"))) await sleep(20);
    task.write("CONTROL.md", "- [ ] ABORT\n");
    const { exit_code, verdict } = await report;
    assert.deepEqual([exit_code, verdict, task.calls(), control(task)], [25, null, 0, "- [x] ABORT (done TIME)\n"]);
  });

  it("a RETRY that stands there when a pass was cut off is refused, since that pass could write it", async (folder) => {
    const task = await taskAt(folder, "implement", {
      events: async (place) => [...(await eventsAt("implement", place)), passStarted(1, { model: "prepared" })],
    });
    task.write("CONTROL.md", "- [ ] RETRY\n");
    task.propose({ task: { "artifacts/more.md": "more\n" } });
    const report = await task.pass();
    assert.deepEqual([report.exit_code, report.pass], [0, 2]);
    assert.deepEqual([control(task), controlled(task)], ["- [x] RETRY (refused: written during pass 1)\n", []]);
  });
  await Promise.all(cases);
});

test("RETRY lets a stopped task go on in the phase where it stopped, and clears what stopped it", async (t) => {
  const stuckPlan = [
    "honest",
    "honest",
    "honest",
    "fails Same",
    "fails Same",
    "fails Same",
    "fails Same",
    "fails Same",
  ];
  const spec = { contract: ["retries_per_failure: 0"], plan: stuckPlan.slice(0, 4) };
  const world = await makeLoopWorld(t, {
    "T-1": spec,
    "T-2": { contract: ["retries_per_failure: 0"], plan: ["idle"] },
  });
  const stopped = await world.loop();
  assert.deepEqual([stopped.exit_code, world.phase("T-1"), world.phase("T-2")], [21, "blocked", "intake"]);
  const standing = async (task: string) => (await world.status("--task-dir", world.path(`tasks/${task}`))).standing;
  assert.deepEqual([await standing("T-1"), await standing("T-2")], ["stuck", "stuck"]);
  world.write("tasks/T-1/CONTROL.md", "- RETRY, the server is back\n");
  world.write("tasks/T-2/CONTROL.md", "RETRY\n");
  assert.deepEqual([await standing("T-1"), await standing("T-2")], ["runnable", "runnable"]);
  rmSync(world.path("repos/T-1/broken.txt"));
  const calls = world.calls().length;
  const again = await world.loop();
  assert.deepEqual([again.exit_code, world.phase("T-1"), world.phase("T-2")], [0, "done", "done"]);
  assert.deepEqual(world.calls().slice(calls, calls + 1), ["T-1 verify"]);
  const resumed = world.events("T-1").flatMap((event) => (event.type === "resumed" ? [event] : []));
  assert.deepEqual(
    resumed.map(({ from, to, reason }) => [from, to, reason]),
    [["blocked", "verify", "RETRY in CONTROL.md"]],
  );
  assert.equal((await world.call("task-phase", ["check", "--tasks-root", world.tasks])).code, 0);
});

test("an ABORT on one task of a root ends the whole loop, and a PAUSE only holds that task", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} });
  world.write("tasks/T-1/CONTROL.md", "- [ ] ABORT\n");
  const aborted = await world.loop();
  assert.deepEqual([aborted.exit_code, world.calls()], [25, []]);
  assert.match(world.read("tasks/T-1/CONTROL.md"), /^- \[x\] ABORT/);
  world.write("tasks/T-1/CONTROL.md", "- [ ] PAUSE\n");
  const paused = await world.loop("--max-passes", "1");
  assert.deepEqual([paused.exit_code, world.calls()], [3, ["T-2 intake"]]);
});
