import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeLoopWorld } from "../cli/loop-world.ts";
import { eventsAt, fieldOf } from "../cli/task-states.ts";
import { makeTaskWorld } from "../cli/task-world.ts";

const page = "artifacts/evidence.html";

describe("the pages of a task show its standing after", () => {
  test("resume: a task that was done is no longer, and its report says so in its first line", async (t) => {
    const world = await makeLoopWorld(t, { A: {} });
    assert.equal((await world.loop()).exit_code, 0);
    const read = (name: string) => world.read(`tasks/A/${name}`);
    const report = read("SUMMARY.md");
    assert.match(read("EVIDENCE.md"), /\*\*Done\. /);
    for (const reason of ["more", "and more"]) {
      const words = ["resume", "--task-dir", world.path("tasks/A"), "--to", "intake", "--reason", reason];
      assert.equal((await world.call("task-phase", words)).code, reason === "more" ? 0 : 20);
      assert.match(read("EVIDENCE.md"), /\*\*In intake\*\*/);
      assert.doesNotMatch(read("EVIDENCE.md"), /\*\*Done\. /);
      assert.match(read(page), /In intake/);
      const [first, ...rest] = read("SUMMARY.md").split("\n\n");
      const present = "[EVIDENCE.md](EVIDENCE.md) shows the present state.";
      assert.match(first ?? "", /^> The task was reopened on \S+: this is the report of its last `done`\./);
      assert.deepEqual([first?.endsWith(present), rest.join("\n\n")], [true, report]);
    }
  });

  test("a person's edit to blocked, and Status is the standing", async (t) => {
    const world = makeTaskWorld(t);
    const task = await world.makeTask("one", {
      state: { phase: "implement" },
      events: (place) => eventsAt("implement", place),
    });
    assert.equal((await task.command("evidence")).code, 0);
    assert.match(task.read("EVIDENCE.md"), /\*\*In implement/);
    task.edit({ Phase: "blocked", Blockers: "no licence" });
    assert.equal((await task.pass()).exit_code, 21);
    assert.equal(fieldOf(task.state(), "Status"), "blocked: no licence");
    for (const file of ["EVIDENCE.md", page]) {
      assert.match(task.read(file), /Blocked/);
      assert.doesNotMatch(task.read(file), /In implement/);
    }
  });
});
