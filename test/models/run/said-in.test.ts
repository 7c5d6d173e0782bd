import assert from "node:assert/strict";
import { test } from "node:test";
import { saidIn } from "../../../lib/models/run/said-in.ts";

test("what an agent says or does is found in the events of each CLI", () => {
  const events: readonly [string, Record<string, unknown>][] = [
    [
      "Now the tests.",
      { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "Now the tests." }] } },
    ],
    [
      "npm test",
      { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: { command: "npm test" } }] } },
    ],
    ["All done", { type: "result", subtype: "success", result: "All done", session_id: "x" }],
    ["ls lib", { type: "item.started", item: { type: "command_execution", command: "ls lib", status: "in_progress" } }],
    ["I read it", { type: "message", role: "assistant", content: "I read it" }],
    ["Done here", { type: "text", part: { type: "text", text: "Done here" } }],
    ["a.js", { type: "tool_use", part: { tool: "read", state: { input: { filePath: "a.js" } } } }],
  ];
  for (const [said, event] of events) assert.equal(saidIn(event), said);
});

test("what was told to it, and what a tool gave it, is not its word", () => {
  assert.equal(saidIn({ type: "user", message: { content: [{ type: "text", text: "the prompt" }] } }), null);
  assert.equal(saidIn({ type: "message", message: { role: "user", content: "the prompt" } }), null);
  assert.equal(saidIn({ type: "x", content: [{ type: "tool_result", content: "a file" }] }), null);
  assert.equal(saidIn({ type: "system", text: "init" }), null);
  assert.equal(saidIn({ type: "step", model: "x", usage: { input_tokens: 3 } }), null);
});

test("an event of any depth ends the search", () => {
  let deep: Record<string, unknown> = { text: "deep" };
  for (let level = 0; level < 50_000; level += 1) deep = { inner: deep };
  assert.equal(saidIn(deep), null);
});
