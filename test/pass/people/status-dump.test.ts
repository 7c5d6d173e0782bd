import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { dumpStatus } from "../../../lib/pass/people/status-dump.ts";
import type { PassUnderWay } from "../../../lib/pass/verdict/checkpoint-file.ts";
import type { TaskHistory } from "../../../lib/rules/history.ts";
import { loadContract } from "../../../lib/task/load-contract.ts";
import { verdictEvent } from "../../rules/arrange.ts";
import { holdTask, noon } from "../verdict/arrange.ts";

const under: PassUnderWay = {
  ...{ pass: 3, phase: "implement", model: "mine", startedAt: new Date(Date.parse(noon) - 90_000) },
  ...{ timeoutMs: 600_000, stages: [{ stage: "PREP", at: noon, ms: 1_000 }] },
};

/** The status.md of a task with this history; `logs`: what the model has said so far. */
async function dump(
  t: TestContext,
  pass: PassUnderWay | null,
  history: Partial<TaskHistory> = {},
  logs: Readonly<Record<string, string>> = {},
) {
  const { session, task } = await holdTask(t, "implement");
  session.history = { ...session.history, ...history };
  mkdirSync(session.anchor.staging, { recursive: true });
  for (const [name, text] of Object.entries(logs)) writeFileSync(join(session.anchor.staging, name), text);
  dumpStatus(session, session.anchor, loadContract(session.place, null, session.ports), pass);
  return task.read("artifacts/status.md");
}

test("between two passes the status says what was spent and what the last pass came to", async (t) => {
  const last = verdictEvent("implement", "implement", { state: "", contract: "" }, { pass: 2, reason: "it is better" });
  const { spend } = (await holdTask(t, "implement")).session.history;
  const plain = await dump(t, null, { lastVerdict: last, spend: { ...spend, knownUsd: 1.5, unknownPasses: 2 } });
  assert.match(plain, /1\.50 USD, and calls of unknown cost: 2/);
  assert.match(plain, /pass 2 accepted/);
  assert.doesNotMatch(plain, /PREP|stdout/);
  const none = await dump(t, null);
  assert.match(none, /nothing known/);
  assert.doesNotMatch(none, /unknown cost/);
});

test("during a pass it says how far that is and how long its model may work", async (t) => {
  const text = await dump(t, under);
  assert.match(text, /3, started in implement/);
  assert.match(text, /- Elapsed: 1m30s; the model has 10m\n/);
  assert.match(text, /PREP/);
  const quiet = await dump(t, { ...under, model: null, stages: [] });
  assert.match(quiet, /- Stage: PREP\n- Model: none\n- Elapsed: 1m30s\n/);
});

test("the last lines of both outputs are shown during a pass alone, and nothing of one that is empty", async (t) => {
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}\n`).join("");
  const text = await dump(t, under, {}, { "stdout.log": lines, "stderr.log": " \n" });
  assert.match(text, /stdout\.log/);
  assert.deepEqual([/line 10\n/.test(text), /line 9\n/.test(text), /line 49/.test(text)], [true, false, true]);
  assert.doesNotMatch(text, /stderr\.log/);
  assert.doesNotMatch(await dump(t, null, {}, { "stdout.log": lines }), /line 49/);
});

test("a first line that was cut is left out, since a secret is known only as a whole", async (t) => {
  const text = await dump(t, under, {}, { "stdout.log": `${"x".repeat(20_000)}\nlast words\n` });
  assert.match(text, /last words/);
  assert.doesNotMatch(text, /xxx/);
});

test("tickets and secrets of what is shown are escaped and redacted", async (t) => {
  const tickets = [
    { id: "a", source: "validator", name: "n", text: `<b>ghp_${"a1B2".repeat(9)}` },
  ] as TaskHistory["tickets"];
  const text = await dump(t, null, { tickets });
  assert.match(text, /\[redacted:github\]/);
  assert.doesNotMatch(text, /<b>/);
});
