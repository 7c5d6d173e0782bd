import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  dryReport,
  type PassEnd,
  passReport,
  stoppedReport,
  unkeptReport,
  unkeptStop,
  withMoves,
} from "../../lib/pass/pass-report.ts";
import type { PassCall, PreparedPass } from "../../lib/pass/prepared-pass.ts";
import { escalate } from "../../lib/rules/escalate.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import type { PassReport } from "../../lib/task/request.ts";
import { stop } from "../../lib/task/session.ts";
import { infoFinding, warningFinding } from "../../lib/text/finding.ts";
import { check, checkRun, tamper, verdictEvent } from "../rules/arrange.ts";
import { holdTask, judged, noon } from "./verdict/arrange.ts";

async function makeCall(t: TestContext) {
  const { session } = await holdTask(t, "implement");
  const call = {
    ...{ place: session.place, ports: session.ports, trace: { list: () => [] } },
    startedAt: new Date(Date.parse(noon) - 1_500),
  } as unknown as PassCall;
  return { session, call };
}

interface Ended {
  readonly event?: Partial<VerdictEvent>;
  readonly decision?: Partial<PassEnd["decision"]>;
  readonly aborted?: boolean;
  readonly fence?: boolean;
}

/** The report of a pass from implement with this verdict. */
async function report(t: TestContext, { event = {}, decision = {}, aborted = false, fence = false }: Ended = {}) {
  const { session, call } = await makeCall(t);
  const ports = fence ? { ...call.ports, fence: {} as NonNullable<typeof call.ports.fence> } : call.ports;
  const prepared = {
    ...{ session, pass: 2, model: { name: "mine" }, contract: { contract: { id: "T-1" } } },
    watch: { aborted: () => aborted },
  } as unknown as PreparedPass;
  const end: PassEnd = {
    decision: { ...judged("implement", "implement").decision, ...decision },
    event: verdictEvent(
      "implement",
      "implement",
      { state: "", contract: "" },
      { pass: 2, put_back: [], over_bounds: null, ...event },
    ),
    outcome: { costUsd: 0.5, tokens: { input: 1, output: 2 } } as PassEnd["outcome"],
    told: [infoFinding("TP_TOLD", "the model said so", {})],
  };
  return passReport(prepared, { ...call, ports }, end);
}

const words = ({ findings }: PassReport) => findings.map(({ code, message, fix }) => `${code}: ${message}; ${fix}`);

describe("the report of a pass", () => {
  test("has what was decided, used and checked", async (t) => {
    const checks = checkRun([check({ name: "tests" })]);
    const made = await report(t, { event: { checks, duration_ms: 7, open_questions: ["Q1"] } });
    assert.deepEqual(
      [made.task, made.pass, made.from, made.to, made.model, made.duration_ms, made.cost_usd, made.next_eligible_at],
      ["T-1", 2, "implement", "implement", "mine", 7, 0.5, null],
    );
    assert.deepEqual([made.validators.map(({ name }) => name), made.details.asks], [["tests"], ["Q1"]]);
    assert.deepEqual(words(made), ["TP_TOLD: the model said so; null"]);
  });

  test("says what a stop means, and asks nothing if the task is done", async (t) => {
    const escalation = escalate("passes", "implement", "all are spent");
    const stopped = await report(t, { decision: { escalation, reason: "it failed" } });
    assert.deepEqual([stopped.reason, stopped.details.escalated], [`it failed. ${escalation.blockers}`, "passes"]);
    const same = await report(t, { decision: { escalation, reason: "all are spent" } });
    assert.equal(same.reason, escalation.blockers);
    const done = await report(t, { decision: { to: "done" }, event: { open_questions: ["Q1"] } });
    assert.deepEqual(done.details.asks, []);
  });

  test("of a pass that a person aborted ends with that, whatever the verdict", async (t) => {
    const aborted = await report(t, { aborted: true });
    assert.deepEqual([aborted.exit_name, aborted.details.aborted], ["paused", true]);
  });

  test("warns of what was put back, with where the changed version is", async (t) => {
    const put_back = [
      tamper({ path: "EVIDENCE.md", change: "changed", by: "model", detail: null }),
      tamper({ path: "SUMMARY.md", change: "added", by: "model", detail: null }),
      tamper({ path: "DECISIONS.md", change: "removed", by: "validators", detail: "an answer" }),
    ];
    const [first, added, second] = words(await report(t, { event: { put_back } }));
    assert.match(added ?? "", /the pass added SUMMARY\.md, which the runner writes; it was removed; /);
    assert.equal(
      first,
      "TP_PUT_BACK: the pass changed EVIDENCE.md, which the runner writes; it was restored; the changed version is kept in artifacts/passes/0002/kept/",
    );
    assert.equal(second, "TP_PUT_BACK: a validator or scenario removed DECISIONS.md: an answer; null");
  });

  test("names where an edit of the brief during the pass is, which a person may have made", async (t) => {
    const [kept] = words(await report(t, { event: { tampering: [tamper(), tamper({ change: "removed" })] } }));
    assert.match(kept ?? "", /^TP_FILE_KEPT: the brief was edited .*artifacts\/passes\/0002\/kept\/README\.md$/);
    const repos = await report(t, { event: { tampering: [tamper({ guard: "protected" })] } });
    assert.deepEqual(words(repos), words(await report(t)));
  });

  test("warns of code that changed in a phase that is not for it, unless a person changed it", async (t) => {
    const fingerprint = { before: "a", after: "b", present: null };
    const paths = (count: number, person?: string) =>
      Array.from({ length: count }, (_, at) => ({
        path: `p${at}`,
        change: "changed",
        ...(person === undefined ? {} : { person }),
      }));
    const stray = async (event: object, fence = false) =>
      words(
        await report(t, { event: { from: "shape", fingerprint, ...event } as Partial<VerdictEvent>, fence }),
      ).filter((one) => one.startsWith("TP_STRAY_CODE"));
    const [one] = await stray({ changed_paths: paths(7) });
    assert.match(
      one ?? "",
      /in shape, .*: p0, p1, p2, p3, p4 and 2 more; read .*0002\/changes\.patch; the change is still in the repo$/,
    );
    assert.match((await stray({ changed_paths: paths(1) }, true))[0] ?? "", /: p0; .* are committed with this pass$/);
    assert.deepEqual(await stray({ changed_paths: paths(1, "9a01b22 Fix it") }), []);
    assert.deepEqual(await stray({ changed_paths: paths(1), from: "implement" }), []);
    assert.deepEqual(await stray({ changed_paths: paths(1), fingerprint: { ...fingerprint, after: "a" } }), []);
  });

  test("shows a change that is broader than usual", async (t) => {
    const over_bounds = {
      phase: "verify",
      files: 12,
      lines: 3,
      most: { files: 10, lines: 200 },
    } as VerdictEvent["over_bounds"];
    assert.match(words(await report(t, { event: { over_bounds } }))[0] ?? "", /^TP_BOUNDS: /);
  });
});

