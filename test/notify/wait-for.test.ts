import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { waitFor } from "../../lib/notify/wait-for.ts";

test("a wait ends after its time, or at once with the signal, and leaves nothing behind", async () => {
  const stop = new AbortController();
  const started = Date.now();
  await waitFor(15, stop.signal);
  assert.ok(Date.now() - started >= 14);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  setTimeout(() => stop.abort(), 10);
  await waitFor(60_000, stop.signal);
  await waitFor(60_000, stop.signal);
  assert.ok(Date.now() - started < 1_000);
});
