import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CliError } from "../../../lib/agents/adapters/adapter.ts";
import { claude } from "../../../lib/agents/adapters/claude.ts";
import {
  recordedCall as call,
  emptyReport as empty,
  jsonLines as line,
  meaningOf,
  reportOf,
  reportOfOutput,
  type WithoutId,
  wroteHello,
} from "../recorded.ts";

const wrote: WithoutId = { ...empty, ...wroteHello, costUsd: 0.00626, tokens: { input: 2_400, output: 90 }, turns: 2 };
/** The provider refused every call: nothing was spent, and that is known. */
const refused: WithoutId = { ...empty, ended: true, costUsd: 0, tokens: { input: 0, output: 0 }, turns: 1 };

/** The report, the session's id aside. */
function read(name: string, exit: Parameters<typeof reportOf>[2] = {}): WithoutId {
  const { sessionId, ...report } = reportOf(claude, name, exit);
  assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
  return report;
}

function result(changes: object = {}): object {
  return { type: "result", subtype: "success", is_error: false, result: "done", total_cost_usd: 1, ...changes };
}

const answer = { type: "assistant", message: { model: "claude-large", content: [] }, parent_tool_use_id: null };
const limitText = "You've hit your session limit · resets 4:49am (UTC)";
const ownLimit = { ...answer, message: { model: "<synthetic>" }, error: "rate_limit" };

test("it runs without a terminal and without a session; the task folder may be edited, the shell may be used", () => {
  assert.deepEqual(claude.argv({ ...call, args: ["--model", "opus"] }), [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--no-session-persistence",
    "--permission-mode",
    "acceptEdits",
    "--allowedTools=Bash",
    "--add-dir=/tasks/T-1",
    "--model",
    "opus",
  ]);
  assert.deepEqual(claude.argv({ ...call, sandboxed: true }), claude.argv(call));
});

test("its own tries are bounded by its own setting", () => {
  assert.equal(claude.env.CLAUDE_CODE_MAX_RETRIES, "3");
});

test("it writes to its own folder and file, wherever they are", () => {
  assert.deepEqual(claude.ownPaths({}, "/home/dev"), ["/home/dev/.claude", "/home/dev/.claude.json"]);
  assert.deepEqual(claude.ownPaths({ CLAUDE_CONFIG_DIR: "/etc/claude" }, "/home/dev"), ["/etc/claude"]);
});

test("its exit code tells whether there is a login", () => {
  const loggedIn = (exitCode: number | null) => claude.login?.loggedIn({ exitCode, stdout: "" });
  assert.deepEqual([loggedIn(0), loggedIn(1), loggedIn(2), loggedIn(null)], [true, false, null, null]);
});

test("a finished run has its final text, cost, tokens and turns, with both versions and formats", () => {
  assert.deepEqual(read("edit"), wrote);
  assert.deepEqual(read("edit-stream"), wrote);
  assert.deepEqual(read("edit-197"), { ...wrote, costUsd: 0.015799999999999998 });
});

test("a tool that was denied is no error of the run", () => {
  assert.deepEqual(read("bash-denied"), { ...wrote, finalText: "Ran it. <promise>COMPLETE</promise>" });
  assert.deepEqual(read("edit-denied-197"), { ...wrote, costUsd: 0.015799999999999998 });
});

test("a run that recovered from a limit is a success, and its tries are counted", () => {
  assert.deepEqual(read("recovered"), { ...wrote, retries: 2 });
});

const tooFast =
  "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 30,000 input tokens per minute. Please reduce the prompt length or try again later.";
const gateway = "If it persists, check your inference gateway (127.0.0.1:8123).";
const noCapacity = `API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment. ${gateway}`;
const tooLong = (tokens: number) =>
  `Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~${tokens} tokens — the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; reduce attached files/tools or start with less context.`;
const badKey = "Invalid API key · Fix external API key";
const loggedOut = "Not logged in · Please run /login";

