import assert from "node:assert/strict";
import { test } from "node:test";
import { hasCheapTier } from "../../../lib/agents/adapters/adapters.ts";

test("an agent CLI has a cheap tier of its own, unless the configuration empties it", () => {
  for (const adapter of ["pi", "claude", "codex", "gemini", "opencode"] as const) {
    assert.equal(hasCheapTier({ adapter, cheapArgs: null }), true, adapter);
    assert.equal(hasCheapTier({ adapter, cheapArgs: [] }), false, adapter);
  }
});

test("a command has the cheap tier that the configuration gives it, and what is replayed has none", () => {
  assert.equal(hasCheapTier({ adapter: "command", cheapArgs: null }), false);
  assert.equal(hasCheapTier({ adapter: "command", cheapArgs: ["--small"] }), true);
  assert.equal(hasCheapTier({ adapter: "replay", cheapArgs: ["--small"] }), false);
});
