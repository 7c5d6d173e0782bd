import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatLastModel, formatRun, readLastModel } from "../../../lib/agents/select/last-model.ts";
import { type ModelStanding, selectModel } from "../../../lib/agents/select/select-model.ts";

const models = ["a", "b", "c"].map((name) => ({ name }));
const cooling = (until: number): ModelStanding => ({ kind: "cooling", until, reason: "429" });
const missing: ModelStanding = { kind: "missing", reason: "not on PATH" };

function choose(
  selection: "round_robin" | "priority",
  last: string | null,
  standings: Readonly<Record<string, ModelStanding>> = {},
) {
  return selectModel(models, selection, last, ({ name }) => standings[name] ?? { kind: "ready" });
}

const chosen = (...words: Parameters<typeof choose>) => {
  const selected = choose(...words);
  return selected.kind === "selected" ? selected.model.name : null;
};

describe("selectModel", () => {
  test("takes turns from the one behind the last, and begins again behind the end", () => {
    assert.deepEqual(
      [null, "a", "b", "c"].map((last) => chosen("round_robin", last)),
      ["a", "b", "c", "a"],
    );
  });

  test("begins at the start where the last one is none of them", () => {
    assert.equal(chosen("round_robin", "gone"), "a");
  });

  test("takes the first of the list by priority, regardless of which model was last", () => {
    assert.deepEqual(
      [null, "a", "c"].map((last) => chosen("priority", last)),
      ["a", "a", "a"],
    );
  });

  test("passes over a model that cools down or is missing, and names it", () => {
    assert.deepEqual(choose("round_robin", "a", { b: cooling(9), c: missing }), {
      kind: "selected",
      model: { name: "a" },
      skipped: [
        { name: "b", standing: cooling(9) },
        { name: "c", standing: missing },
      ],
    });
  });

  test("names no model behind the chosen one", () => {
    assert.deepEqual(choose("priority", null, { b: cooling(9) }), {
      kind: "selected",
      model: { name: "a" },
      skipped: [],
    });
  });

  test("finds no model if all cool down or are missing, and says when the first one can be called", () => {
    assert.deepEqual(choose("round_robin", "b", { a: cooling(9), b: cooling(7), c: missing }), {
      kind: "none",
      skipped: [
        { name: "c", standing: missing },
        { name: "a", standing: cooling(9) },
        { name: "b", standing: cooling(7) },
      ],
      nextEligible: 7,
    });
  });

  test("names no time if waiting does not help", () => {
    const selected = choose("priority", null, { a: missing, b: missing, c: missing });
    assert.deepEqual(selected.kind === "none" && selected.nextEligible, null);
  });
});

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

test("a mistake is reported with its place", () => {
  const problemOf = (text: string) => readLastModel(Buffer.from(text)).problem;
  assert.equal(problemOf("{"), "it is not JSON");
  assert.match(problemOf('{"version":1,"last_model":3}') ?? "", /^last_model: expected string, found 3$/);
  assert.match(problemOf('{"version":2,"last_model":"a"}') ?? "", /^version: expected 1, found 2$/);
});
