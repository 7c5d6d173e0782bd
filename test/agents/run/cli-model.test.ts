import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ModelOutcome, type ModelRun, runModel } from "../../../lib/agents/run/run-model.ts";
import type { ModelConfig } from "../../../lib/documents/config/load-config.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { makeFolder } from "../../process/arrange.ts";
import { fromReady, modelRun } from "../arrange.ts";
import { failedResult, goodResult, printsEvents, writePrograms } from "../programs.ts";
import { recordedPath } from "../recorded.ts";

const now = new Date("2026-11-22T04:00:00.000Z");

/** A run of a CLI that is nothing but these shell lines. */
function cliRun(
  t: TestContext,
  adapter: "pi" | "claude" | "codex" | "opencode" | "qwen",
  lines: string,
  model: Partial<ModelConfig> = {},
  changes: Partial<ModelRun> = {},
): ModelRun {
  const bin = writePrograms(makeFolder(t), { [adapter]: lines });
  return modelRun(t, { adapter, command: null, ...model }, { env: { PATH: bin }, now: () => now, ...changes });
}

async function runLines(...args: Parameters<typeof cliRun>): Promise<ModelOutcome> {
  return runModel(cliRun(...args));
}

/** It reads its prompt and prints what the real one printed once. */
function plays(cli: "pi" | "claude", name: string, then = ""): string {
  return `cat > /dev/null\ncat '${recordedPath(cli, name)}'\n${then}`;
}

const wrote = "Wrote hello.txt.\n\n<promise>COMPLETE</promise>";
const exitedWell = { kind: "exited", exit_code: 0, signal: null, result_event: true } as const;

test("a good run: final text, cost, tokens, calls and session are the CLI's own, and the log holds its output", async (t) => {
  const run = cliRun(t, "pi", plays("pi", "edit"));
  const outcome = await runModel(run);
  const recorded = readFileSync(recordedPath("pi", "edit"));
  assert.deepEqual(
    { ...outcome, durationMs: 0 },
    {
      end: exitedWell,
      finalText: wrote,
      costUsd: 0.00873,
      costSource: "reported",
      tokens: { input: 2_400, output: 90 },
      turns: 2,
      sessionId: "01a20064-8f6a-75e2-b229-bce570f00942",
      error: null,
      durationMs: 0,
      ended: [],
      stdout: { bytes: recorded.length, keptBytes: recorded.length, cut: false },
      stderr: { bytes: 0, keptBytes: 0, cut: false },
      note: null,
    },
  );
  assert.deepEqual(readFileSync(run.stdoutPath), recorded);
});

test("a limit is one though the CLI exits with 0, with the time at which it ends", async (t) => {
  const { end, error, note, finalText } = await runLines(t, "pi", plays("pi", "429"));
  const said =
    "429 Rate limit reached for gpt-5 in organization org-example on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.";
  assert.deepEqual(end, {
    kind: "limited",
    cause: "rate_limit",
    reason: `pi: ${said}`,
    until: "2026-11-22T04:00:02.000Z",
  });
  assert.deepEqual([error, finalText], [said, ""]);
  assert.equal(note, `the CLI ended with an error: ${said}; the CLI retried a call 3 times`);
});

test("a limit without a time has none, and neither has one with a time that is no date", async (t) => {
  const plain = await runLines(t, "claude", plays("claude", "429-stream", "exit 1"));
  assert.equal(plain.end.kind === "limited" && plain.end.until, null);
  const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1e300 } };
  const { end } = await runLines(t, "claude", printsEvents(limit, failedResult(429, "a limit")));
  assert.deepEqual(end, { kind: "limited", cause: "rate_limit", reason: "claude: a limit (429)", until: null });
});

test("a run that recovered is a success, and a note says how often it tried again", async (t) => {
  const { end, note, finalText } = await runLines(t, "claude", plays("claude", "recovered"));
  assert.deepEqual([end, finalText], [exitedWell, wrote]);
  assert.equal(note, "the CLI retried a call 2 times");
});

