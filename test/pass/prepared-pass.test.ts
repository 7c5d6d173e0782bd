import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelConfig } from "../../lib/documents/config/model-schema.ts";
import { beginOf, callsModel, tierOf } from "../../lib/pass/prepared-pass.ts";

const model = (more: Partial<ModelConfig>) =>
  ({ name: "mine", adapter: "command", cheapArgs: null, ...more }) as ModelConfig;

test("a pass is of the cheap tier only if that is a step of it and the model has one", () => {
  const cheap = model({ cheapArgs: ["--small"] });
  assert.equal(tierOf({ degrade: ["cheap_tier"], model: cheap }), "cheap");
  assert.equal(tierOf({ degrade: ["small_context"], model: cheap }), "default");
  assert.equal(tierOf({ degrade: ["cheap_tier"], model: model({}) }), "default");
  assert.equal(tierOf({ degrade: ["cheap_tier"], model: model({ adapter: "replay", cheapArgs: ["x"] }) }), "default");
  assert.equal(tierOf({ degrade: ["cheap_tier"], model: null }), "default");
});

test("a pass without a model calls none, and the live line shows none", () => {
  assert.deepEqual([callsModel({ model: null }), callsModel({ model: model({}) })], [false, true]);
  const session = { history: { spend: { knownUsd: 1.5 } } } as Parameters<typeof beginOf>[0];
  const plan = { contract: { contract: { id: "T-1" } }, pass: 3, document: { view: { phase: "shape" } } };
  const begun = (of: ModelConfig | null) => beginOf(session, { ...plan, model: of } as Parameters<typeof beginOf>[1]);
  assert.deepEqual(begun(null), { task: "T-1", pass: 3, phase: "shape", model: null, spentUsd: 1.5 });
  assert.equal(begun(model({})).model, "mine");
});
