import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { waitFor } from "../../lib/text/wait-for.ts";

test("a wait ends after its time and leaves no listener", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { signal } = new AbortController();
  let ended = false;
  const wait = waitFor(15, signal).then(() => {
    ended = true;
  });
  t.mock.timers.tick(14);
  await Promise.resolve();
  assert.equal(ended, false);
  t.mock.timers.tick(1);
  await wait;
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("a wait ends at once with the signal, and does not begin after it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const stop = new AbortController();
  const wait = waitFor(60_000, stop.signal);
  stop.abort();
  await wait;
  await waitFor(60_000, stop.signal);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
});
