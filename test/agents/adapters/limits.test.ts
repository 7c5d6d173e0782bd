import assert from "node:assert/strict";
import { test } from "node:test";
import type { CliError } from "../../../lib/agents/adapters/adapter.ts";
import { type ErrorMeaning, readMeaning } from "../../../lib/agents/adapters/limits.ts";
import { startCpuTime } from "../../patience.ts";

function meaning(error: Partial<CliError>, patterns: readonly RegExp[] = []): ErrorMeaning {
  return readMeaning({ message: "", status: null, type: null, resetAt: null, ...error }, patterns);
}

const byStructure: readonly (readonly [Partial<CliError>, ErrorMeaning])[] = [
  [{ status: 401 }, "auth"],
  [{ status: 402 }, "quota"],
  [{ status: 403 }, "auth"],
  [{ status: 429 }, "rate_limit"],
  [{ status: 500 }, "overloaded"],
  [{ status: 503 }, "overloaded"],
  [{ status: 529 }, "overloaded"],
  [{ status: 400 }, "refused"],
  [{ status: 404 }, "refused"],
  [{ type: "rate_limit_error" }, "rate_limit"],
  [{ type: "RESOURCE_EXHAUSTED" }, "rate_limit"],
  [{ type: "insufficient_quota", status: 429 }, "quota"],
  [{ type: "usage_limit_reached", status: 429 }, "quota"],
  [{ type: "billing_error", status: 400 }, "quota"],
  [{ type: "overloaded_error" }, "overloaded"],
  [{ type: "authentication_failed" }, "auth"],
  [{ type: "context_length_exceeded", status: 400 }, "context"],
  [{ type: "constructor" }, "other"],
];

test("the type and the status that are fields decide first", () => {
  for (const [error, expected] of byStructure) assert.equal(meaning(error), expected, JSON.stringify(error));
});

test("a status decides whatever the words are", () => {
  assert.equal(meaning({ status: 429, message: "the server is overloaded" }), "rate_limit");
  assert.equal(meaning({ status: 401, message: "rate limit" }), "auth");
  assert.equal(meaning({ status: 503, message: "Too many requests" }), "overloaded");
});

test("429 is also said of an empty account, and 403 of limits", () => {
  assert.equal(meaning({ status: 429, message: "You exceeded your current quota, check your plan" }), "quota");
  assert.equal(
    meaning({ status: 429, message: "You exceeded your current quota.\nPlease retry in 2s." }),
    "rate_limit",
  );
  assert.equal(meaning({ status: 403, message: "API rate limit exceeded" }), "rate_limit");
  assert.equal(meaning({ status: 403, message: "Your credit balance is too low" }), "quota");
});

/** Each was printed by a real CLI as its final error. */
const byWords: readonly (readonly [string, ErrorMeaning])[] = [
  ["API Error: Request rejected (429) · This request would exceed your account's rate limit.", "rate_limit"],
  ["exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"],
  ["429 Something else", "rate_limit"],
  ["You've hit your 5-hour limit · resets 12:40am (UTC)", "rate_limit"],
  ["You’ve hit your usage limit. Upgrade to Pro or try again at Nov 22nd, 2026 12:25 AM.", "rate_limit"],
  ["Credit balance is too low", "quota"],
  ["Quota exceeded. Check your plan and billing details.", "quota"],
  ["You have exhausted your daily quota on this model.", "quota"],
  ["503: The server is overloaded or not ready yet.", "overloaded"],
  ["Selected model is at capacity. Please try a different model.", "overloaded"],
  ["We’re currently experiencing high demand, which may cause temporary errors.", "overloaded"],
  ["API Error: Repeated 529 Overloaded errors.", "overloaded"],
  ["API Error: 500 Internal server error.", "overloaded"],
  ["Connection error.", "overloaded"],
  ["terminated", "overloaded"],
  ["[API Error: terminated]", "overloaded"],
  ["terminated (cause: UND_ERR_SOCKET: other side closed)", "overloaded"],
  ["Last error: Failed native model HTTP request: error decoding response body: unexpected EOF", "overloaded"],
  ["API Error: Unable to connect to API (ConnectionRefused)", "overloaded"],
  ["stream disconnected before completion: idle timeout waiting for SSE", "overloaded"],
  ["connect ECONNREFUSED 127.0.0.1:443", "overloaded"],
  ["Not logged in · Please run /login", "auth"],
  ["No API key found for the selected model.", "auth"],
  ["unexpected status 401 Unauthorized: Incorrect API key provided", "auth"],
  ["Prompt is too long · the request is ~210000 tokens", "context"],
  ["The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).", "context"],
  ["Codex ran out of room in the model's context window.", "context"],
  ['Error: Model "x/y" not found. Use --list-models to see available models.', "other"],
  ["Reached maximum number of turns (1)", "other"],
  ["it was terminated by the user", "other"],
];

test("without structure the words decide, in the order context, login, quota, rate, capacity", () => {
  for (const [message, expected] of byWords) assert.equal(meaning({ message }), expected, message);
});

test("a number is a status only where it stands as one", () => {
  for (const message of [
    "wrote 429 lines",
    "the file has 500 entries, expected 503",
    "cost 401 credits",
    "Reached maximum budget ($500)",
    "port 4290 and id 5291",
  ]) {
    assert.equal(meaning({ message }), "other", message);
  }
});

test("a bad request may quote what it was sent: the word of a limit in it is the task's", () => {
  const quoted = "messages.3.content: invalid value 'HTTP 429 rate limit, service unavailable'";
  assert.equal(meaning({ status: 400, message: quoted }), "refused");
  assert.equal(meaning({ message: `400 ${quoted}` }), "refused");
  assert.equal(meaning({ status: 400, message: "Your credit balance is too low to access the API" }), "quota");
  assert.equal(meaning({ status: 400, message: "API key not valid. Please pass a valid API key." }), "auth");
  assert.equal(meaning({ status: 400, message: "API key expired. Please renew the API key." }), "auth");
  assert.equal(meaning({ status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" }), "context");
});

test("a bound that a person set is no limit, whatever its number", () => {
  for (const type of ["error_max_budget_usd", "error_max_turns", "error_max_structured_output_retries"]) {
    assert.equal(meaning({ type, message: "Reached maximum budget: 429 rate limit" }, [/budget/i]), "other");
  }
});

test("patterns of the configuration come before the usual words and behind the structure, as often as asked", () => {
  const patterns = [/slow down, please/gi];
  for (let round = 0; round < 3; round += 1) {
    assert.equal(meaning({ message: "Slow down, please: unauthorized" }, patterns), "rate_limit");
  }
  assert.equal(meaning({ message: "slow down, please", status: 401 }, patterns), "auth");
  assert.equal(meaning({ message: "slow down, please", status: 400 }, patterns), "rate_limit");
});

test("a very long message is read at its beginning only, and quickly", () => {
  const used = startCpuTime();
  assert.equal(meaning({ message: `${"x".repeat(5_000)} rate limit` }), "other");
  assert.equal(meaning({ message: "hit your a b c d-e ".repeat(100_000) }), "other");
  assert.equal(meaning({ message: "you exceeded your current quota ".repeat(100_000) }), "quota");
  assert.ok(used() < 1_000);
});
