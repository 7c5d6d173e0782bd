import assert from "node:assert/strict";
import { rmSync, symlinkSync, utimesSync } from "node:fs";
import { test } from "node:test";
import { takeFingerprint } from "../../../lib/git/fingerprint.ts";
import { saveOrigin } from "../../../lib/task/origin.ts";
import { recordOwner, sweepOrigins } from "../../../lib/task/records/origin-place.ts";
import { makeWorld } from "../../cli/arrange.ts";

test("the work as at pass 1 goes with its task's folder, and stays as long as the tasks root is missing too", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.txt": "a\n" });
  const fingerprint = await takeFingerprint(repo, [], world.env);
  const tasks = { one: "tasks/T-1", two: "tasks/T-2", three: "unmounted/T-3" };
  for (const [name, task] of Object.entries(tasks)) {
    const place = { folder: world.path("kept/tasks", name, "origin"), pool: world.path("kept/origins") };
    world.write(`${task}/README.md`, "a task\n");
    assert.equal(await saveOrigin(place, repo, fingerprint), null);
    recordOwner(place, world.path(task));
  }
  const kept = () => Object.keys(tasks).filter((name) => world.exists(`kept/tasks/${name}/origin`));
  sweepOrigins(world.path("kept"));
  assert.deepEqual(kept(), ["one", "two", "three"]);
  rmSync(world.path("tasks/T-1"), { recursive: true });
  rmSync(world.path("unmounted"), { recursive: true });
  sweepOrigins(world.path("kept"));
  assert.deepEqual(kept(), ["two", "three"]);
  sweepOrigins(world.path("nowhere"));
});

test("half-written files go from a task folder after a day, and nothing behind a link does", (t) => {
  const world = makeWorld(t);
  const [name, before] = [".tp-0123456789abcdef.tmp", new Date(Date.now() - 25 * 60 * 60 * 1000)];
  const old = ["tasks/T-1", "tasks/T-1/artifacts", "tasks/T-1/artifacts/passes/0001"].map((at) => `${at}/${name}`);
  const kept = [
    ...["tasks/T-1/artifacts/passes/0001/.tp-fedcba9876543210.tmp", "tasks/T-1/artifacts/x.tmp"],
    ...[`elsewhere/${name}`, `elsewhere/passes/0001/${name}`],
  ];
  for (const file of [...old, ...kept]) world.write(file, "half");
  for (const file of [...old, ...kept.slice(1)]) utimesSync(world.path(file), before, before);
  world.write("tasks/T-2/README.md", "a task\n");
  symlinkSync(world.path("elsewhere"), world.path("tasks/T-2/artifacts"));
  for (const task of ["T-1", "T-2"]) {
    world.write(`kept/tasks/${task}/origin/origin.json`, "{}");
    recordOwner({ folder: world.path("kept/tasks", task, "origin"), pool: "" }, world.path("tasks", task));
  }
  sweepOrigins(world.path("kept"));
  assert.deepEqual(
    [...old, ...kept].filter((file) => world.exists(file)),
    kept,
  );
});