test("a missing login is distinguished from a limit, in structured output and in plain text", async (t) => {
  const words = "printf 'No API key found for anthropic.\\n\\nUse /login.\\n' >&2; exit 1";
  const { end } = await runLines(t, "pi", plays("pi", "no-key", words));
  assert.deepEqual(end, { kind: "auth_failed", reason: "pi: No API key found for anthropic." });
  const other = await runLines(t, "claude", plays("claude", "401-stream", "exit 1"));
  assert.deepEqual(other.end, { kind: "auth_failed", reason: "claude: Invalid API key · Fix external API key (401)" });
});

test("an error that is no limit is a result: the pass is judged by what it did", async (t) => {
  const { end, error, note } = await runLines(t, "claude", plays("claude", "max-turns-197", "exit 1"));
  assert.deepEqual(end, { ...exitedWell, exit_code: 1, said: "Reached maximum number of turns (1)" });
  assert.equal(error, "Reached maximum number of turns (1)");
  assert.equal(note, "the CLI ended with an error: Reached maximum number of turns (1)");
});

test("a flag, a model or a call that is refused is no result, and its words are kept, cut and without secrets", async (t) => {
  const flag = await runLines(t, "claude", "echo \"error: unknown option '--frobnicate'\" >&2; exit 1");
  assert.deepEqual(flag.end, {
    ...{ kind: "exited", exit_code: 1, signal: null, result_event: false },
    said: "error: unknown option '--frobnicate'",
  });
  const unknown = await runLines(t, "claude", `${printsEvents(failedResult(404, "model: opus-9"))}\nexit 1`);
  assert.deepEqual(unknown.end, {
    ...{ kind: "exited", exit_code: 1, signal: null, result_event: false },
    said: "model: opus-9 (404)",
  });
  const changes = { redactor: createRedactor({ API_TOKEN: "correct-horse-battery" }) };
  const long = `echo "Error: correct-horse-battery ${"x".repeat(400)}" >&2; exit 1`;
  const { end } = await runLines(t, "pi", long, {}, changes);
  assert.ok(end.kind === "exited" && end.said?.startsWith("Error: [redacted:env] xxx"));
  assert.equal(end.kind === "exited" && end.said?.length, 300);
});

test("a program for another Node is reported first, in the words of doctor, with its error instead of its trace", async (t) => {
  const trace = [
    "file:///opt/pi/cli.js:2",
    'import { enableCompileCache } from "node:module";',
    "SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'",
    "    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)",
    "",
    "Node.js v20.20.2",
  ].join("\n");
  const { end, fix } = await runLines(t, "pi", `cat >&2 <<'END'\n${trace}\nEND\nexit 1`);
  const error = "SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'";
  assert.deepEqual(end, {
    ...{ kind: "exited", exit_code: 1, signal: null, result_event: false },
    said: `pi needs Node 22.19 or newer, and ran under 20.20.2: ${error}`,
  });
  assert.match(fix ?? "", /^put Node 22\.19 or newer first on PATH/);
  const plain = await runLines(
    t,
    "claude",
    `printf 'a.js:1\n\nTypeError: x is not a function\n    at f\n\nNode.js v20.1.0\n' >&2; exit 1`,
  );
  assert.equal(plain.end.kind === "exited" && plain.end.said, "TypeError: x is not a function");
  assert.equal(plain.fix, undefined);
});

test("patterns of the configuration make a limit of the final error, and of nothing else", async (t) => {
  const patterns = { rateLimitPatterns: [/maximum number of turns/i] };
  const { end } = await runLines(t, "claude", plays("claude", "max-budget-stream", "exit 1"), {
    rateLimitPatterns: [/hello/i],
  });
  assert.equal(end.kind, "exited");
  const own = await runLines(t, "claude", printsEvents(failedResult(400, "Maximum number of turns today")), patterns);
  assert.equal(own.end.kind === "limited" && own.end.cause, "rate_limit");
  const good = await runLines(
    t,
    "claude",
    printsEvents({ ...goodResult, result: "maximum number of turns" }),
    patterns,
  );
  assert.deepEqual(good.end, exitedWell);
});

