import assert from "node:assert/strict";
import { test } from "node:test";
import { readCheckpoint } from "../../lib/shapes/checkpoint.ts";

const at = "2026-01-02T03:04:05.000Z";

test("a checkpoint of an earlier version, which named its models alone, keeps its commits", () => {
  const old = {
    ...{ version: 1, project_id: "T-1", state: "verify", timestamp: at, request: "t", mode: "run", agents: ["claude"] },
    self_heal: { current_problem: null, attempt: 0, history: [] },
    ...{ files_modified: [], git_commits: ["0123456789"], pass: 1, step: null, verdict: null, run: null, model: null },
    elapsed_ms: null,
    spend: { known_usd: null, charged_usd: 0, unknown_costs: 0, tokens: 0, time_ms: 0 },
    journal: { seq: 1, head: null },
  };
  const read = readCheckpoint(Buffer.from(JSON.stringify(old)));
  assert.ok(read.kind === "read", JSON.stringify(read));
  assert.deepEqual(read.value.git_commits, ["0123456789"]);
  assert.deepEqual(
    read.value.agents.map(({ name, kind, state }) => [name, kind, state]),
    [["claude", "model", "idle"]],
  );
});
