import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CliError } from "../../../lib/agents/adapters/adapter.ts";
import { pi } from "../../../lib/agents/adapters/pi.ts";
import {
  emptyReport,
  jsonLines as line,
  meaningOf,
  type RecordedReport,
  reportOf,
  reportOfOutput,
  wroteHello,
} from "../recorded.ts";

const call = { repo: "/repo", taskDir: "/task", workFolder: "/work", sessionId: "s-1", sandboxed: false, root: false };

const empty: RecordedReport = { ...emptyReport, sessionId: null };
const wrote: RecordedReport = {
  ...empty,
  ...wroteHello,
  costUsd: 0.00873,
  tokens: { input: 2_400, output: 90 },
  turns: 2,
};
/** The provider refused every call: nothing was spent, and that is known. */
const refused: RecordedReport = { ...empty, costUsd: 0, tokens: { input: 0, output: 0 }, turns: 1 };

/** The report, the session's id aside. */
function read(name: string, exit: Parameters<typeof reportOf>[2] = {}): Omit<RecordedReport, "sessionId"> {
  const { sessionId, ...report } = reportOf(pi, name, exit);
  assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
  return report;
}

function withoutId({ sessionId: _, ...report }: RecordedReport): Omit<RecordedReport, "sessionId"> {
  return report;
}

function assistant(changes: object): object {
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0.5 } };
  const message = {
    role: "assistant",
    content: [{ type: "text", text: "done" }],
    usage,
    stopReason: "stop",
    ...changes,
  };
  return { type: "message_end", message };
}