test("our own timeout is one whatever was printed before, and the CLI may still say what it spent", async (t) => {
  const retry = '{"type":"system","subtype":"api_retry","attempt":1,"error_status":429,"error":"rate_limit"}';
  const spent =
    '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["[ede_diagnostic] x"],"num_turns":3,"total_cost_usd":0.25,"modelUsage":{"m":{"inputTokens":7,"outputTokens":2}}}';
  const lines = `spent='${spent}'\ntrap 'echo "$spent"; exit 0' INT\ncat > /dev/null\nwhile :; do echo '${retry}'; : > ready; sleep 0.05; done`;
  const outcome = await runModel(fromReady(cliRun(t, "claude", lines, {}, { timeoutMs: 400, graceMs: 10_000 })));
  assert.deepEqual(outcome.end, { kind: "timed_out", timeout_ms: 400, silent: true });
  assert.deepEqual([outcome.costUsd, outcome.tokens, outcome.turns], [0.25, { input: 7, output: 2 }, 3]);
  assert.equal(outcome.error, null);
  assert.match(outcome.note ?? "", /^the CLI retried a call (?:once|\d+ times)$/);
});

test("a timeout in the middle of tries of its own is no limit", async (t) => {
  const lines = plays("pi", "429", ": > ready; exec sleep 30");
  const { end } = await runModel(fromReady(cliRun(t, "pi", lines, {}, { timeoutMs: 400 })));
  assert.deepEqual(end, { kind: "timed_out", timeout_ms: 400, silent: true });
});

test("a timeout after an answer of the model is distinguished from one in which it only waited", async (t) => {
  const lines = plays("pi", "killed", ": > ready; exec sleep 30");
  const { end } = await runModel(fromReady(cliRun(t, "pi", lines, {}, { timeoutMs: 400 })));
  assert.deepEqual(end, { kind: "timed_out", timeout_ms: 400 });
});

test("opencode is ended as soon as its log says that it waits for long, and that is a limit with its time", async (t) => {
  const error = "AI_APICallError: Rate limit reached. Please try again in 3600s.";
  const log = `timestamp=1 level=ERROR run=1 message="stream error" modelID=m error.error="${error}"`;
  const lines = `cat > /dev/null\necho '${log}' >&2\nexec sleep 30`;
  const outcome = await runLines(t, "opencode", lines, {}, { timeoutMs: 20_000 });
  assert.deepEqual(outcome.end, {
    ...{ kind: "limited", cause: "rate_limit", until: "2026-11-22T05:00:00.000Z" },
    reason: "opencode: Rate limit reached. Please try again in 3600s.",
  });
  const stopped = new AbortController();
  stopped.abort();
  const call = await runLines(t, "opencode", lines, {}, { abort: stopped.signal });
  assert.equal(call.end.kind, "interrupted");
});

test("codex is ended as soon as its log says that it waits for long, although it prints that it tries again", async (t) => {
  const error = "exceeded retry limit, last status: 429 Too Many Requests";
  const log = `2026-11-23T07:00:24Z  WARN codex_core::responses_retry: retrying sampling request (1/5 in 3599.9s)... sampling_error=${error}`;
  const again = JSON.stringify({ type: "error", message: `Reconnecting... 1/5 (${error})` });
  const lines = `cat > /dev/null\necho '${log}' >&2\necho '${again}'\nexec sleep 30`;
  const { end } = await runLines(t, "codex", lines, {}, { timeoutMs: 20_000 });
  const until = "2026-11-22T05:00:00.000Z";
  assert.deepEqual(end, { kind: "limited", cause: "rate_limit", reason: `codex: ${error}`, until });
});

