import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LoopPorts, LoopRequest } from "../../../lib/queue/loop/loop-request.ts";
import { end, type LoopState } from "../../../lib/queue/loop/loop-state.ts";
import { tooLong, waitForAnswer, waitUntil } from "../../../lib/queue/loop/wait.ts";
import { inspected } from "../inspected.ts";

const noon = Date.parse("2026-11-21T12:00:00.000Z");
const at = (ms: number) => new Date(noon + ms);
const minute = 60_000;

/** A clock that only sleeping moves. */
function makeClock(abortAfter = Number.POSITIVE_INFINITY) {
  const controller = new AbortController();
  const slept: number[] = [];
  let now = noon;
  const ports = {
    now: () => new Date(now),
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
      if (slept.length >= abortAfter) controller.abort();
    },
    signal: controller.signal,
  };
  return { ports, slept };
}

const never = async () => false;

describe("a wait", () => {
  test("is cut into minutes, with a look after each", async () => {
    const { ports, slept } = makeClock();
    let looks = 0;
    await waitUntil(at(2.5 * minute), null, ports, async () => looks++ > 9);
    assert.deepEqual([slept, looks], [[minute, minute, minute / 2], 3]);
  });

  test("ends at the deadline, at a signal, and as soon as a look finds something", async () => {
    const deadline = makeClock();
    await waitUntil(at(9 * minute), at(minute), deadline.ports, never);
    assert.deepEqual(deadline.slept, [minute]);
    const signal = makeClock(2);
    await waitUntil(at(9 * minute), null, signal.ports, never);
    assert.deepEqual(signal.slept, [minute, minute]);
    const found = makeClock();
    await waitUntil(at(9 * minute), null, found.ports, async () => true);
    assert.deepEqual(found.slept, [minute]);
  });

  test("for a time that has passed does not sleep", async () => {
    const { ports, slept } = makeClock();
    await waitUntil(at(0), null, ports, never);
    assert.deepEqual(slept, []);
  });

  test("is too long only if it is longer than --max-wait", () => {
    const { ports } = makeClock();
    assert.equal(tooLong(at(minute), null, ports), null);
    assert.equal(tooLong(at(minute), minute, ports), null);
    assert.equal(
      tooLong(at(minute + 1), minute, ports),
      "the wait until 2026-11-21T12:01:00.001Z is longer than --max-wait 1m",
    );
  });
});

describe("while questions are open", () => {
  const asks = (name: string, ms: number | null) =>
    inspected(name, { standing: "asks", why: `Which ${name}?`, until: ms === null ? null : at(ms).toISOString() });
  const ending = end("needs_user_decision", "a task asks");

  interface Call {
    readonly tasks: readonly ReturnType<typeof inspected>[];
    readonly maxWaitMs?: number;
    readonly deadline?: Date;
    readonly maxPasses?: number;
  }

  async function wait({ tasks, maxWaitMs, deadline, maxPasses }: Call) {
    const clock = makeClock();
    const waiting: unknown[] = [];
    const watch = {
      waiting: (until: Date, reason: string, asking: readonly { id: string | null }[]) =>
        void waiting.push([until.toISOString(), reason, asking.map(({ id }) => id)]),
    };
    const state = {
      ...{ ports: { ...clock.ports, watch } as unknown as LoopPorts, deadline: deadline ?? null },
      request: { maxWaitMs: maxWaitMs ?? null, maxPasses: maxPasses ?? null } as LoopRequest,
      ...{ passes: [{ verdict: "accepted", details: { end: null } }], running: new Map() },
    } as unknown as LoopState;
    return { end: await waitForAnswer(state, { tasks, ending }, never), waiting, slept: clock.slept };
  }

  test("the call sleeps until the first deadline, and names the tasks that ask", async () => {
    const tasks = [
      asks("T-1", 2 * minute),
      asks("T-2", minute),
      asks("T-3", null),
      inspected("T-4", { until: at(1).toISOString() }),
    ];
    assert.deepEqual(await wait({ tasks }), {
      end: null,
      waiting: [[at(minute).toISOString(), "T-2 asks: Which T-2?", ["T-1", "T-2", "T-3"]]],
      slept: [minute],
    });
  });

  test("the call ends if no question has a deadline, or none that it may wait for", async () => {
    const ended = { end: ending, waiting: [], slept: [] };
    assert.deepEqual(
      await wait({ tasks: [asks("T-1", null), inspected("T-2", { until: at(1).toISOString() })] }),
      ended,
    );
    const tasks = [asks("T-1", minute)];
    assert.deepEqual(await wait({ tasks, deadline: at(minute) }), ended);
    assert.deepEqual((await wait({ tasks, deadline: at(minute + 1) })).end, null);
    assert.deepEqual(await wait({ tasks, maxPasses: 1 }), ended);
    assert.deepEqual((await wait({ tasks, maxPasses: 2 })).end, null);
  });

  test("the call waits an hour at most if nothing else is said, and the ending says so", async () => {
    const reason = (ms: string, most: string) => `a task asks; the wait until ${ms} is longer than --max-wait ${most}`;
    const long = await wait({ tasks: [asks("T-1", 60 * minute + 1)] });
    assert.deepEqual(long.end, { ...ending, reason: reason("2026-11-21T13:00:00.001Z", "1h") });
    assert.equal((await wait({ tasks: [asks("T-1", 60 * minute)] })).end, null);
    const short = await wait({ tasks: [asks("T-1", minute)], maxWaitMs: 1_000 });
    assert.equal(short.end?.reason, reason("2026-11-21T12:01:00.000Z", "1s"));
  });
});
