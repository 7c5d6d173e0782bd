import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { waitForLook } from "../../lib/fleet/dispatch.ts";
import type { Job } from "../../lib/fleet/engine/engine.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { errorFinding } from "../../lib/text/finding.ts";
import { intakeJob as job, type MemoryEngine, memoryEngine } from "./memory-engine.ts";

/** The minute between two looks; `during` is what happens while the dispatcher waits for the first, second ... time. */
async function minute(left: readonly Job[], engine: MemoryEngine, ...during: (() => unknown)[]) {
  const waits: number[] = [];
  const offered: string[] = [];
  const { signal } = new AbortController();
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
    await during[waits.length - 1]?.();
  };
  const onOffer = ({ task }: Job) => offered.push(task);
  await waitForLook(left, engine, { sleep, onOffer, signal, ms: 60_000 });
  return { waits, offered };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

describe("between two looks of the dispatcher", { concurrency: true }, () => {
  test("nobody is asked anything while no job is left", async () => {
    const engine = memoryEngine();
    engine.fault = new Error("asked");
    assert.deepEqual(await minute([], engine), { waits: [60_000], offered: [] });
  });

  test("a worker that comes only now finds the jobs that had no room", async () => {
    const engine = memoryEngine();
    await engine.offer(job("T-1"));
    await engine.offer(job("T-2"));
    const come = () => engine.present({ name: "one", slots: 2 });
    const { waits, offered } = await minute([job("T-3"), job("T-4"), job("T-5")], engine, () => undefined, come);
    assert.deepEqual(offered, ["T-3", "T-4"], "two for each slot, and no more");
    assert.equal(sum(waits), 60_000);
  });

  test("a job that is leased makes room, and one that somebody else offered is not offered twice", async () => {
    const engine = memoryEngine();
    await engine.present({ name: "one", slots: 1 });
    await engine.offer(job("T-1"));
    await engine.offer(job("T-2"));
    const take = async () => {
      await engine.lease("one");
      await engine.offer(job("T-3"));
    };
    const { offered } = await minute([job("T-3"), job("T-4")], engine, take, () => engine.lease("one"));
    assert.deepEqual(offered, ["T-4"]);
  });

  test("an engine that does not answer is left to the next look", async () => {
    const engine = memoryEngine();
    engine.fault = new TaskPhaseError("locked", [errorFinding("TP_ENGINE_UNREACHABLE", "it is away")]);
    const { waits, offered } = await minute([job("T-3")], engine);
    assert.deepEqual([sum(waits), offered], [60_000, []]);
  });

  test("a signal ends the wait at once", async () => {
    const [engine, stop] = [memoryEngine(), new AbortController()];
    let waits = 0;
    const sleep = async (): Promise<void> => {
      waits += 1;
      stop.abort("SIGTERM");
    };
    const around = { sleep, signal: stop.signal, onOffer: () => assert.fail("offered after the signal") };
    await waitForLook([job("T-1")], engine, { ...around, ms: 60_000 });
    assert.equal(waits, 1);
  });
});