const recordedErrors: readonly (readonly [string, string, Partial<CliError>, number])[] = [
  ["400ctx", "context", { message: tooLong(2757), status: 400, type: "invalid_request_error" }, 0],
  ["400ctx-197", "context", { message: tooLong(1605), status: 400, type: "invalid_request" }, 0],
  ["401", "auth", { message: badKey, status: 401, type: "authentication_error" }, 0],
  ["401-stream", "auth", { message: badKey, status: 401, type: "authentication_failed" }, 3],
  ["401-197", "auth", { message: badKey, status: 401, type: "authentication_failed" }, 3],
  ["no-key-stream", "auth", { message: loggedOut, type: "authentication_failed" }, 0],
  ["no-key-197", "auth", { message: loggedOut, type: "authentication_failed" }, 0],
  ["429", "rate_limit", { message: tooFast, status: 429, type: "rate_limit_error" }, 0],
  ["429-stream", "rate_limit", { message: tooFast, status: 429, type: "rate_limit" }, 10],
  ["429-197", "rate_limit", { message: tooFast, status: 429, type: "rate_limit" }, 3],
  [
    "limit-oauth",
    "quota",
    {
      message: "You've hit your 5-hour limit · resets 12:40am (UTC)",
      status: 429,
      type: "usage_limit_reached",
      resetAt: 1_795_308_049_000,
    },
    0,
  ],
  [
    "limit-oauth-197",
    "quota",
    {
      message: "You've hit your session limit · resets 5:11am (UTC)",
      status: 429,
      type: "usage_limit_reached",
      resetAt: 1_795_324_294_000,
    },
    0,
  ],
  ["quota", "quota", { message: "Credit balance is too low", status: 400, type: "invalid_request_error" }, 0],
  ["quota-197", "quota", { message: "Credit balance is too low", status: 400, type: "billing_error" }, 0],
  ["529-stream", "overloaded", { message: noCapacity, status: 529, type: "server_error" }, 2],
  ["529-197", "overloaded", { message: noCapacity, type: "server_error" }, 2],
  [
    "500",
    "overloaded",
    {
      message: `API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment. ${gateway}`,
      status: 500,
      type: "api_error",
    },
    0,
  ],
  [
    "refused-stream",
    "overloaded",
    {
      message: "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
      type: "connection_failed",
    },
    3,
  ],
  [
    "refused-197",
    "overloaded",
    { message: "API Error: Unable to connect to API (ConnectionRefused)", type: "server_error" },
    3,
  ],
];

for (const [name, meaning, error, retries] of recordedErrors) {
  test(`the recording ${name} ended with an error that means ${meaning}; its words are no final text`, () => {
    const report = reportOf(claude, name);
    const { sessionId: _, ...rest } = report;
    assert.equal(meaningOf(report), meaning);
    assert.deepEqual(rest, {
      ...refused,
      error: { message: "", status: null, type: null, resetAt: null, ...error },
      retries,
    });
  });
}

test("bounds that a person set are results with their cost, and no limits", () => {
  const stopped = (message: string, type: string) => ({ message, status: null, type, resetAt: null });
  const budget = stopped("Reached maximum budget ($1)", "error_max_budget_usd");
  const spent = { ...refused, error: budget, costUsd: 1.20056 };
  assert.deepEqual(read("max-budget"), { ...spent, tokens: { input: 400_000, output: 40_000 }, turns: 2 });
  assert.deepEqual(read("max-budget-stream"), { ...spent, tokens: { input: 200_000, output: 20_000 } });
  assert.deepEqual(read("max-turns-197"), {
    ...refused,
    error: stopped("Reached maximum number of turns (1)", "error_max_turns"),
    costUsd: 0.007899999999999999,
    tokens: { input: 1_200, output: 45 },
    turns: 2,
  });
  for (const name of ["max-budget", "max-turns-197"]) assert.equal(meaningOf(reportOf(claude, name)), "other");
  const dear = reportOfOutput(
    claude,
    line(result({ is_error: true, subtype: "error_max_budget_usd", errors: ["Reached maximum budget ($429)"] })),
  );
  assert.equal(meaningOf(dear), "other");
});

test("interrupted, it still says what it spent; what it did not count is not known", () => {
  const error = { message: "error_during_execution", status: null, type: "error_during_execution", resetAt: null };
  const interrupted = { ...refused, error };
  const oneCall = { tokens: { input: 1_200, output: 45 }, turns: 3 };
  assert.deepEqual(read("sigint"), {
    ...interrupted,
    costUsd: 0.01838,
    tokens: { input: 7_200, output: 230 },
    turns: 7,
  });
  assert.deepEqual(read("sigint-stream"), { ...interrupted, ...oneCall, costUsd: 0.00626 });
  assert.deepEqual(read("sigint-197"), { ...interrupted, ...oneCall, costUsd: 0.007899999999999999 });
  assert.deepEqual(read("stall-stream"), {
    ...interrupted,
    costUsd: 0.0055,
    tokens: { input: 1_200, output: 7 },
    turns: 2,
  });
  const uncounted = { ...empty, ended: true, error, turns: 2 };
  assert.deepEqual(read("hang-stream"), uncounted);
  assert.deepEqual(read("stall-197"), uncounted);
  // The older one says nothing at all where no answer had begun, and no version does on SIGTERM.
  assert.deepEqual(read("hang-197"), empty);
  assert.deepEqual(read("sigterm-stream", { exitCode: 143, stderrTail: "429 rate limit" }), empty);
});

