import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { codex } from "../../../lib/agents/adapters/codex.ts";
import {
  recordedCall as call,
  emptyReport,
  jsonLines as lines,
  meaningOf,
  recordedPath,
  reportOf,
  reportOfOutput,
  type WithoutId,
  wroteHello,
} from "../recorded.ts";

const always = ["exec", "--json", "--color", "never", "--skip-git-repo-check", "--ephemeral"];

const empty: WithoutId = { ...emptyReport, note: null };
const wrote: WithoutId = { ...empty, ...wroteHello, tokens: { input: 3_000, output: 90 } };

/** The report, the session's id aside. */
function read(name: string, exit: Parameters<typeof reportOf>[2] = {}): WithoutId {
  const { sessionId, ...report } = reportOf(codex, name, exit);
  assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
  return report;
}

const said = (text: unknown) => ({ type: "item.completed", item: { id: "item_1", type: "agent_message", text } });
const ran = (changes: object = {}) => ({
  type: "item.completed",
  item: { type: "command_execution", command: "npm test", aggregated_output: "", exit_code: 0, ...changes },
});
const failed = (message: unknown) => ({ type: "turn.failed", error: { message } });
const completed = { type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } };

test("in its own sandbox it may write to the repo and to a task folder that lies elsewhere", () => {
  const sandbox = ["--sandbox", "workspace-write"];
  assert.deepEqual(codex.argv(call), [...always, ...sandbox, "--add-dir", "/tasks/T-1", "-"]);
  assert.deepEqual(codex.argv({ ...call, taskDir: "/repo/tasks/T-1" }), [...always, ...sandbox, "-"]);
});

test("in the runner's sandbox it has none of its own", () => {
  assert.deepEqual(codex.argv({ ...call, sandboxed: true, args: ["-m", "large"] }), [
    ...[...always, "--dangerously-bypass-approvals-and-sandbox", "--add-dir", "/tasks/T-1"],
    ...["-m", "large", "-"],
  ]);
});

test("another sandbox in the configuration's args stands alone: codex refuses a flag that stands twice", () => {
  for (const args of [["-s", "read-only"], ["--sandbox=read-only"]]) {
    assert.deepEqual(codex.argv({ ...call, args }), [...always, "--add-dir", "/tasks/T-1", ...args, "-"]);
  }
});

test("it prints times in the runner's own zone, and keeps what it writes below CODEX_HOME or the home folder", () => {
  assert.equal(codex.env.TZ, Intl.DateTimeFormat().resolvedOptions().timeZone);
  assert.deepEqual(codex.ownPaths({}, "/home/dev"), ["/home/dev/.codex"]);
  assert.deepEqual(codex.ownPaths({ CODEX_HOME: "" }, "/home/dev"), ["/home/dev/.codex"]);
  assert.deepEqual(codex.ownPaths({ CODEX_HOME: "/etc/codex" }, "/home/dev"), ["/etc/codex"]);
});

const waitLine = (wait: string, error: string) =>
  `2026-11-23T07:00:24.621715Z  WARN codex_core::responses_retry: stream disconnected - retrying sampling request (1/5 in ${wait})... turn_id=01a20734-b53f-7690-9492-9e770ab15433 retries=1 max_retries=5 sampling_error=${error}`;
const tooMany = "exceeded retry limit, last status: 429 Too Many Requests";
const again = { type: "error", message: `Reconnecting... 1/5 (${tooMany})` };

test("its log has the length of its wait: a minute or more is its error if it is ended then", () => {
  const now = 1_000_000;
  const reader = codex.openReader();
  assert.equal(codex.env.RUST_LOG, "error,codex_core::responses_retry=warn");
  assert.equal(reader.errorLine?.(waitLine("3599.999790728s", tooMany), now), 0);
  const { error } = reader.report({ exitCode: null, stderrTail: "", now, waited: true });
  assert.deepEqual(error, { message: tooMany, status: 429, type: null, resetAt: now + 3_600_000 });
  assert.equal(reader.report({ exitCode: null, stderrTail: "", now }).error, null);
  for (const line of [
    waitLine("58.9s", tooMany),
    waitLine("200.5ms", tooMany),
    waitLine("3600s", tooMany).replace("responses_retry", "other"),
    waitLine("3600s", tooMany).replace(" WARN ", " INFO "),
    tooMany,
  ])
    assert.equal(codex.openReader().errorLine?.(line, now), null, line);
});

