import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { passedOn } from "../../../lib/agents/run/model-environment.ts";
import { checkEnvironment } from "../../../lib/checks/runs/environment.ts";
import { notifyLoop, notifyPass, pingMonitor, type TellingPorts } from "../../../lib/notify/events/notify-verdict.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import { evidenceJson, type PassReport } from "../../../lib/task/request.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { receive, target } from "../arrange.ts";

const at = "2026-11-21T10:00:00.000Z";
const token = `ghp_${"A1b2C3d4".repeat(5)}`;
const nowhere = "/nowhere/tasks/T-1";

const report = {
  task: "T-1",
  pass: 3,
  from: "implement",
  to: "blocked",
  verdict: "accepted",
  reason: "implement → blocked",
  exit_code: 21,
  exit_name: "blocked",
  model: "mine",
  cost_usd: 0.5,
  evidence: {
    path: join(nowhere, "artifacts", "evidence.html"),
    ...{ url: "https://git.example/o/r/blob/c/EVIDENCE.md", pushed: false },
  },
  details: { taskDir: nowhere },
} as unknown as PassReport;

const verdict = {
  type: "verdict",
  at,
  pass: 3,
  model: "mine",
  from: "implement",
  to: "blocked",
  verdict: "accepted",
  reason: "implement → blocked",
  escalation: null,
  end: { kind: "exited", exit_code: 0, result_event: true },
  cost_usd: 0.5,
  open_questions: [],
} as unknown as VerdictEvent;

function makePorts(parts: Partial<TellingPorts> = {}): TellingPorts & { readonly told: string[] } {
  const told: string[] = [];
  return {
    env: {},
    now: () => new Date(at),
    redactor: createRedactor({ SOME_TOKEN: "a-very-secret-value" }),
    signal: new AbortController().signal,
    tell: (stage, line) => void told.push(`${stage} ${line}`),
    sleep: async () => {},
    ...parts,
    told,
  };
}

test("a task that this call blocked is announced once, whole, with an id of its own", async (t) => {
  const there = await receive(t, 200);
  const ports = makePorts();
  const config = target({ webhookUrl: there.origin });
  assert.deepEqual(await notifyPass(config, { report, title: "The export", events: [verdict], asked: [] }, ports), []);
  const [sent, ...more] = there.received.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    [sent, ...more],
    [
      {
        version: 1,
        id: sent.id,
        event: "task.blocked",
        at,
        task: { id: "T-1", title: "The export" },
        from: "implement",
        to: "blocked",
        verdict: "accepted",
        reason: "implement → blocked",
        pass: 3,
        exit_code: 21,
        exit_name: "blocked",
        model: "mine",
        cost_usd: 0.5,
        questions: [],
        asked: [],
        evidence: "artifacts/evidence.html",
        evidence_url: "https://git.example/o/r/blob/c/EVIDENCE.md",
        evidence_pushed: false,
      },
    ],
  );
  assert.match(sent.id, /^msg_[0-9a-f]{32}$/);
  assert.equal(there.received[0]?.headers["webhook-id"], sent.id);
  assert.deepEqual(ports.told, [`CHECKPOINT sent to the webhook at ${there.host}: task.blocked`]);

  await notifyPass(config, { report, title: "The export", events: [verdict], asked: [] }, ports);
  const checkout = "/other/tasks/T-1";
  const path = join(checkout, "artifacts", "evidence.html");
  const details = { ...report.details, taskDir: checkout };
  const copy = { ...report, evidence: { ...report.evidence, path }, details };
  await notifyPass(config, { report: copy, title: "The export", events: [verdict], asked: [] }, ports);
  const bare = { ...report, evidence: evidenceJson(null, null) };
  await notifyPass(config, { report: bare, title: null, events: [verdict], asked: [] }, ports);
  const [first, again, other, last] = there.received.map(({ body }) => JSON.parse(body));
  assert.equal(again.id, first.id);
  assert.deepEqual({ ...other, id: first.id }, first);
  assert.notEqual(other.id, first.id);
  assert.deepEqual([last.evidence, last.evidence_url, last.task], [null, null, { id: "T-1", title: null }]);
});

test("a call that only finds a task blocked tells nothing, and so does one without a webhook", async (t) => {
  const there = await receive(t, 200);
  const found = { ...report, pass: null, verdict: null } as PassReport;
  const config = target({ webhookUrl: there.origin });
  assert.deepEqual(await notifyPass(config, { report: found, title: null, events: [], asked: [] }, makePorts()), []);
  assert.deepEqual(
    await notifyPass(target({}), { report, title: null, events: [verdict], asked: [] }, makePorts()),
    [],
  );
  assert.equal(there.received.length, 0);
});

