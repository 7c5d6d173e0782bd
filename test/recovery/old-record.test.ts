import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { anchorFolder } from "../../lib/anchor/anchor.ts";
import type { CurrentPass } from "../../lib/anchor/anchor-shapes.ts";
import { readCurrent, recordCurrent } from "../../lib/anchor/records.ts";
import { guardedPaths } from "../../lib/task/guarded-paths.ts";
import { write } from "../git/git-repo.ts";
import { type CutTask, makeCutTask } from "./cut-off.ts";

const files = {
  "README.md": "another brief\n",
  "STATE.md": "another state\n",
  "artifacts/journal.jsonl": "{}\n",
  "artifacts/passes/0001/pass.json": "{}\n",
};

interface OldTask extends CutTask {
  /** The folder of the other task, and what is at a path in it; null if nothing is. */
  readonly other: string;
  inOther(name: string): string | null;
}

/**
 * A pass that was cut off while its model worked, with the record that the version before made: everything entry by
 * entry in current.json, other tasks too, each file with a copy in the anchor under its digest.
 */
async function cutOffBefore(t: TestContext, head: string | null): Promise<OldTask> {
  const task = await makeCutTask(t, "shape");
  const { place, anchor, ports } = task;
  const other = join(place.tasksRoot, "T-2");
  write(other, files);
  task.propose({ repo: { "more.txt": "work\n" } });
  await task.cutOff(/^rename .*checkpoint-/);
  const {
    trees: _new,
    started: _started,
    ...current
  } = readCurrent(anchor.folder) ?? assert.fail("no pass was cut off");
  const paths = guardedPaths(place, current.config_paths, [other], current.repo);
  const old: CurrentPass = {
    ...current,
    manifest: anchor.store.record(paths.roots, paths),
    other_heads: { [other]: head },
  };
  recordCurrent(anchor, old);
  rmSync(join(ports.env.XDG_STATE_HOME ?? "", "task-phase", "trees"), { recursive: true });
  const written = readFileSync(join(anchor.folder, "current.json"), "utf8");
  assert.equal(/"(?:trees|at)":/.test(written), false);
  assert.equal(written.includes(join(other, "artifacts/passes/0001/pass.json")), true);
  const inOther = (name: string) => (existsSync(join(other, name)) ? readFileSync(join(other, name), "utf8") : null);
  return { ...task, other, inOther };
}

/** What the model did to both tasks. */
function forge({ other, taskDir }: OldTask): void {
  write(other, { "README.md": "forged\n", "artifacts/passes/0001/new.txt": "forged\n" });
  rmSync(join(other, "artifacts/passes/0001/pass.json"));
  write(taskDir, { "README.md": "forged\n", "artifacts/passes/0001/prompt.md": "forged\n" });
}

test("a pass that the version before recorded is put back from its record, other tasks and earlier passes too", async (t) => {
  const task = await cutOffBefore(t, null);
  const [brief, prompt] = [task.read("README.md"), task.read("artifacts/passes/0001/prompt.md")];
  forge(task);
  const [finding] = await task.recover();
  const restored = finding?.message.split("restored: ")[1]?.split(", ").sort();
  assert.deepEqual(restored, [
    "README.md",
    "artifacts/passes/0001/prompt.md",
    "tasks/T-2/README.md",
    "tasks/T-2/artifacts/passes/0001/new.txt",
    "tasks/T-2/artifacts/passes/0001/pass.json",
  ]);
  assert.deepEqual([...Object.keys(files), "artifacts/passes/0001/new.txt"].map(task.inOther), [
    ...Object.values(files),
    null,
  ]);
  assert.deepEqual([task.read("README.md"), task.read("artifacts/passes/0001/prompt.md")], [brief, prompt]);
  assert.equal(task.read("artifacts/passes/0001/kept/tasks/T-2/README.md"), "forged\n");
  assert.deepEqual(await task.recover(), []);
  task.propose({ repo: { "more.txt": "more work\n" } });
  assert.equal((await task.pass()).pass, 2);
});

test("what another runner did to its task since then stays", async (t) => {
  const task = await cutOffBefore(t, "a".repeat(64));
  const { other, ports } = task;
  write(anchorFolder(other, ports), { "head.txt": "b".repeat(64) });
  forge(task);
  const [finding] = await task.recover();
  assert.match(finding?.message ?? "", /restored: README\.md, artifacts\/passes\/0001\/prompt\.md$/);
  assert.equal(task.inOther("README.md"), "forged\n");
});

test("a copy that the version before made and that is gone is told of, and nothing else is put in its place", async (t) => {
  const task = await cutOffBefore(t, null);
  rmSync(join(task.anchor.folder, "copies"), { recursive: true });
  forge(task);
  await task.recover();
  const last = task.events().at(-1);
  const told = last?.type === "verdict" ? last.tampering.map(({ path, restored }) => `${path} ${restored}`) : [];
  assert.deepEqual(told.sort(), [
    "README.md false",
    "artifacts/passes/0001/prompt.md false",
    "tasks/T-2/README.md false",
    "tasks/T-2/artifacts/passes/0001/new.txt true",
    "tasks/T-2/artifacts/passes/0001/pass.json false",
  ]);
  assert.deepEqual([task.inOther("README.md"), task.inOther("artifacts/passes/0001/new.txt")], ["forged\n", null]);
});
