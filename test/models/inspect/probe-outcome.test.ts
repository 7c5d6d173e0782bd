import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import type { ModelConfig } from "../../../lib/config/load-config.ts";
import type { ModelEnd } from "../../../lib/machine/model-end.ts";
import { judgeProbe, type ProbeJudgement } from "../../../lib/models/inspect/probe-outcome.ts";
import { modelConfig } from "../arrange.ts";

const claude = modelConfig({ name: "claude", adapter: "claude", command: null });
const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };

function judge(
  end: ModelEnd,
  more: { finalText?: string; error?: string | null; note?: string | null; model?: ModelConfig } = {},
): ProbeJudgement {
  const { finalText = "ready\n", error = null, note = null, model = claude } = more;
  return judgeProbe(model, { end, finalText, error, note }, {});
}

test("a result with words is an answer, whatever the exit code is", () => {
  const answer = { outcome: "answers", detail: "ready", until: null, next: null };
  assert.deepEqual(judge(exited), answer);
  assert.deepEqual(judge({ ...exited, exit_code: 1 }), answer);
});

test("an error, no words or no result is a failure, with a way to see more", () => {
  const byHand = "try it by hand in an empty folder: claude -p 'Say ready' < /dev/null";
  const failure = (detail: string) => ({ outcome: "failed", detail, until: null, next: byHand });
  assert.deepEqual(judge(exited, { error: "claude: Prompt is too long" }), failure("claude: Prompt is too long"));
  assert.deepEqual(judge(exited, { finalText: " \n", note: "a note" }), failure("its answer is empty; a note"));
  assert.deepEqual(
    judge({ ...exited, exit_code: 1, result_event: false }, { finalText: "" }),
    failure("it ended with exit code 1 and gave no result"),
  );
  assert.deepEqual(
    judge({ ...exited, exit_code: null, signal: "SIGSEGV", result_event: false }),
    failure("it ended with a signal (SIGSEGV) and gave no result"),
  );
  assert.deepEqual(
    judge({ kind: "not_started", reason: "claude may not be executed" }),
    failure("claude may not be executed"),
  );
});

test("what a command prints is its answer only where it exits 0", () => {
  const model = modelConfig({ command: ["./a.sh"] });
  assert.equal(judge(exited, { model }).outcome, "answers");
  assert.deepEqual(judge({ ...exited, exit_code: 2 }, { model }), {
    outcome: "failed",
    detail: "it ended with exit code 2 and gave no result",
    until: null,
    next: `try it by hand: ${resolve(model.folder, "a.sh")}`,
  });
});

test("the note of a command that failed says it all", () => {
  const note = "it ended with exit code 2; its last output: boom";
  assert.equal(judge({ ...exited, exit_code: 2 }, { model: modelConfig({ command: ["./a.sh"] }), note }).detail, note);
});

test("a refused login, a limit of each kind and a silence say what to do", () => {
  assert.deepEqual(judge({ kind: "auth_failed", reason: "claude: Not logged in" }), {
    outcome: "wants_login",
    detail: "claude: Not logged in",
    until: null,
    next: "`claude auth login`; or set ANTHROPIC_API_KEY and add `env: [ANTHROPIC_API_KEY]` to the model",
  });
  const until = "2026-11-22T05:00:00.000Z";
  const limits = (["rate_limit", "quota", "overloaded"] as const).map((cause) =>
    judge({ kind: "limited", cause, reason: "no", until }),
  );
  assert.deepEqual(
    limits.map((limit) => [limit.outcome, limit.until, limit.next]),
    [
      ["limited", until, "wait until the limit ends, or use another model"],
      ["limited", until, "check the plan or credit of this account, or use another model"],
      ["limited", until, "the provider is overloaded: probe it again later"],
    ],
  );
  assert.deepEqual(judge({ kind: "timed_out", timeout_ms: 60_000 }, { note: "the CLI retried a call twice" }), {
    outcome: "hangs",
    detail: "no answer within 60 s; the CLI retried a call twice",
    until: null,
    next: "give it more time: task-phase probe --model claude --timeout 5m; or try it by hand in an empty folder: claude -p 'Say ready' < /dev/null",
  });
});

test("a probe that was stopped knows nothing", () => {
  const nothing = { outcome: null, detail: "stopped before it answered", until: null, next: null };
  assert.deepEqual(judge({ kind: "interrupted", reason: "the run was stopped", cause: "signal" }), nothing);
  assert.deepEqual(judge({ kind: "withheld", reason: "no" }), nothing);
});

test("long and hostile words are one short safe line", () => {
  const { detail } = judge(exited, { finalText: `\u001b[2J\nline\n${"x".repeat(5_000)}` });
  assert.equal(detail.length, 200);
  assert.ok(detail.startsWith("\\x1b[2J\\nline\\nxxx") && detail.endsWith("…"), detail);
});
