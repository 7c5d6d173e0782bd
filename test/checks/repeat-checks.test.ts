import assert from "node:assert/strict";
import { test } from "node:test";
import { runBeforeChecks } from "../../lib/checks/repeat-checks.ts";
import { makeContractWorld } from "./contract-world.ts";

const ignoring = { ".gitignore": "*.db\n*.log\n*.pyc\n" };

test("checks that pass and leave nothing, or only caches, are not repeated", async (t) => {
  const world = makeContractWorld(t, ignoring);
  const found = await runBeforeChecks(world.request([world.check("tests", "touch debug.log a.pyc .coverage.log")]));
  assert.deepEqual([found?.troubles, world.count("tests")], [[], 1]);
});

test("checks that leave an ignored file run once more, and one that fails then is named with the file", async (t) => {
  const world = makeContractWorld(t, ignoring);
  const found = await runBeforeChecks(world.request([world.check("tests", "test ! -e rows.db && touch rows.db")]));
  assert.deepEqual(found?.troubles, [
    "tests passes once and not again: what it leaves in rows.db, which git ignores, is in the way; have the check remove it first",
  ]);
  assert.equal(found?.run.results[0]?.status, "pass");
  const fine = makeContractWorld(t, ignoring);
  const again = await runBeforeChecks(fine.request([fine.check("tests", "touch rows.db")]));
  assert.deepEqual([again?.troubles, fine.count("tests")], [[], 2]);
});

test("an ignored file that was there before is nothing that the checks leave", async (t) => {
  const world = makeContractWorld(t, ignoring);
  world.write("repo/rows.db", "");
  await runBeforeChecks(world.request([world.check("tests", "touch rows.db")]));
  assert.equal(world.count("tests"), 1);
});

test("checks that fail are not repeated for what they leave", async (t) => {
  const world = makeContractWorld(t, ignoring);
  const found = await runBeforeChecks(
    world.request([world.check("tests", "touch rows.db; exit 1")], { isBaseline: true }),
  );
  assert.deepEqual([found?.troubles, world.count("tests")], [[], 1]);
});

test("checks that change the repo each time are named with what they change", async (t) => {
  const world = makeContractWorld(t);
  const found = await runBeforeChecks(world.request([world.check("tests", 'wc -l < "$OUT/tests" > a.txt')]));
  assert.deepEqual(found?.troubles, [
    "the checks change a.txt each time that they run: put that into .gitignore, or have it written elsewhere",
  ]);
});

test("after a signal nothing is known", async (t) => {
  const world = makeContractWorld(t);
  const request = world.request([world.check("tests", "true")]);
  const ports = { ...request.ports, signal: AbortSignal.abort("SIGTERM") };
  assert.equal(await runBeforeChecks({ ...request, ports }), null);
});
