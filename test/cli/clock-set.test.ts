import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Moment } from "../../lib/text/moment.ts";
import { makeLoopWorld } from "./loop-world.ts";
import { noon } from "./models-world.ts";

const dayMs = 86_400_000;

describe("a clock that is set during a call", () => {
  test("charges a pass with the time that went by, not with the day that the clock jumped", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { contract: ["budget: { time: 1h }"] } });
    const loop = ["--json", "--tasks-root", world.tasks, "--max-passes", "2"];
    const report = (await world.call("task-phase-loop", loop, { now: jumping(dayMs, 9) })).json();
    assert.deepEqual(
      [report.exit_code, ...(report.passes as { duration_ms: number }[]).map(({ duration_ms: ms }) => ms < 60_000)],
      [3, true, true],
    );
    const charged = world.events("T-1").map((event) => (event.type === "verdict" ? event.duration_ms : 0));
    assert.deepEqual(
      charged.filter((ms) => ms >= 60_000 || !Number.isInteger(ms)),
      [],
    );
  });

  test("does not hold a call beyond --max-seconds if it is set back", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const loop = ["--json", "--tasks-root", world.tasks, "--max-seconds", "1"];
    const end = await world.call("task-phase-loop", loop, { now: jumping(-dayMs, 9) });
    assert.deepEqual([end.code, end.json().reason], [2, "--max-seconds 1 has passed"]);
  });
});

/** Each look at the clock takes 100.4 ms; at this look the wall clock is set. */
function jumping(byMs: number, look: number): () => Date {
  let looks = 0;
  return () => {
    looks += 1;
    const ticked = looks * 100.4;
    return new Moment(noon.getTime() + Math.floor(ticked) + (looks >= look ? byMs : 0), ticked);
  };
}