test("without a network its pauses grow: one of a minute means that the provider cannot be reached", () => {
  const offline = (delay: string) =>
    `2026-11-23T07:04:54.692891Z  WARN codex_core::responses_retry: stream connection failed; waiting to retry turn_id=01a20737-728f-7110-b9ba-e2c07c9199da error=Connection failed: error sending request retry_delay=${delay}`;
  const reader = codex.openReader();
  assert.deepEqual(
    ["5s", "40s", "60s"].map((delay) => reader.errorLine?.(offline(delay), 0)),
    [null, null, 0],
  );
  const report = reader.report({ exitCode: null, stderrTail: "", now: 0, waited: true });
  assert.equal(report.error?.message, "Connection failed: error sending request");
  assert.equal(meaningOf(report), "overloaded");
});

test("that it tries again is no sign that it does more than wait", () => {
  const reader = codex.openReader();
  assert.deepEqual(
    [again, { type: "error", message: "other" }, { type: "turn.started" }, said("Reconnecting...")].map((event) =>
      reader.isRetry?.(event),
    ),
    [true, false, false, false],
  );
});

test("its exit code tells whether somebody is logged in", () => {
  const loggedIn = (exitCode: number | null) => codex.login?.loggedIn({ exitCode, stdout: "" });
  assert.deepEqual([loggedIn(0), loggedIn(1), loggedIn(2), loggedIn(null)], [true, false, null, null]);
});

test("a finished run has its final text and tokens; its cost is not known", () => {
  assert.deepEqual(read("edit"), wrote);
});

test("a run that recovered from a limit is a success, and its tries are counted", () => {
  assert.deepEqual(read("recovered"), { ...wrote, retries: 2 });
});

const noStatus = { status: null, type: null, resetAt: null };
const badKey =
  "unexpected status 401 Unauthorized: Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys., url: http://127.0.0.1:8080/v1/responses";
const planLimit = (at: string) =>
  `You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at ${at}.`;
const noRoom =
  "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";

const recordedErrors = [
  ["400ctx", "context", { ...noStatus, message: noRoom }, 0],
  ["401", "auth", { ...noStatus, message: badKey, status: 401 }, 5],
  ["no-key", "auth", { ...noStatus, message: "Missing environment variable: `ACME_API_KEY`." }, 0],
  [
    "429",
    "rate_limit",
    { ...noStatus, message: "exceeded retry limit, last status: 429 Too Many Requests", status: 429 },
    5,
  ],
  ["529", "overloaded", { ...noStatus, message: "Selected model is at capacity. Please try a different model." }, 0],
  ["cut", "overloaded", { ...noStatus, message: "stream disconnected before completion: error sending request" }, 5],
  ["quota", "quota", { ...noStatus, message: "Quota exceeded. Check your plan and billing details." }, 0],
] as const;

for (const [name, meaning, error, retries] of recordedErrors) {
  test(`the recording ${name} ended with an error that means ${meaning}`, () => {
    assert.deepEqual(read(name), { ...empty, error, retries });
    assert.equal(meaningOf(reportOf(codex, name)), meaning);
  });
}

test("the end of a plan's limit is read as the local time that it is, with and without its day", () => {
  const now = new Date(2026, 10, 22, 4, 0).getTime();
  const limited = (message: string, resetAt: number) => ({ ...empty, error: { ...noStatus, message, resetAt } });
  const withDay = read("usage", { now: new Date(2026, 10, 21, 23, 0).getTime() });
  assert.deepEqual(withDay, limited(planLimit("Nov 22nd, 2026 12:25 AM"), new Date(2026, 10, 22, 0, 25).getTime()));
  assert.deepEqual(
    read("usage-today", { now }),
    limited(planLimit("5:34 AM"), new Date(2026, 10, 22, 5, 34).getTime()),
  );
  assert.equal(meaningOf(reportOf(codex, "usage")), "rate_limit");
});

test("ended by a signal it says nothing more", () => {
  assert.deepEqual(read("sigterm", { exitCode: null, stderrTail: "429 Too Many Requests" }), empty);
});