test("qwen is ended as soon as the log of its session says that it waits for long, and the log is removed", async (t) => {
  const waits = `cat > /dev/null
for word; do case $word in --session-id=*) id=\${word#*=};; esac; done
mkdir -p "$HOME/.qwen/debug"
cat '${recordedPath("qwen", "retry-after", "log")}' > "$HOME/.qwen/debug/$id.txt"
exec sleep 30`;
  const made = cliRun(t, "qwen", waits, {}, { timeoutMs: 20_000 });
  const run = { ...made, env: { ...made.env, HOME: made.workFolder } };
  assert.deepEqual((await runModel(run)).end, {
    ...{ kind: "limited", cause: "rate_limit", until: "2026-11-22T04:10:00.000Z" },
    reason: "qwen: 429 Rate limit reached for requests. Please try again in 600s.",
  });
  assert.deepEqual(readdirSync(join(run.workFolder, ".qwen/debug")), []);
});

test("an empty answer is a result, and the note says that it is empty", async (t) => {
  const { end, finalText, note } = await runLines(t, "claude", printsEvents({ ...goodResult, result: " \n" }));
  assert.deepEqual([end, finalText.trim(), note], [exitedWell, "", "its final answer was empty"]);
});

test("an exit with 0 and no result event is a case of its own, and the note has the last message", async (t) => {
  const silent = await runLines(t, "claude", "cat > /dev/null");
  assert.deepEqual(silent.end, { ...exitedWell, result_event: false });
  assert.equal(silent.note, "the CLI reported no result");
  const chatty = await runLines(t, "pi", "echo hello; echo 'first' >&2; echo 'Usage: pi' >&2");
  assert.deepEqual([chatty.end, chatty.finalText], [{ ...exitedWell, result_event: false, said: "Usage: pi" }, ""]);
  assert.equal(chatty.note, "the CLI reported no result; its last output: Usage: pi");
  assert.deepEqual([chatty.costUsd, chatty.costSource, chatty.tokens.input], [null, null, null]);
});

test("a result event is read though its line does not end", async (t) => {
  const { end, finalText } = await runLines(t, "claude", `cat > /dev/null\nprintf %s '${JSON.stringify(goodResult)}'`);
  assert.deepEqual([end, finalText], [exitedWell, "ready"]);
});

test("a CLI that dies in the middle keeps what it had spent, and has no result", async (t) => {
  const outcome = await runLines(t, "pi", plays("pi", "killed", "kill -9 $$"));
  assert.deepEqual(outcome.end, {
    kind: "exited",
    exit_code: null,
    signal: "SIGKILL",
    result_event: false,
    said: null,
  });
  assert.deepEqual([outcome.finalText, outcome.costUsd, outcome.turns], ["", 0.00873, 2]);
  assert.equal(outcome.note, "the CLI reported no result");
});

test("words of a limit in the answer, in tool output, in files and on standard error are no limit", async (t) => {
  const text = 'diff: "HTTP 429 Too Many Requests: rate limit, quota exceeded, overloaded, not logged in"';
  const tool = { type: "user", message: { content: [{ type: "tool_result", is_error: true, content: text }] } };
  const noise = `echo '${text}'; echo '429 rate limit' >&2`;
  for (const exit of ["", "exit 1"]) {
    const lines = `${printsEvents(tool, { ...goodResult, result: text })}\n${noise}\n${exit}`;
    const { end, error, finalText } = await runLines(t, "claude", lines);
    assert.deepEqual(end, exit === "" ? exitedWell : { ...exitedWell, exit_code: 1, said: "429 rate limit" });
    assert.deepEqual([error, finalText], [null, text]);
  }
});

const secret = "correct-horse-battery";

