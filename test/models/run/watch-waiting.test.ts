import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { watchWaiting } from "../../../lib/models/run/watch-waiting.ts";

const now = () => new Date(0);
/** Lets a CLI be silent for as many milliseconds as its line says. */
const reader = { errorLine: (line: string) => (line === "" ? null : Number(line)) };
const line = (text: string) => Buffer.from(`${text}\n`);

test("a CLI that was refused is ended when it has been silent for too long, and is told apart from a stopped call", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const call = new AbortController();
    const waiting = watchWaiting(reader, { abort: call.signal, now });
    waiting.takeError(line("1000"));
    mock.timers.tick(999);
    waiting.goesOn();
    mock.timers.tick(10_000);
    waiting.takeError(line("1000"));
    mock.timers.tick(999);
    waiting.takeError(line(""));
    mock.timers.tick(10_000);
    assert.equal(waiting.abort?.aborted, false);
    waiting.takeLog(line("1000"));
    mock.timers.tick(999);
    waiting.goesOn();
    mock.timers.tick(10_000);
    assert.equal(waiting.abort?.aborted, false);
    waiting.takeError(Buffer.from("5000\n1000\n"));
    mock.timers.tick(500);
    // The log goes on while the CLI waits.
    waiting.takeLog(line(""));
    mock.timers.tick(499);
    assert.equal(waiting.abort?.aborted, false);
    mock.timers.tick(1);
    assert.deepEqual([waiting.abort?.aborted, waiting.end()], [true, true]);
    const stopped = watchWaiting(reader, { abort: call.signal, now });
    call.abort();
    assert.deepEqual([stopped.abort?.aborted, stopped.end()], [true, false]);
  } finally {
    mock.timers.reset();
  }
});

test("a CLI that tells nothing on standard error is never ended", () => {
  const { signal } = new AbortController();
  const waiting = watchWaiting({}, { abort: signal, now });
  waiting.takeError(line("0"));
  assert.deepEqual([waiting.abort, waiting.end()], [signal, false]);
});
