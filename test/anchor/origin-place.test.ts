import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { recordOwner, sweepOrigins } from "../../lib/anchor/origin-place.ts";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { keepOrigin } from "../../lib/proof/origin.ts";
import { makeWorld } from "../cli/arrange.ts";

test("the work as at pass 1 goes with its task's folder, and stays as long as the tasks root is missing too", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.txt": "a\n" });
  const fingerprint = await takeFingerprint(repo, [], world.env);
  const tasks = { one: "tasks/T-1", two: "tasks/T-2", three: "unmounted/T-3" };
  for (const [name, task] of Object.entries(tasks)) {
    const place = { folder: world.path("kept/tasks", name, "origin"), pool: world.path("kept/origins") };
    world.write(`${task}/README.md`, "a task\n");
    assert.equal(await keepOrigin(place, repo, fingerprint), null);
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
