import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLastModel, formatRun, readLastModel } from "../../../lib/agents/select/last-model.ts";

test("the last model is read as it was written", () => {
  const text = formatLastModel("claude");
  assert.equal(text, '{\n  "version": 1,\n  "last_model": "claude"\n}\n');
  assert.deepEqual(readLastModel(Buffer.from(text)), { name: "claude", run: null, problem: null });
});

test("the loop's record of its run and the last turn are kept beside each other", () => {
  const run = {
    run_id: "r1",
    iteration: 2,
    status: "running",
    exit_name: null,
    updated_at: "2026-11-21T12:00:00.000Z",
  } as const;
  const first = formatRun(run, null);
  assert.deepEqual(JSON.parse(first), { version: 1, ...run, last_model: null });
  const then = formatLastModel("codex", Buffer.from(first));
  assert.deepEqual(JSON.parse(then), { version: 1, ...run, last_model: "codex" });
  assert.deepEqual(JSON.parse(formatRun({ ...run, iteration: 3 }, Buffer.from(then))), {
    ...{ version: 1, ...run, iteration: 3 },
    last_model: "codex",
  });
  assert.deepEqual(readLastModel(Buffer.from(then)), {
    name: "codex",
    run: { run_id: "r1", status: "running" },
    problem: null,
  });
  assert.deepEqual(JSON.parse(formatRun(run, Buffer.from("{"))).last_model, null);
});

test("a file that is missing, damaged or of another version names no model, and damage is reported", () => {
  assert.deepEqual(readLastModel(null), { name: null, run: null, problem: null });
  for (const text of ["", "{", "null", "3", "{}", '{"version":1,"last_model":3}', '{"version":2,"last_model":"a"}']) {
    const { name, problem } = readLastModel(Buffer.from(text));
    assert.equal(name, null, text);
    assert.notEqual(problem, null, text);
  }
});

test("a run without its name or its state is none", () => {
  for (const part of [{ run_id: "r1" }, { status: "running" }]) {
    const text = JSON.stringify({ version: 1, last_model: "a", ...part });
    assert.deepEqual(readLastModel(Buffer.from(text)), { name: "a", run: null, problem: null });
  }
});

test("a mistake is reported with its place", () => {
  const problemOf = (text: string) => readLastModel(Buffer.from(text)).problem;
  assert.equal(problemOf("{"), "it is not JSON");
  assert.match(problemOf('{"version":1,"last_model":3}') ?? "", /^last_model: expected string, found 3$/);
  assert.match(problemOf('{"version":2,"last_model":"a"}') ?? "", /^version: expected 1, found 2$/);
});
