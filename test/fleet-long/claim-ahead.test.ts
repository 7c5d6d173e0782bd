import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readAttempts } from "../../lib/rules/claim.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { codesOf, type Fleet, makeFleet, makeReviewed } from "../fleet/fleet-world.ts";

const charges = (fleet: Fleet) =>
  readAttempts(fleet.events("T-1") as unknown as TaskEvent[])
    .slice(1)
    .map(({ attempt, used }) => [attempt, used?.moneyUsd]);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

describe("a pass that begins with reviewers", { concurrency: 2 }, () => {
  test("is claimed before them, so that no other machine pays for reviewers of its own", async (t) => {
    const fleet = await makeReviewed(t);
    const wait = `touch '${fleet.path("asked")}'; until [ -e '${fleet.path("go")}' ]; do sleep 0.02; done`;
    const env = { REVIEW_FIRST: wait };
    const working = fleet.machine("one").pass("T-1", ["--attempt", "a1"], { env, apart: true });
    await until(() => fleet.exists("asked"));
    const refused = await fleet.machine("two").pass("T-1");
    assert.deepEqual([refused.exit_code, codesOf(refused)], [75, ["TP_CLAIMED"]], refused.reason);
    fleet.write("go", "");
    const report = await working;
    // The pass changes the frame, so its reviewers look at the new one first.
    assert.deepEqual([report.verdict, report.to], ["accepted", "shape"], report.reason);
    assert.deepEqual(fleet.calls(), ["first", "onesecurity", "one"]);
    assert.deepEqual(fleet.subjects("T-1").slice(2), [
      "task-phase: T-1 pass 2 is claimed (shape, mine)",
      "task-phase: T-1 pass 2 begins (shape, mine)",
      "task-phase: T-1 shape → shape (accepted, pass 2)",
    ]);
    assert.deepEqual(charges(fleet), [["a1", 1]]);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("and is killed among them is taken over, and they are charged as they were estimated", async (t) => {
    const fleet = await makeReviewed(t);
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    await one.claim("T-1", ["--attempt", "a1"], { env: { REVIEW_FIRST: "kill -9 $PPID" } });
    assert.deepEqual(codesOf(await two.pass("T-1")), ["TP_CLAIMED"]);
    const taken = await two.pass("T-1", ["--takeover", "--attempt", "a2"]);
    assert.deepEqual([taken.verdict, taken.pass], ["accepted", 2], taken.reason);
    assert.deepEqual(charges(fleet), [
      ["a1", 0.5],
      ["a2", 1],
    ]);
    assert.equal((await fleet.check("T-1")).code, 0);
    const back = await one.pass("T-1");
    assert.deepEqual([back.verdict, back.from, codesOf(back)], ["accepted", "shape", ["TP_SUPERSEDED"]], back.reason);
  });

  test("and is killed among them is free at once for the machine that was killed", async (t) => {
    const fleet = await makeReviewed(t);
    const one = fleet.machine("one");
    await one.claim("T-1", ["--attempt", "a1"], { env: { REVIEW_FIRST: "kill -9 $PPID" } });
    const back = await one.pass("T-1", ["--attempt", "a2"]);
    assert.deepEqual([back.verdict, back.pass, codesOf(back).includes("TP_RECOVERED")], ["accepted", 2, true]);
    assert.deepEqual(charges(fleet), [
      ["a1", 0.5],
      ["a2", 1],
    ]);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("and is stopped among them is free for all machines, with what they cost", async (t) => {
    const fleet = await makeReviewed(t);
    const env = { REVIEW_FIRST: "kill -TERM $PPID; exec sleep 30" };
    const stopped = await fleet.machine("one").pass("T-1", ["--attempt", "a1"], { env, apart: true });
    assert.deepEqual([stopped.verdict, stopped.exit_code], [null, 143], stopped.reason);
    const next = await fleet.machine("two").pass("T-1", ["--attempt", "a2"]);
    assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
    assert.deepEqual(
      fleet
        .events("T-1")
        .flatMap(({ type, pass }) => (type === "claimed" || type === "released" ? [[type, pass]] : [])),
      [
        ["claimed", 2],
        ["released", 2],
        ["claimed", 2],
      ],
    );
    assert.deepEqual(charges(fleet), [
      ["a1", 0.5],
      ["a2", 1],
    ]);
  });
});

test("a task that ends its runner again and again is blocked for all machines, until a person says otherwise", async (t) => {
  const fleet = makeFleet(t, { config: "fleet: { attempts: 2 }\n" });
  const [one, two] = [fleet.machine("one"), fleet.machine("two")];
  const env = { AGENT_FIRST: "kill -9 $PPID" };
  for (const machine of [one, two]) await machine.claim("T-1", ["--takeover"], { env });
  const held = await one.pass("T-1", ["--takeover"]);
  assert.deepEqual([held.verdict, held.exit_code], [null, 21], held.reason);
  assert.match(fleet.onBranch("T-1", "tasks/T-1/STATE.md"), /killed in each of the last 2 passes/);
  assert.deepEqual(fleet.calls(), ["one", "two"]);
  assert.equal((await two.pass("T-1")).exit_code, 21);
});