test("an exception of its own is its error, and its notes for its makers are not", () => {
  const failed = (errors: unknown) =>
    reportOfOutput(claude, line(result({ is_error: true, subtype: "error_during_execution", errors, result: null })));
  assert.equal(failed(["[ede_diagnostic] x", "ENOSPC: no space", 7]).error?.message, "ENOSPC: no space");
  assert.equal(failed("no list").error?.message, "error_during_execution");
  assert.equal(meaningOf(failed(["API Error: 429 Too Many Requests"])), "rate_limit");
  const bare = reportOfOutput(claude, line(result({ is_error: true, result: null })));
  assert.equal(bare.error?.message, "no reason given");
});

test("words of a limit in answers, tools and files are no error", () => {
  const text = "API Error: 429 rate limit, quota exceeded, Credit balance is too low";
  const tool = { type: "user", message: { role: "user", content: [{ type: "tool_result", content: text }] } };
  const said = { ...answer, message: { model: "claude-large", content: [{ type: "text", text }] } };
  const report = reportOfOutput(claude, `${line(tool, said)}${text}\n${line(result({ result: text }))}`);
  assert.deepEqual([report.error, report.ended, report.finalText], [null, true, text]);
});

test("an error with text that is not known as the CLI's own has the agent's words as final text, and in no error", () => {
  const report = reportOfOutput(claude, line(answer, result({ is_error: true, result: "I saw a 429 rate limit" })));
  assert.equal(report.finalText, "I saw a 429 rate limit");
  assert.equal(report.error?.message, "no reason given");
  assert.equal(meaningOf(report), "other");
});

test("only its own last message counts, not that of a helper agent", () => {
  const helper = { ...ownLimit, parent_tool_use_id: "toolu_1" };
  const mine = reportOfOutput(claude, line(ownLimit, helper, result({ is_error: true, result: limitText })));
  assert.equal(mine.error?.message, limitText);
  const helpers = reportOfOutput(claude, line(answer, helper, result({ is_error: true, result: "prose" })));
  assert.equal(helpers.error?.message, "no reason given");
});

const rejected = (resetsAt: unknown, status = "rejected") => ({
  type: "rate_limit_event",
  rate_limit_info: { status, resetsAt },
});

test("the time of a reset comes from its own event, else from its words", () => {
  const resetAt = (...events: readonly object[]) =>
    reportOfOutput(claude, line(...events, ownLimit, result({ is_error: true, result: limitText })), {
      now: Date.UTC(2026, 10, 22, 1, 0),
    }).error?.resetAt;
  assert.equal(resetAt(rejected(1_795_308_049)), 1_795_308_049_000);
  assert.equal(resetAt(), Date.UTC(2026, 10, 22, 4, 49));
  // A warning, no number, or a limit that was over when it answered again.
  assert.equal(resetAt(rejected(1_795_308_049, "allowed_warning")), Date.UTC(2026, 10, 22, 4, 49));
  assert.equal(resetAt(rejected("soon")), Date.UTC(2026, 10, 22, 4, 49));
  assert.equal(resetAt(rejected(1_795_308_049), answer), Date.UTC(2026, 10, 22, 4, 49));
});

test("standard error is read before its first call, and ignored after it", () => {
  const stderrTail = "a notice\nerror: unknown option '--nonsense'\n";
  const report = reportOfOutput(claude, "", { exitCode: 1, stderrTail });
  assert.deepEqual(report, {
    ...empty,
    sessionId: null,
    error: { message: "error: unknown option '--nonsense'", status: null, type: null, resetAt: null },
  });
  assert.equal(reportOfOutput(claude, line(answer), { exitCode: 1, stderrTail }).error, null);
  for (const exitCode of [0, null, 143]) {
    assert.equal(reportOfOutput(claude, "", { exitCode, stderrTail }).error, null);
  }
  assert.equal(reportOfOutput(claude, "", { exitCode: 1, stderrTail: "\n" }).error, null);
});

test("no object makes the reader throw", () => {
  const type = fc.constantFrom("assistant", "rate_limit_event", "system", "result", "x");
  const subtype = fc.constantFrom("success", "api_retry", "error_during_execution", null);
  const event = fc.record({
    type,
    subtype,
    is_error: fc.boolean(),
    message: fc.jsonValue(),
    modelUsage: fc.jsonValue(),
    errors: fc.jsonValue(),
    result: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const report = reportOfOutput(claude, line(...events));
      assert.equal(typeof report.finalText, "string");
    }),
  );
});
