import assert from "node:assert/strict";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { sweepState } from "../../../lib/store/state-home.ts";
import { watchDisk } from "../../store/recorded-disk.ts";
import { makeCutTask } from "./cut-off.ts";

const old = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);

test("half-written files of a killed run are removed from every folder that a pass writes in", async (t) => {
  const task = await makeCutTask(t, "implement");
  task.propose({ task: { "STATE.md": task.state().replace(/^- Phase: \w+$/m, "- Phase: verify") } });
  const disk = watchDisk(task.folder.replace(/\/cases\/.*/, ""));
  try {
    assert.equal((await task.pass()).verdict, "accepted");
  } finally {
    disk.restore();
  }
  const world = task.folder.replace(/\/cases\/.*/, "");
  const folders = new Set(
    disk.calls.flatMap((call) => (/^open \S+\/\.tp-\*\.tmp$/.test(call) ? [join(world, dirname(call.slice(5)))] : [])),
  );
  const leave = (): string[] =>
    [...folders].map((folder) => {
      // The staging goes with its pass, and comes with the next.
      mkdirSync(folder, { recursive: true });
      const path = join(folder, ".tp-0123456789abcdef.tmp");
      writeFileSync(path, "half");
      utimesSync(path, old, old);
      return path;
    });
  const isThere = (path: string): boolean => existsSync(path);

  // By the next run of the task, in its own folders.
  const own = leave().filter((path) => [task.taskDir, task.anchor.folder].some((folder) => path.startsWith(folder)));
  assert.ok(own.length > 5, own.join("\n"));
  own.push(join(task.taskDir, "../.task-phase/locks/.tp-0123456789abcdef.tmp"));
  writeFileSync(own.at(-1) ?? "", "half");
  await task.recover();
  assert.deepEqual(own.filter(isThere), []);

  // Once a day, in those that other tasks write in too.
  const home = join(world, "state", "task-phase");
  const all = leave().filter((path) => path.startsWith(home));
  assert.ok(all.some((path) => !own.includes(path)));
  writeFileSync(join(home, "sweep.lock"), "");
  utimesSync(join(home, "sweep.lock"), old, old);
  sweepState(home);
  assert.deepEqual(all.filter(isThere), []);
});
