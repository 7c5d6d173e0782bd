import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, stateFile } from "./task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase } from "./task-world.ts";

const wish = "It must also export a version.";

test("a brief that a person changed in the middle", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const proposes = (task: TaskCase, fields = {}, notes = "") =>
    task.propose({ task: { "STATE.md": `${stateFile({ phase: "done", fields })}\n## Notes\n\n${notes}\n` } });
  const changed = async (folder: string, change = (text: string) => `${text}\n${wish}\n`) => {
    const task = await world.taskAt(folder, "implement");
    // The call keeps a copy of the brief as it was.
    task.write("README.md", task.read("README.md").replace("title: ", "priority: 1\ntitle: "));
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement", fields: { "Next step": "on" } }) } });
    await task.pass();
    task.write("README.md", change(task.read("README.md")));
    return task;
  };

  it("is told to the next pass with what changed, until something answers it", async (folder) => {
    const task = await changed(folder);
    const preview = await task.run("--dry-run");
    assert.match(preview.stdout, /A person changed the brief after the objective was stated/);
    assert.match(preview.stdout, new RegExp(`^\\+${wish}$`, "m"));
    assert.match(preview.stdout, /Bring `Objective` and `Done gate` in line with it/);
    const objective = `${fieldOf(task.state(), "Objective")}, and export a version`;
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement", fields: { Objective: objective } }) } });
    assert.equal((await task.pass()).verdict, "accepted");
    assert.doesNotMatch((await task.run("--dry-run")).stdout, /A person changed the brief/);
  });

  it("keeps done shut in review without an answer, and a word why is one", async (folder) => {
    const task = await world.taskAt(folder, "review");
    // The first call keeps a copy of the brief as it was.
    task.write("README.md", task.read("README.md").replace("title: ", "priority: 1\ntitle: "));
    task.propose({ task: { "STATE.md": stateFile({ phase: "review", fields: { "Next step": "on" } }) } });
    assert.equal((await task.pass()).verdict, "accepted");
    task.write("README.md", `${task.read("README.md")}\n${wish}\n`);
    proposes(task);
    const refused = await task.pass();
    assert.equal(refused.verdict, "rejected", refused.reason);
    const mark = /a person changed the brief, and nothing answers that: .*`Brief ([0-9a-f]{8}): /.exec(
      refused.reason,
    )?.[1];
    assert.ok(mark !== undefined, refused.reason);
    proposes(task, {}, `Brief ${mark}: the version is exported in line 3.`);
    const done = await task.pass();
    assert.deepEqual([done.verdict, done.to], ["accepted", "done"], done.reason);
    // The arranged pass 1 has no record.
    const { findings } = (await task.command("check", "--json")).json() as { findings: { message: string }[] };
    assert.deepEqual(
      findings.filter(({ message }) => !/pass 1\b/.test(message)),
      [],
    );
  });

  await Promise.all(cases);
});