test("the moves before a pass are in its report, those of no pass with their findings alone", async (t) => {
  const last = await report(t);
  assert.equal(withMoves(last, []), last);
  const warning = warningFinding("TP_MOVE", "moved", {});
  const move = {
    ...last,
    pass: 1,
    from: "shape",
    to: "implement",
    reason: "it is whole",
    findings: [warning],
  } as PassReport;
  const all = withMoves(last, [move, { ...move, pass: null }]);
  assert.deepEqual(all.moves, [
    { pass: 1, from: "shape", to: "implement", verdict: move.verdict, reason: "it is whole" },
  ]);
  assert.deepEqual(
    [all.findings.map(({ code }) => code), all.details.moves.length],
    [["TP_MOVE", "TP_MOVE", "TP_TOLD"], 2],
  );
});

test("a verdict that another machine was before is no verdict of the task", async (t) => {
  const last = await report(t, { event: { open_questions: ["Q1"] } });
  const refusal = { exitName: "locked", findings: [warningFinding("TP_SUPERSEDED", "another was first", {})] } as const;
  const unkept = unkeptReport(last, refusal);
  assert.deepEqual(
    [unkept.verdict, unkept.to, unkept.reason, unkept.exit_name, unkept.details.asks, unkept.details.unkept],
    [null, null, "another was first", "locked", [], true],
  );
  const { session } = await makeCall(t);
  session.findings.push(infoFinding("TP_X", "x", {}));
  const stopped = unkeptStop(session, "T-1", refusal);
  assert.deepEqual(
    [stopped.task, stopped.reason, stopped.unkept, stopped.findings.map(({ code }) => code)],
    ["T-1", "another was first", true, ["TP_X", "TP_SUPERSEDED"]],
  );
});

test("a call without a model reports why it stopped, and how long it took", async (t) => {
  const { call } = await makeCall(t);
  const made = stoppedReport(call, { ...stop("blocked", "it is blocked", "implement"), task: "T-1", aborted: true });
  assert.deepEqual(
    [made.task, made.from, made.exit_name, made.reason, made.verdict, made.duration_ms],
    ["T-1", "implement", "blocked", "it is blocked", null, 1_500],
  );
  assert.deepEqual([made.details.aborted, made.details.unkept, made.evidence.path], [true, false, null]);
});

test("a dry run says what the pass would do, with the prompt if there is a model", async (t) => {
  const { call } = await makeCall(t);
  const plan = { pass: 3, contract: { contract: { id: "T-1" } }, document: { view: { phase: "verify" } } };
  const dry = (model: { name: string } | null, prompt: string | null) =>
    dryReport(call, { plan: { ...plan, model }, findings: [], prompt } as unknown as Parameters<typeof dryReport>[1]);
  const one = dry({ name: "mine" }, "do it");
  assert.deepEqual(
    [one.reason, one.prompt, one.exit_name],
    ["dry run: pass 3 would run mine in verify", "do it", "ok"],
  );
  const none = dry(null, null);
  assert.deepEqual(
    [none.reason, "prompt" in none],
    ["dry run: pass 3 would run the checks, without a model, in verify", false],
  );
});