test("tokens and the values of secret variables never leave in a body", async (t) => {
  const there = await receive(t, 200);
  const leaky = { ...report, reason: `key ${token}, a-very-secret-value` };
  const deed = { report: leaky, title: `about ${token}`, events: [verdict], asked: [] };
  await notifyPass(target({ webhookUrl: there.origin }), deed, makePorts());
  const body = JSON.parse(there.received[0]?.body ?? "");
  assert.deepEqual(
    [body.reason, body.task.title],
    ["key [redacted:github], [redacted:env]", "about [redacted:github]"],
  );
});

test("a long reason is cut after it was redacted", async (t) => {
  const there = await receive(t, 200);
  const long = { ...report, reason: `${"ü".repeat(1_990)}${token}` };
  await notifyPass(
    target({ webhookUrl: there.origin }),
    { report: long, title: null, events: [verdict], asked: [] },
    makePorts(),
  );
  assert.equal(JSON.parse(there.received[0]?.body ?? "").reason, `${"ü".repeat(1_990)}[redacted…`);
});

test("a webhook that fails is one warning, and the pass's own exit is what the body says", async (t) => {
  const there = await receive(t, 500);
  const ports = makePorts();
  const findings = await notifyPass(
    target({ webhookUrl: there.origin }),
    { report, title: null, events: [verdict], asked: [] },
    ports,
  );
  assert.deepEqual(
    findings.map(({ severity, code }) => `${severity} ${code}`),
    ["warning TP_NOTIFY_FAILED"],
  );
  assert.deepEqual([there.received.length, ports.told], [3, []]);
});

test("a defect while telling is a warning too, never an error", async () => {
  const broken = makePorts({
    redactor: {
      ...createRedactor({}),
      redact: () => {
        throw new Error("no pattern \x1b[31m");
      },
    },
  });
  const config = target({ webhookUrl: "http://127.0.0.1:1" });
  const deed = { report, title: null, events: [verdict] satisfies TaskEvent[], asked: [] };
  assert.deepEqual(
    (await notifyPass(config, deed, broken)).map(({ severity, code, message }) => [severity, code, message]),
    [["warning", "TP_NOTIFY_FAILED", "the webhook was not sent: no pattern \\x1b[31m"]],
  );
  const odd = makePorts({ sleep: () => Promise.reject("no clock") });
  const [finding] = await notifyPass(config, deed, odd);
  assert.equal(finding?.message, "the webhook was not sent: no clock");
});

test("a loop that a budget stopped is announced if it ran a pass, and not at each later tick", async (t) => {
  const there = await receive(t, 200);
  const config = target({ webhookUrl: there.origin });
  const end = { exitName: "budget", reason: `spent; ${token}`, passes: 4, costUsd: 1.5, run: "r-1" } as const;
  assert.deepEqual(await notifyLoop(config, end, makePorts()), []);
  await notifyLoop(config, { ...end, passes: 0 }, makePorts());
  await notifyLoop(target({}), end, makePorts());
  const [sent, ...more] = there.received.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    [sent, ...more],
    [
      {
        version: 1,
        id: sent.id,
        event: "loop.stopped",
        at,
        task: null,
        from: null,
        to: null,
        verdict: null,
        reason: "spent; [redacted:github]",
        pass: null,
        exit_code: 2,
        exit_name: "budget",
        model: null,
        cost_usd: 1.5,
        questions: [],
        asked: [],
        evidence: null,
        evidence_url: null,
        evidence_pushed: null,
      },
    ],
  );
});

test("the monitor is pinged by how the call ended", async (t) => {
  const there = await receive(t, 200);
  const config = target({ pingUrl: `${there.origin}/key` });
  for (const exitName of ["ok", "blocked", "failure", "locked"] as const) {
    assert.deepEqual(await pingMonitor(config, exitName, makePorts()), []);
  }
  assert.deepEqual(await pingMonitor(target({}), "ok", makePorts()), []);
  assert.deepEqual(
    there.received.map(({ path }) => path),
    ["/key", "/key", "/key/fail"],
  );
  assert.match(there.received[0]?.headers["user-agent"] ?? "", /^task-phase\/\d+\.\d+\.\d+/);
});

test("a model gets the webhook's secret only where its env names it, and a check never one that begins with TASK_PHASE_", () => {
  const env = { PATH: "/bin", TASK_PHASE_WEBHOOK_SECRET: "hidden" };
  assert.deepEqual(passedOn(env, ["OTHER_KEY"]), { PATH: "/bin" });
  assert.deepEqual(passedOn(env, ["TASK_PHASE_WEBHOOK_SECRET"]), env);
  assert.deepEqual(checkEnvironment(env), { PATH: "/bin" });
});