test("secrets are taken out of the final text, the reason and the note, also where these are cut", async (t) => {
  const changes = { redactor: createRedactor({ API_TOKEN: secret }) };
  const answer = await runLines(
    t,
    "claude",
    printsEvents({ ...goodResult, result: `it is ${secret}${"x".repeat(64 * 1024 - 8)}` }),
    {},
    changes,
  );
  assert.equal(answer.finalText.length, 64 * 1024);
  assert.doesNotMatch(answer.finalText, /horse|battery/);
  const refusal = failedResult(401, `${"x".repeat(285)} ${secret}`);
  const { end, error, note } = await runLines(t, "claude", printsEvents(refusal), {}, changes);
  assert.equal(end.kind, "auth_failed");
  assert.doesNotMatch(JSON.stringify([end, error, note]), /horse/);
  const lost = await runLines(t, "claude", `echo 'error: ${secret}' >&2`, {}, changes);
  assert.equal(lost.note, "the CLI reported no result; its last output: error: [redacted:env]");
});

test("a long final text keeps its end, and no half of a character", async (t) => {
  const result = `${"\u{1f600}".repeat(40_000)}end`;
  const { finalText } = await runLines(t, "claude", printsEvents({ ...goodResult, result }));
  assert.ok(finalText.length > 64_000 && finalText.length <= 64 * 1024);
  assert.ok(result.endsWith(finalText) && finalText.startsWith("\u{1f600}"));
});

test("a prompt of 300 KB comes on standard input, whole, and not on the command line", async (t) => {
  const prompt = "é and more\n".repeat(28_000);
  const lines = 'cat > prompt.txt; printf "%s\\n" "$@" > argv.txt';
  const run = cliRun(t, "claude", lines, { args: ["--model", "opus", "--effort", "high"] }, { prompt });
  await runModel(run);
  assert.equal(readFileSync(join(run.repo, "prompt.txt"), "utf8"), prompt);
  const words = readFileSync(join(run.repo, "argv.txt"), "utf8").trim().split("\n");
  assert.equal(words[0], "-p");
  assert.ok(words.includes(`--add-dir=${run.taskDir}`));
  assert.deepEqual(words.slice(-4), ["--model", "opus", "--effort", "high"]);
});

test("the cheap tier stands in the place of the same flags: the adapter's own, or the configuration's", async (t) => {
  const wordsOf = async (model: Partial<ModelConfig>): Promise<string[]> => {
    const run = cliRun(t, "claude", 'printf "%s\\n" "$@" > argv.txt', model, { tier: "cheap" });
    await runModel(run);
    return readFileSync(join(run.repo, "argv.txt"), "utf8").trim().split("\n").slice(9);
  };
  const args = ["--model", "opus", "--verbose"];
  assert.deepEqual(await wordsOf({ args }), ["--verbose", "--model", "haiku"]);
  assert.deepEqual(await wordsOf({ args, cheapArgs: ["--model", "tiny"] }), ["--verbose", "--model", "tiny"]);
});

test("the adapter's variables are set, and what the configuration passes on by name wins", async (t) => {
  const retriesOf = async (env: string[]): Promise<string> => {
    const run = cliRun(t, "claude", 'echo "$CLAUDE_CODE_MAX_RETRIES $DISABLE_AUTOUPDATER" > env.txt', { env });
    await runModel({ ...run, env: { ...run.env, CLAUDE_CODE_MAX_RETRIES: "9" } });
    return readFileSync(join(run.repo, "env.txt"), "utf8").trim();
  };
  assert.equal(await retriesOf([]), "3 1");
  assert.equal(await retriesOf(["CLAUDE_CODE_MAX_RETRIES"]), "9 1");
});

test("tokens that the CLI does not price cost the price of the configuration", async (t) => {
  const lines = printsEvents({ ...goodResult, total_cost_usd: undefined });
  const price = { inputPerMtok: 1_000_000, outputPerMtok: 2_000_000 };
  const { costUsd, costSource } = await runLines(t, "claude", lines, { price });
  assert.deepEqual([costUsd, costSource], [38, "price"]);
});

test("a CLI that does not exist did not start", async (t) => {
  const run = cliRun(t, "pi", "");
  const { end, note, error } = await runModel({ ...run, env: { PATH: dirname(run.repo) } });
  assert.equal(end.kind, "not_started");
  assert.deepEqual([note, error], [null, null]);
  assert.ok(existsSync(run.stdoutPath));
});
