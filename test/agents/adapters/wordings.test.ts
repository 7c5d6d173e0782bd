import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters } from "../../../lib/agents/adapters/adapters.ts";
import type { ErrorMeaning } from "../../../lib/agents/adapters/limits.ts";
import type { CliName } from "../../../lib/documents/config/adapter-names.ts";
import { jsonLines, meaningOf, reportOfOutput } from "../recorded.ts";

/** A Sunday. */
const now = Date.UTC(2026, 10, 22, 4, 0);
const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const utc = (month: number, date: number, hours = 0, minutes = 0, year = 2026) =>
  Date.UTC(year, month - 1, date, hours, minutes);
/** On the clock of this machine. */
const local = (month: number, date: number, hours = 0, minutes = 0) =>
  new Date(2026, month - 1, date, hours, minutes).getTime();
const nextLocal = (hours: number, minutes = 0) => {
  const today = new Date(now);
  const at = (days: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hours, minutes).getTime();
  return at(0) >= now ? at(0) : at(1);
};

/** The bare words of an end, in the events of each CLI: no status and no kind of error beside them. */
const ends: Readonly<Record<CliName, (message: string) => string>> = {
  claude: (result) =>
    jsonLines(
      { type: "assistant", message: { model: "<synthetic>", content: [] }, parent_tool_use_id: null },
      { type: "result", subtype: "success", is_error: true, result },
    ),
  codex: (message) => jsonLines({ type: "turn.failed", error: { message } }),
  gemini: (message) => jsonLines({ type: "result", status: "error", error: { type: "unknown", message } }),
  copilot: (message) =>
    jsonLines({ type: "session.error", data: { errorType: "query", message } }, { type: "result", exitCode: 1 }),
  qwen: (message) => jsonLines({ type: "result", is_error: true, error: { message: `[API Error: ${message}]` } }),
  opencode: (message) => jsonLines({ type: "error", error: { name: "UnknownError", data: { message } } }),
  pi: (errorMessage) =>
    jsonLines({ type: "message_end", message: { role: "assistant", stopReason: "error", errorMessage, content: [] } }),
};

const codexBody = {
  type: "error",
  error: { type: "usage_limit_reached", message: "The usage limit has been reached", resets_in_seconds: 13_872 },
};

/** Seen in issues of the CLIs, in their sources and their binaries. Null: the words give no time. */
const wordings: readonly (readonly [CliName, ErrorMeaning, number | null, string])[] = [
  ["claude", "rate_limit", utc(11, 22, 21, 30), "You've hit your session limit · resets 10:30pm (Europe/Berlin)"],
  ["claude", "rate_limit", utc(11, 22, 7, 50), "You've hit your session limit · resets 1:20pm (Asia/Calcutta)"],
  ["claude", "rate_limit", utc(11, 23, 1, 30), "You've hit your session limit · resets 2:30pm (Pacific/Auckland)"],
  ["claude", "rate_limit", nextLocal(19), "You've hit your session limit · resets 7pm"],
  [
    "claude",
    "rate_limit",
    utc(11, 26, 23, 0),
    "You've hit your weekly limit · resets Nov 27 at 4:30am (Asia/Calcutta)",
  ],
  ["claude", "rate_limit", local(11, 25, 19), "You've hit your weekly limit · resets Nov 25 at 7pm"],
  ["claude", "rate_limit", utc(12, 1, 2), "You've hit your weekly limit · resets Dec 1, 2am (UTC)"],
  ["claude", "rate_limit", utc(1, 3, 2, 0, 2027), "You've hit your weekly limit · resets Jan 3, 2am (UTC)"],
  [
    "claude",
    "rate_limit",
    utc(11, 22, 1) + day,
    "Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to increase",
  ],
  ["claude", "rate_limit", nextLocal(15), "5-hour limit reached ∙ resets 3pm"],
  ["claude", "rate_limit", nextLocal(15), "Session limit reached ∙ resets 3pm"],
  ["claude", "rate_limit", utc(11, 22, 8), `Claude AI usage limit reached|${utc(11, 22, 8) / second}`],
  ["claude", "quota", local(12, 1), "You've reached your monthly spend limit · resets Dec 1"],
  ["claude", "quota", nextLocal(15), "You're out of extra usage · resets 3pm"],
  ["claude", "quota", null, "Your org is out of usage"],
  ["claude", "auth", null, "Login expired · Please run /login"],
  ["claude", "auth", null, "OAuth session expired"],
  ["claude", "auth", null, "OAuth token revoked · Please run /login"],
  [
    "codex",
    "rate_limit",
    now + 5 * day + 22 * hour + 660 * second,
    "You’ve hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.",
  ],
  [
    "codex",
    "rate_limit",
    now + 4 * day + 20 * hour + 540 * second,
    "You’ve hit your usage limit. Try again in 4 days 20 hours 9 minutes.",
  ],
  [
    "codex",
    "rate_limit",
    local(12, 5, 20, 19),
    "You’ve hit your usage limit. Visit the page to buy more or try again at Dec 5th, 2026 8:19 PM.",
  ],
  ["codex", "rate_limit", nextLocal(15, 42), "You’ve hit your usage limit. Try again at 3:42 PM."],
  ["codex", "rate_limit", local(11, 24, 9, 5), "You’ve hit your usage limit. Try again at Nov 24th, 2026 9:05 AM."],
  ["codex", "rate_limit", null, "You’ve hit your usage limit. Try again at 10 de dez. de 2026, 11:52."],
  ["codex", "rate_limit", now + 60 * second, "You’ve hit your usage limit. Try again in less than a minute."],
  [
    "codex",
    "auth",
    null,
    "Your access token could not be refreshed because your refresh token has expired. Please log out and sign in again.",
  ],
  [
    "codex",
    "auth",
    null,
    "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.",
  ],
  [
    "codex",
    "auth",
    null,
    "Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again.",
  ],
  [
    "gemini",
    "rate_limit",
    utc(11, 23, 1, 57),
    "Usage limit reached for gemini-2.5-pro. Access resets at 10:57 PM GMT-3.",
  ],
  [
    "gemini",
    "rate_limit",
    now + (3 * 3_600 + 725) * second,
    "You have exhausted your capacity on this model. Your quota will reset after 3h12m5s.",
  ],
  [
    "gemini",
    "rate_limit",
    now + 15_003,
    "[API Error: You exceeded your current quota. Please retry in 15.002899939s.]",
  ],
  ["gemini", "rate_limit", null, "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'per minute'"],
  ["copilot", "quota", now + 5 * day, "You exceeded your current quota. Please try again in 5 days."],
  ["qwen", "rate_limit", now + 90 * second, "429 Too many requests, please try again in 1m30s"],
  ["opencode", "rate_limit", null, "The usage limit has been reached"],
  ["opencode", "rate_limit", now + 2 * hour + 14 * 60 * second, "Usage limit reached. Resets in 2 hours 14 minutes"],
  ["pi", "quota", now + 13_872 * second, `Codex error: ${JSON.stringify(codexBody)}`],
  [
    "pi",
    "rate_limit",
    now + 231 * 60 * second,
    "You have hit your ChatGPT usage limit (plus plan). Try again in ~231 min.",
  ],
  ["pi", "rate_limit", now + 7_200 * second, "Server requested 7200s retry delay (max: 60s)."],
];