test("it runs without a terminal and without a session, and the configuration's words come last", () => {
  assert.deepEqual(pi.argv({ ...call, args: ["--model", "a/b"] }), [
    "-p",
    "--mode",
    "json",
    "--no-session",
    "--model",
    "a/b",
  ]);
  assert.deepEqual(pi.env, { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" });
});

test("it writes to its own folder, wherever that is", () => {
  assert.deepEqual(pi.ownPaths({}, "/home/dev"), ["/home/dev/.pi/agent"]);
  assert.deepEqual(pi.ownPaths({ PI_CODING_AGENT_DIR: "/etc/pi" }, "/home/dev"), ["/etc/pi"]);
});

test("its list of models tells whether there is a login", () => {
  const loggedIn = (stdout: string) => pi.login?.loggedIn({ exitCode: 0, stdout });
  assert.equal(loggedIn("provider  model  context\nacme  large  128K\n"), true);
  assert.equal(loggedIn("No models available. Use /login to log into a provider via OAuth or API key. See:\n"), false);
  assert.equal(loggedIn(""), null);
});

test("a finished run has its final text, cost, tokens and calls, with both versions", () => {
  assert.deepEqual(read("edit"), withoutId(wrote));
  assert.deepEqual(read("edit-087"), withoutId(wrote));
});

test("a run that recovered from a limit is a success, and its tries are counted", () => {
  assert.deepEqual(read("recovered"), { ...withoutId(wrote), turns: 3, retries: 1 });
  assert.deepEqual(read("recovered-087"), { ...withoutId(wrote), turns: 4, retries: 2 });
});

test("a summary that the CLI made on the way is paid for too", () => {
  const report = read("compaction-087");
  assert.deepEqual(
    { ...report, costUsd: report.costUsd?.toFixed(5) },
    { ...withoutId(wrote), costUsd: "1.50306", tokens: { input: 500_000, output: 180 } },
  );
});

const said = {
  badKey:
    "Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys.",
  tooLong: "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.",
  tooFast:
    "Rate limit reached for gpt-5 in organization org-example on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.",
  tooFastToo:
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute. Please reduce the prompt length or try again later.",
  nothingLeft:
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
  noCapacity: "The server is overloaded or not ready yet.",
};

const inTwoSeconds = { resetAt: 1_002_000 };

/** The newer one puts a colon behind the status; of the JSON of a provider, its words are shown. */
const recordedErrors: readonly (readonly [string, string, Partial<CliError>, number])[] = [
  ["401", "auth", { message: `401 ${said.badKey}`, status: 401 }, 0],
  ["401-087", "auth", { message: `401: ${said.badKey}`, status: 401, type: "invalid_api_key" }, 0],
  ["400ctx", "context", { message: `400 ${said.tooLong}`, status: 400 }, 0],
  ["400ctx-087", "context", { message: `400: ${said.tooLong}`, status: 400, type: "context_length_exceeded" }, 0],
  ["429", "rate_limit", { message: `429 ${said.tooFast}`, status: 429, ...inTwoSeconds }, 3],
  [
    "429-087",
    "rate_limit",
    { message: `429: ${said.tooFast}`, status: 429, type: "rate_limit_exceeded", ...inTwoSeconds },
    3,
  ],
  ["429-anthropic", "rate_limit", { message: `429 ${said.tooFastToo}`, status: 429, type: "rate_limit_error" }, 3],
  ["quota", "quota", { message: `429 ${said.nothingLeft}`, status: 429 }, 3],
  ["quota-087", "quota", { message: `429: ${said.nothingLeft}`, status: 429, type: "insufficient_quota" }, 0],
  ["529", "overloaded", { message: `503 ${said.noCapacity}`, status: 503 }, 3],
  ["529-087", "overloaded", { message: `503: ${said.noCapacity}`, status: 503, type: "server_is_overloaded" }, 3],
];

for (const [name, meaning, error, retries] of recordedErrors) {
  test(`the recording ${name} ended with an error that means ${meaning}, though it exited with 0`, () => {
    const report = reportOf(pi, name);
    assert.equal(meaningOf(report), meaning);
    assert.deepEqual(withoutId(report), {
      ...withoutId(refused),
      error: { message: "", status: null, type: null, resetAt: null, ...error },
      turns: retries + 1,
      retries,
    });
  });
}

test("a provider that cuts the connection each time cannot be reached; what was not counted is not known", () => {
  const failed = { status: null, type: null, resetAt: null };
  for (const [name, message] of [
    ["cut", "Connection error."],
    ["cut-087", "terminated"],
  ] as const) {
    const report = reportOf(pi, name);
    assert.deepEqual(withoutId(report), { ...withoutId(empty), error: { message, ...failed }, turns: 4, retries: 3 });
    assert.equal(meaningOf(report), "overloaded");
  }
  // Where the provider said at the beginning what it counts, that stands.
  const counted = read("cut-anthropic");
  assert.deepEqual(counted.tokens, { input: 4_800, output: 4 });
  assert.equal(counted.costUsd?.toFixed(5), "0.01632");
});

test("a run that was killed has no end and no final text, and keeps what it had spent until then", () => {
  assert.deepEqual(read("hang", { exitCode: 143 }), withoutId(empty));
  assert.deepEqual(read("sigterm", { exitCode: 143 }), {
    ...withoutId(empty),
    costUsd: 0.004365,
    tokens: { input: 1_200, output: 45 },
    turns: 1,
  });
  assert.deepEqual(read("killed", { exitCode: 143 }), {
    ...withoutId(empty),
    costUsd: 0.00873,
    tokens: { input: 2_400, output: 90 },
    turns: 2,
  });
});

test("killed while it waits to try again, it has not ended with a limit", () => {
  const limited = assistant({ stopReason: "error", errorMessage: "429 Rate limit reached", content: [] });
  const report = reportOfOutput(pi, line(limited, { type: "agent_end" }, { type: "auto_retry_start", attempt: 1 }));
  assert.equal(report.error, null);
  assert.equal(report.retries, 1);
});

const noKey = "No API key found for anthropic.\n\nUse /login to log into a provider. See:\n  /lib/docs/providers.md\n";

test("standard error is read before its first call", () => {
  for (const name of ["no-key", "no-key-087"]) {
    const report = reportOf(pi, name, { exitCode: 1, stderrTail: noKey });
    assert.deepEqual(withoutId(report), {
      ...withoutId(empty),
      error: { message: "No API key found for anthropic.", status: null, type: null, resetAt: null },
    });
    assert.equal(meaningOf(report), "auth");
  }
  const unknown = `Warning: no such theme\nError: Model "x/y" not found. Use --list-models to see available models.\n`;
  const report = reportOfOutput(pi, "", { exitCode: 1, stderrTail: unknown });
  assert.equal(report.error?.message, 'Error: Model "x/y" not found. Use --list-models to see available models.');
  assert.equal(meaningOf(report), "other");
});

test("standard error counts for nothing once a call was made, on a good end and after a signal", () => {
  const stderrTail = "429 rate limit\n";
  assert.equal(reportOfOutput(pi, line(assistant({})), { exitCode: 1, stderrTail }).error, null);
  for (const exitCode of [0, null, 143]) {
    assert.equal(reportOfOutput(pi, "", { exitCode, stderrTail }).error, null);
  }
  assert.equal(reportOfOutput(pi, "", { exitCode: 1, stderrTail: " \n" }).error, null);
});

test("each try ends with agent_end: only the last one ends the run, and only where no try follows", () => {
  const good = [assistant({}), { type: "agent_end" }];
  assert.equal(reportOfOutput(pi, line(...good)).ended, true);
  const again = reportOfOutput(pi, line(...good, { type: "agent_start" }));
  assert.deepEqual([again.ended, again.finalText], [false, ""]);
});

test("an answer is its text alone, without thoughts and calls", () => {
  const content = [
    { type: "thinking", thinking: "429 rate limit" },
    { type: "text", text: "one" },
    { type: "toolCall", name: "bash", arguments: {} },
    { type: "text", text: "two" },
    null,
  ];
  const end = { type: "agent_end" };
  assert.equal(reportOfOutput(pi, line(assistant({ content }), end)).finalText, "one\ntwo");
  assert.equal(reportOfOutput(pi, line(assistant({ content: "plain" }), end)).finalText, "plain");
});

test("words of a limit in answers, tools and files are no error", () => {
  const text = "HTTP 429: rate limit reached, quota exceeded, try again in 20s";
  const tool = { type: "message_end", message: { role: "toolResult", content: [{ type: "text", text }] } };
  const report = reportOfOutput(
    pi,
    `${line(tool, { type: "tool_execution_end", isError: true, result: text })}${text}\n${line(
      assistant({ content: [{ type: "text", text }] }),
      { type: "agent_end" },
    )}`,
  );
  assert.deepEqual([report.error, report.ended, report.finalText], [null, true, text]);
});

test("a model without a price costs an unknown sum, never 0", () => {
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };
  const report = reportOfOutput(pi, line(assistant({ usage })));
  assert.deepEqual([report.costUsd, report.tokens], [null, { input: 10, output: 2 }]);
});

test("a provider that counts nothing leaves cost and tokens unknown", () => {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };
  const report = reportOfOutput(pi, line(assistant({ usage }), assistant({ usage: null })));
  assert.deepEqual([report.costUsd, report.tokens, report.turns], [null, { input: null, output: null }, 2]);
});

test("an aborted answer without a message is an error still", () => {
  const report = reportOfOutput(pi, line(assistant({ stopReason: "aborted" }), { type: "agent_end" }));
  assert.deepEqual(
    [report.error?.message, report.ended, report.finalText],
    ["it ended with the reason aborted", false, ""],
  );
  const last = reportOfOutput(pi, line({ type: "auto_retry_end", success: false }));
  assert.equal(last.error?.message, "its last attempt failed");
});

test("no object makes the reader throw", () => {
  const type = fc.constantFrom("session", "message_end", "compaction_end", "agent_end", "auto_retry_end", "x");
  const message = fc.record({ role: fc.constantFrom("assistant", "user"), stopReason: fc.jsonValue() });
  const event = fc.record({ type, message: fc.oneof(fc.jsonValue(), message), result: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const report = reportOfOutput(pi, line(...events));
      assert.equal(typeof report.finalText, "string");
    }),
  );
});
