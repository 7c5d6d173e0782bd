import assert from "node:assert/strict";
import { test } from "node:test";
import { boundsOf, defaultCapBytes, endOf, isoTime, maxSaid, withWords } from "../../../lib/agents/run/model-run.ts";
import type { BoundedEnd } from "../../../lib/process/bounded-spec.ts";
import { modelRun } from "../arrange.ts";

/** An end of a process that printed so many bytes on each stream. */
function ended(kind: BoundedEnd["kind"], more: object = {}, [stdout, stderr] = [0, 0]): BoundedEnd {
  const base = { kind, exitCode: null, signal: null, problem: null };
  return { ...base, ...more, stdout: { bytes: stdout }, stderr: { bytes: stderr } } as unknown as BoundedEnd;
}

const exited = (exitCode: number | null, bytes?: [number, number]) => ended("exited", { exitCode }, bytes);

test("the end of a model's process depends on how it ended and on what it printed", () => {
  const rows: readonly (readonly [end: BoundedEnd, words: string, told: object])[] = [
    [ended("timed_out", {}, [1, 0]), "", { kind: "timed_out", timeout_ms: 9 }],
    [ended("timed_out", {}, [0, 1]), "", { kind: "timed_out", timeout_ms: 9 }],
    [ended("timed_out"), "", { kind: "timed_out", timeout_ms: 9, silent: true }],
    [ended("aborted"), "", { kind: "interrupted", cause: "signal", reason: "the run was stopped" }],
    [ended("not_started", { problem: "no such file" }), "", { kind: "not_started", reason: "no such file" }],
    [ended("not_started"), "", { kind: "not_started", reason: "unknown reason" }],
    [exited(0, [0, 4]), "words", { kind: "exited", exit_code: 0, signal: null, result_event: true }],
    [exited(0), "", { kind: "exited", exit_code: 0, signal: null, result_event: false }],
    [exited(0), "why", { kind: "exited", exit_code: 0, signal: null, result_event: false, said: "why" }],
    [exited(3, [4, 0]), "why", { kind: "exited", exit_code: 3, signal: null, result_event: false, said: "why" }],
    [exited(3), "", { kind: "exited", exit_code: 3, signal: null, result_event: false, said: null }],
  ];
  for (const [end, words, told] of rows) assert.deepEqual(endOf(end, 9, words), told);
  assert.deepEqual(endOf(ended("timed_out"), 9, "", true), { kind: "timed_out", timeout_ms: 9 });
});

test("the words of an end are cut for one line", () => {
  const end = { kind: "exited", exit_code: 1, signal: null, result_event: false } as const;
  assert.ok((withWords(end, `error: ${"x".repeat(1_000)}`).said?.length ?? 0) <= maxSaid);
});

test("a process has the run's bounds, and usual ones where it names none", (t) => {
  const run = modelRun(t);
  const bounds = boundsOf(run);
  assert.deepEqual(
    [bounds.cwd, bounds.timeoutMs, bounds.graceMs, bounds.capBytes],
    [run.repo, 10_000, 150, defaultCapBytes],
  );
  assert.deepEqual([bounds.wrapped, "onStart" in bounds], [false, false]);
  const onStart = () => undefined;
  const own = boundsOf({ ...run, capBytes: 5, onStart, sandbox: {} as never });
  assert.deepEqual([own.capBytes, own.onStart, own.wrapped], [5, onStart, true]);
});

test("a time that is not known, or impossible, is none", () => {
  assert.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
  for (const time of [null, Number.NaN, 9e15]) assert.equal(isoTime(time), null);
});