for (const [cli, meaning, resetAt, words] of wordings) {
  test(`${cli}: ${words.slice(0, 90)}`, () => {
    const report = reportOfOutput(adapters[cli], ends[cli](words), { exitCode: 1, now });
    assert.deepEqual([meaningOf(report), report.error?.resetAt], [meaning, resetAt]);
  });
}

test("opencode gives the time of a limit in a header or in the provider's answer", () => {
  const wait = (data: object) => {
    const error = { name: "APIError", data: { message: "Free usage exceeded", statusCode: 429, ...data } };
    const report = reportOfOutput(adapters.opencode, jsonLines({ type: "error", error }), { exitCode: 1, now });
    return [meaningOf({ ...report, sessionId: null }), report.error?.resetAt];
  };
  assert.deepEqual(wait({ responseHeaders: { "retry-after": "73801" } }), ["rate_limit", now + 73_801 * second]);
  const body = { error: { type: "usage_limit_reached", message: "x", resets_at: utc(11, 22, 9) / second } };
  assert.deepEqual(wait({ responseBody: JSON.stringify(body) }), ["quota", utc(11, 22, 9)]);
});

test("the words of a provider's error are no error in an agent's answer", () => {
  const spoken: Readonly<Record<CliName, (text: string) => string>> = {
    claude: (result) =>
      jsonLines(
        { type: "assistant", message: { model: "claude-large", content: [] }, parent_tool_use_id: null },
        { type: "result", subtype: "success", is_error: false, result },
      ),
    codex: (text) =>
      jsonLines(
        { type: "item.completed", item: { type: "agent_message", text } },
        { type: "turn.completed", usage: {} },
      ),
    gemini: (content) =>
      jsonLines({ type: "message", role: "assistant", content }, { type: "result", status: "success", stats: {} }),
    copilot: (content) => jsonLines({ type: "assistant.message", data: { content } }, { type: "result", exitCode: 0 }),
    qwen: (result) =>
      jsonLines(
        { type: "assistant", message: { content: [{ type: "text", text: result }], usage: { output_tokens: 9 } } },
        { type: "result", subtype: "success", is_error: false, result },
      ),
    opencode: (text) =>
      jsonLines(
        { type: "step_start" },
        { type: "text", part: { text } },
        { type: "step_finish", part: { reason: "stop" } },
      ),
    pi: (text) =>
      jsonLines(
        { type: "message_end", message: { role: "assistant", stopReason: "stop", content: [{ type: "text", text }] } },
        { type: "agent_end" },
      ),
  };
  for (const [cli, , , words] of wordings) {
    const { error, finalText, ended } = reportOfOutput(adapters[cli], spoken[cli](words), { stderrTail: words });
    assert.deepEqual([error, finalText, ended], [null, words, true], `${cli}: ${words}`);
  }
});
