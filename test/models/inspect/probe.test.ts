import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ModelConfig } from "../../../lib/config/load-config.ts";
import { installStep } from "../../../lib/models/inspect/next-steps.ts";
import { type ProbeReport, type ProbeRequest, probeModel } from "../../../lib/models/inspect/probe.ts";
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

test("a limit is told with its end, and a login that is wanted with the way to it", async (t) => {
  const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_795_308_049 } };
  const limited = await probe(t, { claude: printsEvents(limit, failedResult(429, "You've hit your 5-hour limit")) });
  assert.deepEqual(
    [limited.outcome, limited.until, limited.detail],
    ["limited", "2026-11-22T00:40:49.000Z", "claude: You've hit your 5-hour limit (429)"],
  );
  const login = await probe(t, { claude: printsEvents(failedResult(401, "Invalid API key")) });
  assert.deepEqual([login.outcome, login.next?.split(";")[0]], ["wants_login", "`claude auth login`"]);
});

test("one that hangs is ended in its time, and nothing of it lives", async (t) => {
  const folder = makeFolder(t);
  const lines = `test "$1" = auth && exit\nsh -c 'sleep 30; :' ${folder} &\nexec sh -c 'sleep 30; :' ${folder}`;
  const report = await probe(t, { claude: lines }, {}, { timeoutMs: 400 });
  assert.deepEqual([report.outcome, report.detail], ["hangs", "no answer within 0.4 s"]);
  assert.match(report.next ?? "", /^give it more time: task-phase probe --model claude --timeout 5m; /);
  assert.deepEqual(findLiving(folder), []);
});

test("one that says nothing is asked whether somebody is logged in, and its no is told", async (t) => {
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

test("what does not exist is missing, and nothing is started", async (t) => {
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
