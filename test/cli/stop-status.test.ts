import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { decisionsFile, eventsAt, fieldOf, stateFile } from "./task-states.ts";
import { makeTaskWorld, type TaskCase, type TaskSpec, validator } from "./task-world.ts";

const status = (task: TaskCase) => fieldOf(task.state(), "Status");

test("STATE.md's Status at a stop is the standing and why", async (t) => {
  const world = makeTaskWorld(t);
  const taskAt = (folder: string, phase: Phase, spec: Partial<TaskSpec> = {}) =>
    world.makeTask(folder, { state: { phase }, events: (place) => eventsAt(phase, place), ...spec });

  await t.test("a repeated failure is stuck, and resume reports that the task goes on", async () => {
    const task = await taskAt("stuck", "verify", {
      contract: ["retries_per_failure: 0", "validators: [{ name: npm test, command: [sh, -c, exit 1] }]"],
    });
    task.propose({ task: { "STATE.md": stateFile({ phase: "review", fields: { Status: "all good" } }) } });
    assert.equal((await task.pass()).to, "blocked");
    assert.equal(status(task), "stuck: npm test fails");
    const told = (await world.call("task-phase", ["status", "--task-dir", task.taskDir, "--json"])).json();
    assert.deepEqual([told.standing, told.why, told.who], ["stuck", "npm test fails", "person"]);
    assert.match(task.read("EVIDENCE.md"), /\*\*Stuck: npm test fails\*\*/);
    const resume = ["resume", "--task-dir", task.taskDir, "--to", "verify", "--reason", "fixed"];
    assert.equal((await world.call("task-phase", resume)).code, 0);
    assert.equal(status(task), "in progress");
    assert.equal((await world.call("task-phase", ["check", "--task-dir", task.taskDir])).code, 0);
  });

  await t.test("the runner's own question is answered by resume, so that the next run goes on", async () => {
    const task = await taskAt("review", "review", {
      contract: ["retries_per_failure: 0", "validators: [{ name: npm test, command: [sh, -c, exit 1] }]"],
    });
    task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) }, output: "<promise>COMPLETE</promise>\n" });
    assert.equal((await task.pass()).to, "needs_user_decision");
    assert.match(task.read("DECISIONS.md"), /^- Answer:$/m);
    const resume = ["resume", "--task-dir", task.taskDir, "--to", "repair", "--reason", "try <b>once</b>\nmore"];
    const end = await world.call("task-phase", resume);
    assert.deepEqual([end.code, end.stderr.includes("is open")], [0, false]);
    assert.match(task.read("DECISIONS.md"), /^- Answer: .*continue: try .*once.* more/m);
    task.propose({ output: "nothing\n" });
    const calls = task.calls();
    assert.deepEqual([(await task.pass()).exit_code, task.calls()], [23, calls + 1], "a model was called");
    const { findings } = (await world.call("task-phase", ["check", "--task-dir", task.taskDir, "--json"])).json();
    const codes = (findings as { code: string }[]).map(({ code }) => code);
    assert.deepEqual(codes, ["TP_RECORD_MISSING"], "of the arranged pass alone");
  });

  await t.test("a spent budget is blocked; a person's edit of the phase lets it go on", async () => {
    const task = await taskAt("spent", "implement", {
      contract: ["budget: { passes: 12 }", validator],
      events: async (place) => [
        ...(await eventsAt("implement", place)),
        ...Array.from({ length: 12 }, (_, index): TaskEvent => {
          return verdictEvent("implement", "implement", place, { pass: index + 1 });
        }),
      ],
    });
    assert.equal((await task.pass()).to, "blocked");
    assert.equal(status(task), "blocked: all 12 passes of the budget are spent");
    task.write("README.md", task.read("README.md").replace("passes: 12", "passes: 13"));
    task.write("STATE.md", task.state().replace("Phase: blocked", "Phase: implement"));
    task.propose({ task: { "STATE.md": stateFile({ phase: "verify", fields: { Status: "candidate is there" } }) } });
    assert.equal((await task.pass()).to, "verify");
    assert.equal(status(task), "candidate is there");
    const edited = task.events().findLast((event) => event.type === "state_edited");
    assert.equal(fieldOf(edited?.state ?? "", "Status"), "in progress");
  });

  await t.test("an agent's question is named, whatever is in its title, and its answer lets it go on", async () => {
    const task = await taskAt("asks", "shape", { contract: [validator] });
    const decisions = decisionsFile("").replace("Which encoding?", "Which <b>encoding</b>, *really*?");
    assert.match(decisions, /really/);
    task.propose({ task: { "STATE.md": stateFile({ phase: "needs_user_decision" }), "DECISIONS.md": decisions } });
    assert.equal((await task.pass()).to, "needs_user_decision");
    assert.match(status(task) ?? "", /^asks: Q1 Which .*encoding.*, really\?$/);
    assert.match(task.read("EVIDENCE.md"), /Asks: Q1 Which .*\n.*\n.*DECISIONS\.md:\d+/);
    task.write("DECISIONS.md", decisions.replace("- Answer:", "- Answer: UTF-8"));
    task.propose({
      task: { "STATE.md": stateFile({ phase: "shape", fields: { Status: "went on", "Next step": "build" } }) },
    });
    assert.equal((await task.pass()).verdict, "accepted");
    const answered = task.events().findLast((event) => event.type === "answered");
    assert.equal(fieldOf(answered?.state ?? "", "Status"), "in progress");
    assert.equal(status(task), "went on");
  });
});
