import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stateFile } from "./task-states.ts";
import { goodRepo, makeCases, makeTaskWorld, type TaskCase, validator } from "./task-world.ts";

const prd = (passes: boolean, extra = "") =>
  `{\n  "userStories": [{ "id": "US-1", "title": "t", "passes": ${passes}, "price": 1.50 }]${extra}\n}\n`;
const contract = [validator, "source: { prd: ../../repo/prd.json, story: US-1 }"];

test("the story that a task was made from says what the task is", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const inReview = async (folder: string) => {
    const task = await world.taskAt(folder, "verify", { contract, repo: { ...goodRepo, "prd.json": prd(false) } });
    task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) } });
    assert.equal((await task.pass()).to, "review");
    return task;
  };
  const story = (task: TaskCase) => readFileSync(join(task.folder, "repo/prd.json"), "utf8");
  const proposes = (task: TaskCase, phase: "done" | "implement", repo = {}) =>
    task.propose({ task: { "STATE.md": stateFile({ phase }) }, repo });

  it("is true once the task is done, and false again when a person reopens it", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    const done = await task.pass();
    assert.deepEqual([done.to, done.exit_code], ["done", 0], done.reason);
    assert.match(
      story(task),
      /"passes": true, "notes": "\[task-phase\] done; pass \d+ accepted: .*EVIDENCE\.md", "price": 1\.50 \}\]\n\}\n$/,
    );
    const status = await task.command("status");
    assert.doesNotMatch(status.stdout, /moved since/);

    assert.equal((await task.command("resume", "--to", "intake", "--reason", "again")).code, 0);
    assert.match(story(task), /"passes": false, "notes": "\[task-phase\] intake; /);
  });

  it("is false again after a pass of a task that is not done, even if somebody else claimed it", async (folder) => {
    const task = await world.taskAt(folder, "implement", { contract, repo: { ...goodRepo, "prd.json": prd(false) } });
    proposes(task, "implement", { "prd.json": prd(true), "work.txt": "work\n" });
    const report = await task.pass();
    assert.equal(report.verdict, "accepted", report.reason);
    assert.match(story(task), /"passes": false/);
  });

  it("is no part of the code: another task that writes there in the meantime moves nothing", async (folder) => {
    const task = await inReview(folder);
    writeFileSync(join(task.folder, "repo/prd.json"), prd(false, ', "other": "task"'));
    proposes(task, "done");
    const done = await task.pass();
    assert.deepEqual([done.verdict, done.to], ["accepted", "done"], done.reason);
  });

  for (const [what, breakIt] of [
    ["gone", (path: string) => rmSync(path)],
    ["read-only", (path: string) => chmodSync(path, 0o444)],
  ] as const) {
    it(`is reported as not written, and delays nothing, if the file is ${what}`, async (folder) => {
      const task = await inReview(folder);
      breakIt(join(task.folder, "repo/prd.json"));
      // A file that is gone is gone from the code too, if it was part of it.
      proposes(task, "done");
      const done = await task.pass();
      assert.deepEqual([done.verdict, done.to, done.exit_code], ["accepted", "done", 0], done.reason);
      assert.equal(
        done.findings.some(({ code }) => code === "TP_PRD_NOT_WRITTEN"),
        true,
      );
    });
  }

  it("is written back by the next run if the run that ended the task was cut off before", async (folder) => {
    const task = await inReview(folder);
    proposes(task, "done");
    await task.pass();
    writeFileSync(join(task.folder, "repo/prd.json"), prd(false));
    assert.equal((await task.run()).code, 0);
    assert.match(story(task), /"passes": true/);
  });

  await Promise.all(cases);
});
