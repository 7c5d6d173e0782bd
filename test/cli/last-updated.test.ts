import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsAt, fieldOf } from "./task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase } from "./task-world.ts";

const later = "2031-02-03T04:05:06.000Z";

test("Last updated is the time of each change that the runner makes in STATE.md", async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const call = async (
    task: TaskCase,
    command: string,
    args: readonly string[] = [],
    { now = new Date(later), code = 0 } = {},
  ) => {
    const end = await world.call("task-phase", [command, "--task-dir", task.taskDir, ...args], { now });
    assert.equal(end.code, code, end.stderr);
  };
  const assertUpdated = async (task: TaskCase, fields: Readonly<Record<string, string>>) => {
    const expected = { ...fields, "Last updated": later };
    const found = Object.keys(expected).map((label) => [label, fieldOf(task.state(), label)]);
    assert.deepEqual(Object.fromEntries(found), expected);
    assert.match(task.state(), new RegExp(`^ {2}${fields.Phase} : ${fields.Phase} \\(now\\)$`, "m"));
    await call(task, "check");
  };
  const cancelled =
    "cancelled: by a person; RETRY in CONTROL.md or task-phase resume T-1 --to implement --reason TEXT continues it";

  it("cancel and resume", async (name) => {
    const task = await world.taskAt(name, "implement");
    await call(task, "cancel");
    await assertUpdated(task, { Phase: "implement", Status: cancelled });
    task.edit({ "Next step": "the edit of a person" });
    await call(task, "resume", ["--to", "implement", "--reason", "again"]);
    await assertUpdated(task, { Phase: "implement", Status: "in progress" });
  });

  it("resume of a task that is cancelled, in the phase where it was", async (name) => {
    const task = await world.taskAt(name, "implement");
    await call(task, "cancel", [], { now: new Date("2030-01-01T00:00:00Z") });
    await call(task, "resume", ["--to", "implement", "--reason", "again"]);
    await assertUpdated(task, { Phase: "implement", Status: "in progress" });
  });

  it("resume that starts a journal", async (name) => {
    const task = await world.makeTask(name, { state: { phase: "done" }, events: null });
    await call(task, "resume", ["--to", "intake", "--reason", "again"]);
    await assertUpdated(task, { Phase: "intake", Status: "in progress" });
  });

  it("a brief that a person edited", async (name) => {
    const task = await world.makeTask(name, {
      state: { phase: "implement", fields: { "Validator status": "fail" } },
      events: (place) => eventsAt("implement", place),
    });
    task.write("README.md", task.read("README.md").replace("title: ", "title: New "));
    await call(task, "resume", ["--to", "implement", "--reason", "again"], { code: 20 });
    await assertUpdated(task, { Phase: "implement", "Validator status": "pending" });
  });

  it("the Evidence link that evidence renews", async (name) => {
    const task = await world.taskAt(name, "implement", { files: { "EVIDENCE.md": "# Evidence\n" } });
    await call(task, "evidence");
    await assertUpdated(task, {
      Phase: "implement",
      "Evidence link": "[EVIDENCE.md](EVIDENCE.md), [artifacts/report.md](artifacts/report.md)",
    });
  });

  await Promise.all(cases);
});
