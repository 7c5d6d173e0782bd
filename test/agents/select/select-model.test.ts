import assert from "node:assert/strict";
import { describe, test } from "node:test";
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
