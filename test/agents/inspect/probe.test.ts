import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { installStep } from "../../../lib/agents/inspect/next-steps.ts";
import {
  judgeProbe,
  type ProbeJudgement,
  type ProbeReport,
  type ProbeRequest,
  probeModel,
} from "../../../lib/agents/inspect/probe.ts";
import type { ModelConfig } from "../../../lib/documents/config/load-config.ts";
import type { ModelEnd } from "../../../lib/rules/model-end.ts";
import { lives, makeFolder, pidIn } from "../../process/arrange.ts";
import { findLiving } from "../../process/find-living.ts";
import { modelConfig } from "../arrange.ts";
import { failedResult, goodResult, makeAsking, printsEvents, writePrograms } from "../programs.ts";

const nothing = { durationMs: null, costUsd: null, tokens: { input: null, output: null } };

async function probe(
  t: TestContext,
  programs: Readonly<Record<string, string>>,
  model: Partial<ModelConfig> = {},
  changes: Partial<ProbeRequest> = {},
): Promise<ProbeReport> {
  const bin = writePrograms(makeFolder(t), programs);
  const asked = modelConfig({ name: "claude", adapter: "claude", command: null, folder: bin, ...model });
  return probeModel(asked, {
    ...makeAsking(t),
    env: { PATH: bin },
    now: () => new Date("2026-11-22T04:00:00.000Z"),
    timeoutMs: 10_000,
    graceMs: 150,
    sandbox: false,
    ...changes,
  });
}

test("a model that answers is reported with its cost and tokens", async (t) => {
  const { durationMs, ...report } = await probe(t, { claude: printsEvents(goodResult) });
  assert.deepEqual(report, {
    name: "claude",
    adapter: "claude",
    costUsd: 0.0021,
    tokens: { input: 30, output: 4 },
    outcome: "answers",
    detail: "ready",
    until: null,
    next: null,
  });
  assert.ok(durationMs !== null && durationMs >= 0);
});

test("it is called as in a pass: cheap tier, prompt on standard input, an empty folder as repo and task", async (t) => {
  const folder = makeFolder(t);
  const lines = `cat > ${folder}/stdin; printf '%s\\n' "$@" > ${folder}/argv; pwd > ${folder}/pwd; ls -A > ${folder}/ls; env > ${folder}/env\n${printsEvents(goodResult)}`;
  await probe(t, { claude: lines }, { args: ["--model", "opus"], env: ["MY_KEY"] }, {});
  const read = (name: string) => readFileSync(join(folder, name), "utf8").trim();
  assert.match(read("stdin"), /^Reply with the one word: ready$/m);
  assert.deepEqual(read("argv").split("\n").slice(-2), ["--model", "haiku"]);
  assert.equal(read("ls"), "");
  const env = read("env").split("\n");
  assert.deepEqual(
    [`TASK_PHASE_REPO=${read("pwd")}`, `TASK_PHASE_TASK_DIR=${read("pwd")}`, "TASK_PHASE_PASS=0"].filter(
      (line) => !env.includes(line),
    ),
    [],
  );
});

test("a limit is reported with its end, and a missing login with the way to log in", async (t) => {
  const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_795_308_049 } };
  const limited = await probe(t, { claude: printsEvents(limit, failedResult(429, "You've hit your 5-hour limit")) });
  assert.deepEqual(
    [limited.outcome, limited.until, limited.detail],
    ["limited", "2026-11-22T00:40:49.000Z", "claude: You've hit your 5-hour limit (429)"],
  );
  const login = await probe(t, { claude: printsEvents(failedResult(401, "Invalid API key")) });
  assert.deepEqual([login.outcome, login.next?.split(";")[0]], ["wants_login", "`claude auth login`"]);
});

test("a probe that hangs is ended in time, and none of its processes survives", async (t) => {
  const folder = makeFolder(t);
  const lines = `test "$1" = auth && exit\nsh -c 'sleep 30; :' ${folder} &\nexec sh -c 'sleep 30; :' ${folder}`;
  const report = await probe(t, { claude: lines }, {}, { timeoutMs: 400 });
  assert.deepEqual([report.outcome, report.detail], ["hangs", "no answer within 0.4 s"]);
  assert.match(report.next ?? "", /^give it more time: task-phase probe --model claude --timeout 5m; /);
  assert.deepEqual(findLiving(folder), []);
});

test("a silent CLI is asked whether somebody is logged in, and its no is reported", async (t) => {
  const lines = 'test "$1" = login && exit 1\necho "it broke" >&2; exit 4';
  const codex: Partial<ModelConfig> = { name: "codex", adapter: "codex" };
  const report = await probe(t, { codex: lines }, codex);
  assert.deepEqual(
    [report.outcome, report.detail.endsWith("; codex reports that nobody is logged in"), report.next?.split(";")[0]],
    ["failed", true, "`codex login`"],
  );
  const asked = await probe(t, { codex: lines.replace("exit 1", "exit 0") }, codex);
  assert.match(asked.next ?? "", /^try it by hand[^;]*$/);
  const mute = await probe(t, { gemini: "exit 4" }, { name: "gemini", adapter: "gemini" });
  assert.match(mute.next ?? "", /^try it by hand[^;]*; if not logged in: start `gemini` and choose a login; /);
});

test("a program that does not exist is missing, and nothing is started", async (t) => {
  assert.deepEqual(await probe(t, {}), {
    name: "claude",
    adapter: "claude",
    ...nothing,
    outcome: "missing",
    detail: "claude was not found on PATH",
    until: null,
    next: installStep("claude"),
  });
});

test("any command is asked the same way", async (t) => {
  const command = { name: "mine", adapter: "command" as const, command: ["./mine"] };
  const good = await probe(t, { mine: "cat > /dev/null; echo ready" }, command);
  assert.deepEqual([good.outcome, good.detail, good.costUsd], ["answers", "ready", null]);
  const bad = await probe(t, { mine: "echo oh; exit 1" }, command);
  assert.equal(bad.outcome, "failed");
  assert.match(bad.next ?? "", /^try it by hand: \/\S+\/mine$/);
});

test("a probe that is stopped ends at once, and leaves no process", async (t) => {
  const folder = makeFolder(t);
  const stop = new AbortController();
  const running = probe(t, { claude: `echo $$ > ${folder}/pid; exec sleep 30` }, {}, { abort: stop.signal });
  while (!readdirSync(folder).includes("pid")) await new Promise((resolve) => setTimeout(resolve, 10));
  stop.abort("SIGINT");
  const report = await running;
  assert.deepEqual([report.outcome, report.next], [null, null]);
  assert.equal(lives(pidIn(join(folder, "pid"))), false);
});

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

test("the output of a command is its answer only if it exits with 0", () => {
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