test("a note reports that its own sandbox let no command run; the run keeps its own result", () => {
  const reason =
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)";
  assert.deepEqual(read("sandbox-blocked"), { ...wrote, note: `its own sandbox let no command run: ${reason}` });
  const stderrTail = readFileSync(recordedPath("codex", "home-in-tmp").replace(/jsonl$/, "stderr"), "utf8");
  assert.deepEqual(read("home-in-tmp", { stderrTail }), {
    ...wrote,
    note: "its own sandbox lets no command run while CODEX_HOME is in the temporary folder",
  });
  // With a command that ran, neither is true.
  assert.equal(read("edit", { stderrTail }).note, null);
  const blocked = ran({ status: "failed", aggregated_output: "bwrap: no", exit_code: 1 });
  assert.equal(reportOfOutput(codex, lines(blocked, ran())).note, null);
  assert.equal(reportOfOutput(codex, lines(ran({ status: "failed", aggregated_output: "a bwrap: no" }))).note, null);
});

test("words of a limit in answers, commands, warnings and plain lines are no error", () => {
  const text = "exceeded retry limit, last status: 429 Too Many Requests: rate limit, usage limit, 401 Unauthorized";
  const report = reportOfOutput(
    codex,
    [
      lines(said(text), ran({ aggregated_output: text, exit_code: 1, status: "failed" })),
      `${text}\n{"type":"turn.failed","error":{"mess\n`,
      lines({ type: "item.completed", item: { type: "error", message: text } }, { type: "error", message: text }),
      lines({ type: "rate_limit.reached", message: text }, said(text), completed),
    ].join(""),
  );
  assert.deepEqual(report, {
    ...empty,
    sessionId: null,
    finalText: text,
    ended: true,
    tokens: { input: 5, output: 1 },
  });
});

test("a status counts where the CLI's own words open the message, and not in what the provider said", () => {
  const error = (message: unknown) => reportOfOutput(codex, lines(failed(message))).error;
  assert.equal(error("unexpected status 503 Service Unavailable: x")?.status, 503);
  assert.equal(error("bad request: unexpected status 503")?.status, null);
  assert.deepEqual(error(429), { ...noStatus, message: "" });
  assert.deepEqual(reportOfOutput(codex, lines({ type: "turn.failed" })).error, { ...noStatus, message: "" });
});

test("a message before more work is not its answer, and an end behind the answer takes nothing away", () => {
  const started = (type: string) => ({ type: "item.started", item: { type } });
  const answer = (...events: readonly object[]) => reportOfOutput(codex, lines(...events)).finalText;
  assert.equal(answer(said("<promise>COMPLETE</promise>"), started("command_execution"), completed), "");
  assert.equal(answer(said("I begin."), started("file_change"), said("done"), ran(), completed), "done");
  assert.equal(answer(said("done"), started("todo_list"), started("reasoning"), { type: "item.started" }), "");
  assert.equal(answer(said("done"), started("todo_list"), started("reasoning"), completed), "done");
  assert.equal(answer(said(7)), "");
});

test("numbers that are none, and names that are none, are not known", () => {
  const usage = { input_tokens: "3000", output_tokens: -1 };
  const thread = (thread_id: unknown) => ({ type: "thread.started", thread_id });
  const report = reportOfOutput(codex, lines(thread("x".repeat(1_000_000)), { type: "turn.completed", usage }));
  assert.deepEqual(report, { ...empty, sessionId: null, ended: true });
  assert.equal(reportOfOutput(codex, lines(thread("01a2-b"))).sessionId, "01a2-b");
});

test("a turn that completed after all has no error", () => {
  const report = reportOfOutput(codex, lines(failed("unexpected status 503 Service Unavailable"), completed));
  assert.deepEqual([report.error, report.ended], [null, true]);
});

test("of an answer longer than any line may be, only that it ended is known", () => {
  const report = reportOfOutput(codex, lines(said("x".repeat(9 * 1024 * 1024)), completed));
  assert.deepEqual([report.finalText, report.ended], ["", true]);
});

test("no object makes the reader throw", () => {
  const type = fc.constantFrom("thread.started", "item.started", "item.completed", "error", "turn.failed", "x");
  const item = fc.record({ type: fc.constantFrom("agent_message", "command_execution", 1), text: fc.jsonValue() });
  const event = fc.record({
    type,
    item: fc.oneof(item, fc.jsonValue()),
    error: fc.jsonValue(),
    message: fc.jsonValue(),
    usage: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const report = reportOfOutput(codex, lines(...events));
      assert.equal(typeof report.finalText, "string");
    }),
  );
});
