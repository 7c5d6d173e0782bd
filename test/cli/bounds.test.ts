import assert from "node:assert/strict";
import { test } from "node:test";
import { stateFile } from "./task-states.ts";
import { goodRepo, makeCases, makeTaskWorld, validator } from "./task-world.ts";

test("a repair that is broader than its bounds", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const repairs = async (folder: string, bounds: string, files: Record<string, string>) => {
    const task = await world.taskAt(folder, "repair", { contract: [validator, `bounds: ${bounds}`] });
    world.initRepo({ ...goodRepo, "old.txt": "1\n2\n3\n" }, `cases/${folder}/repo`);
    task.propose({ task: { "STATE.md": stateFile({ phase: "verify" }) }, repo: files });
    return { task, report: await task.pass() };
  };

  it("is told with its figures, in the report and in the evidence", async (folder) => {
    const files = { "a.txt": "a\n", "old.txt": "1\n2\nthree\n" };
    const { task, report } = await repairs(folder, "{ repair: { lines: 2 } }", files);
    assert.equal(report.verdict, "accepted", report.reason);
    const told = "the pass changed 2 files and 3 lines in repair; its bounds are 20 files and 2 lines";
    assert.deepEqual(
      report.findings.filter(({ code }) => code === "TP_BOUNDS").map(({ severity, message }) => [severity, message]),
      [["warning", told]],
    );
    assert.ok(task.read("EVIDENCE.md").includes(told));
    assert.ok(task.read("artifacts/evidence.html").includes(told));
  });

  it("is rejected with `over: block`, and the next prompt says by how much", async (folder) => {
    const { task, report } = await repairs(folder, "{ repair: { files: 1 }, over: block }", {
      "a.txt": "",
      "b.txt": "",
    });
    assert.deepEqual([report.verdict, report.to, report.exit_code], ["rejected", "repair", 20], report.reason);
    assert.deepEqual(
      report.tickets.map(({ id, source }) => [id, source]),
      [["bounds:repair", "bounds"]],
    );
    const prompt = await task.command("run", "--dry-run");
    assert.match(prompt.stdout, /the pass changed 2 files and 0 lines in repair; its bounds are 1 file and 400 lines/);
    assert.match(prompt.stdout, /at most 1 file and 400 lines/);
  });

  await Promise.all(cases);
});
