import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { recordVerdict, type VerdictRequest } from "../../../lib/pass/verdict/record-verdict.ts";
import type { PassRecord } from "../../../lib/rules/shapes/pass-record.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import type { WatchedChange } from "../../../lib/rules/watched.ts";
import { gatherSyncs } from "../../../lib/store/folder.ts";
import { currentShape } from "../../../lib/task/records/anchor-shapes.ts";
import { readCurrent, recordCurrent } from "../../../lib/task/records/records.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { stateFile } from "../../cli/task-states.ts";
import { check, checkRun, failing, proposal, tamper } from "../../rules/arrange.ts";
import { matrix } from "../../rules/matrix-facts.ts";
import { sampleOf, type Walked } from "../../rules/shapes/sample-value.ts";
import { recordDisk } from "../../store/recorded-disk.ts";
import { refusing } from "../../store/refused-calls.ts";
import { type Held, holdTask, judged, noon } from "./arrange.ts";

const commit = "a".repeat(40);
const token = `ghp_${"a1B2".repeat(9)}`;

function record({ session }: Held, of: PassRecord, more: Partial<VerdictRequest> = {}): VerdictEvent {
  recordCurrent(session.anchor, sampleOf(currentShape as Walked) as Parameters<typeof recordCurrent>[1]);
  return recordVerdict({
    session,
    syncs: gatherSyncs(),
    task: { id: "T-1", title: "Export the answer", userFacing: false },
    record: of,
    state: stateFile({ phase: of.decision.to }),
    asked: { files: [], questions: [] },
    at: noon,
    durationMs: 7,
    costUsd: 0.5,
    tokens: { input: 90, output: 10 },
    contractSha256: "c".repeat(64),
    commits: [commit],
    worked: null,
    answer: null,
    code: null,
    ...more,
  });
}

function files({ task }: Held): string[] {
  return readdirSync(task.taskDir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes(".") && !/README|report\.md|STATE\.before/.test(name))
    .sort();
}

const always = ["EVIDENCE.md", "STATE.md", "artifacts/evidence.html", "artifacts/journal.jsonl"];
const inPass = "artifacts/passes/0002/pass.json";

test("an accepted verdict leaves its record, the evidence, one line in each ledger, and ends the pass", async (t) => {
  const held = await holdTask(t, "implement");
  const of = judged("implement", "verify");
  const event = record(held, of);
  const { task, session } = held;
  assert.deepEqual(files(held), [...always, "artifacts/checkpoint.json", inPass, "log.txt", "progress.txt"].sort());
  assert.deepEqual(JSON.parse(task.read(inPass)), JSON.parse(JSON.stringify(of)));
  assert.equal(task.read("log.txt"), `${noon} pass 2 implement → verify accepted\n`);
  assert.equal(task.read("progress.txt"), `${noon} pass 2 implement → verify\n`);
  assert.equal(task.state(), stateFile({ phase: "verify" }));
  assert.deepEqual(JSON.parse(task.read("artifacts/checkpoint.json")).git_commits, [commit]);
  assert.match(task.read("EVIDENCE.md"), /^# Evidence: T-1\n/);
  assert.match(task.read("EVIDENCE.md"), /implement → verify/);
  assert.match(task.read("artifacts/evidence.html"), /Export the answer/);
  assert.equal(readCurrent(session.anchor.folder), null);
  assert.deepEqual(session.journal.events.at(-1), event);
  assert.deepEqual(event, {
    type: "verdict",
    at: noon,
    pass: 2,
    model: "prepared",
    from: "implement",
    proposed: "verify",
    to: "verify",
    verdict: "accepted",
    reason: "implement → verify",
    reasons: [],
    gates: of.decision.gates,
    progress: ["state_change"],
    made: [],
    tickets: [],
    failure: null,
    escalation: null,
    checks: null,
    fingerprint: of.facts.fingerprint,
    end: of.facts.end,
    answer: null,
    duration_ms: 7,
    cost_usd: 0.5,
    tokens: { input: 90, output: 10 },
    overridden: [],
    tampering: [],
    put_back: [],
    ...{ watched: null, matrix: null, proof: null, manual: [], tests_changed: "show", frame: null },
    ...{ over_bounds: null, code: null },
    evidence: of.facts.evidence,
    changed_paths: [],
    open_questions: [],
    features: [],
    state: stateFile({ phase: "verify" }),
    contract_sha256: "c".repeat(64),
    record_sha256: sha256(task.read(inPass)),
  });
});

test("a second verdict adds its line to the ledgers and replaces what is about the newest pass alone", async (t) => {
  const held = await holdTask(t, "implement");
  const tampered = judged("implement", "verify", { tampering: [tamper({ path: "test/a.js", guard: "protected" })] });
  const trouble = { kind: "exited", exit_code: 1, signal: null, result_event: false, said: "no quota" } as const;
  record(held, { ...tampered, facts: { ...tampered.facts, end: trouble } });
  record(held, { ...judged("implement", "done"), pass: 3 });
  record(held, { ...judged("implement", "verify"), pass: 4 });
  record(held, { ...judged("verify", "verify", { artifacts_changed: ["artifacts/a.md"] }), pass: 5 });
  assert.deepEqual(held.task.read("log.txt").split("\n"), [
    `${noon} pass 2 implement → implement rejected: the pass changed test/a.js, which it must not; it was restored; the model ended with exit code 1: no quota`,
    `${noon} pass 3 implement → implement rejected: implement → done is not allowed; from implement a pass may propose implement, verify, blocked, needs_user_decision`,
    `${noon} pass 4 implement → verify accepted`,
    `${noon} pass 5 verify → verify accepted: artifacts/a.md written`,
    "",
  ]);
  assert.deepEqual(held.task.read("progress.txt").split("\n"), [
    `${noon} pass 4 implement → verify`,
    `${noon} pass 5 verify → verify: artifacts/a.md written`,
    "",
  ]);
  assert.equal(
    held.task.read("last_error.txt"),
    [
      `${noon} pass 3 rejected in implement, 1 in a row`,
      "",
      "Reasons:",
      "- illegal_transition: implement → done is not allowed; from implement a pass may propose implement, verify, blocked, needs_user_decision. Write it so: `- Phase: verify`",
      "",
    ].join("\n"),
  );
});

test("last_error.txt names the reasons, how the model's program ended, and each ticket", async (t) => {
  const held = await holdTask(t, "verify");
  const of = judged("verify", "review", { checks: checkRun([failing()]) });
  record(held, { ...of, model: { ...(of.model ?? assert.fail()), error: "the server hung up" } });
  assert.equal(
    held.task.read("last_error.txt"),
    [
      `${noon} pass 2 redirected in verify, 1 in a row`,
      "",
      "Reasons:",
      `- validator_tests: ${of.decision.reason}`,
      "",
      "Model: the server hung up",
      "",
      "Tickets:",
      ...of.decision.tickets.map(({ id, text }) => `- ${id}: ${text.replace("\n", "\n  ")}`),
      "",
    ].join("\n"),
  );
  assert.ok(!held.task.exists("progress.txt"));
});

test("DEFERRED.md is written anew with the tickets if the repairs ran out, and by nothing else", async (t) => {
  const held = await holdTask(t, "verify", { files: { "DEFERRED.md": "of an earlier stop\n" } });
  record(held, judged("verify", "review", { checks: checkRun([failing()]) }));
  assert.equal(held.task.read("DEFERRED.md"), "of an earlier stop\n");
  const spent = judged("verify", "review", { checks: checkRun([failing()]) }, { budget: { passes: 12, repairs: 0 } });
  assert.equal(spent.decision.escalation?.cause, "repairs");
  record(held, { ...spent, pass: 3 });
  const text = held.task.read("DEFERRED.md");
  assert.match(text, /validator tests did not pass/);
  assert.ok(!text.includes("of an earlier stop"));
});

test("a pass's files are durable before its event, and leave the staging folder", async (t) => {
  const held = await holdTask(t, "review");
  const { staging } = held.session.anchor;
  writeFileSync(join(staging, "stdout.log"), "said\n");
  const calls = recordDisk(held.task.taskDir, () => record(held, judged("review", "done", { checks: checkRun() })));
  const names = ["artifacts/passes/0002", "artifacts/passes", "artifacts", "."].map((name) => `fsync ${name}`);
  const event = calls.indexOf("fsync artifacts/journal.jsonl");
  assert.deepEqual(
    names.map((name) => calls.slice(0, event).includes(name)),
    [true, true, true, true],
  );
  assert.ok(!existsSync(staging));
});

test("SUMMARY.md comes with done alone", async (t) => {
  const held = await holdTask(t, "review");
  record(held, judged("review", "review", { artifacts_changed: ["artifacts/a.md"] }));
  assert.ok(!held.task.exists("SUMMARY.md"));
  const of = judged("review", "done", { checks: checkRun() });
  assert.equal(of.decision.to, "done");
  record(held, { ...of, pass: 3 });
  assert.match(held.task.read("SUMMARY.md"), /Export the answer/);
});

test("no secret is written, and a reason of many lines is one short line of the log", async (t) => {
  const held = await holdTask(t, "implement");
  const of = judged("implement", { kind: "unreadable", problems: [`line 3 ${token}\n${"x".repeat(900)}`] });
  const long = { ...of, decision: { ...of.decision, reason: `it has ${token}\n${"x".repeat(900)}` } };
  record(held, long);
  for (const name of files(held)) assert.ok(!held.task.read(name).includes(token), name);
  const line = held.task.read("log.txt");
  assert.match(line, /rejected: it has \[redacted:github\] x+\n$/);
  assert.ok(line.length < 600);
});

test("a pass that a later run closes writes no checkpoint of its own", async (t) => {
  const held = await holdTask(t, "implement");
  assert.equal(record(held, { ...judged("implement", "verify"), model: null }).model, null);
  assert.ok(!held.task.exists("artifacts/checkpoint.json"));
});

const repo = { branch: "main", commit, dirty: false } as unknown as NonNullable<VerdictRequest["worked"]>["repo"];
const worked = { name: "prepared", cooldownMs: 1_000, repo };

test("the note about the model that worked is written with the verdict", async (t) => {
  const held = await holdTask(t, "implement");
  record(held, judged("implement", "verify"), { worked });
  const { runtime } = held.session.place;
  assert.deepEqual(held.session.findings, []);
  const notes = readdirSync(runtime, { recursive: true, encoding: "utf8" }).filter((name) => /prepared/.test(name));
  assert.equal(notes.length, 1);
  assert.match(readFileSync(join(runtime, notes[0] ?? ""), "utf8"), /T-1/);
  assert.ok(!existsSync(join(held.session.anchor.folder, "notes.json")));
});

test("a model note that the disk refused is written with the next verdict", async (t) => {
  const held = await holdTask(t, "implement");
  const { runtime } = held.session.place;
  const { findings } = held.session;
  mkdirSync(runtime, { recursive: true });
  refusing("openSync", "EACCES", { test: (path) => path.startsWith(runtime) }, () =>
    record(held, judged("implement", "verify"), { worked }),
  );
  assert.deepEqual(
    findings.map(({ code, severity, file }) => [code, severity, file]),
    [["TP_MODEL_NOTE", "warning", runtime]],
  );
  const changelog = () =>
    readdirSync(runtime, { recursive: true, encoding: "utf8" }).filter((name) => /prepared/.test(name)).length;
  assert.equal(changelog(), 0);
  record(held, { ...judged("verify", "verify", { artifacts_changed: ["artifacts/a.md"] }), pass: 3 });
  assert.deepEqual([changelog(), findings.length], [1, 1]);
});

test("files of earlier passes are listed as last seen, without reading them again", async (t) => {
  const held = await holdTask(t, "implement");
  for (const name of ["0001", "0003", "draft"]) held.task.write(`artifacts/passes/${name}/a.txt`, "read\n");
  const filesIn = (folder: string) => {
    asked.push(relative(held.session.place.artifacts, folder));
    return new Map([["known.txt", { size: 1, sha256: "a".repeat(64) }]]);
  };
  const asked: string[] = [];
  const trees = { ...held.session.anchor.trees, filesIn };
  const session = { ...held.session, anchor: { ...held.session.anchor, trees } };
  record({ ...held, session }, judged("implement", "verify"));
  assert.deepEqual(asked, ["passes/0001"]);
  assert.match(held.task.read("artifacts/evidence.html"), /passes\/0001\/known\.txt/);
});

test("the log names at most twenty checks and counts the rest", async (t) => {
  const held = await holdTask(t, "verify");
  const named = (count: number) => Array.from({ length: count }, (_, at) => check({ name: `check ${at}` }));
  const few = [failing(), check({ name: "lint\nall", required: false, status: "not_started" })];
  for (const [at, results] of [named(20), named(22), few].entries())
    record(held, { ...judged("verify", "review", { checks: checkRun(results) }), pass: 2 + at });
  const twenty = named(20)
    .map(({ name }) => `${name} pass`)
    .join(", ");
  assert.deepEqual(
    held.task
      .read("log.txt")
      .split("\n")
      .map((line) => line.split("; checks: ")[1]),
    [twenty, `${twenty} and 2 more`, "tests fail, lint all not started (optional)", undefined],
  );
});

describe("the event of a verdict", () => {
  const code = { commit, branch: "main", dirty: false, web: null, kind: null, pushed: null };
  const change = { name: "test/a.js", kind: "test", change: "changed", detail: "", digest: "d" } as const;
  const watched: readonly WatchedChange[] = [{ ...change, side: "checks", answer: "accepted" }];

  test("has what was found and how the brief judges it", async (t) => {
    const held = await holdTask(t, "verify");
    const seen = { put_back: [tamper()], watched, matrix: matrix(), checks: checkRun() };
    const rules = { tests_changed: "show", proof: { without: "auto", clean: "auto", wrong: "auto" } } as const;
    const full = record(held, judged("verify", "review", seen, rules), { code });
    const { put_back, tests_changed, proof, ...rest } = full;
    assert.deepEqual([put_back, tests_changed, proof?.grade], [[tamper()], "show", "kept"]);
    assert.deepEqual([rest.watched, rest.matrix, rest.code], [watched, matrix(), code]);
  });

  test("lists at most 200 changed paths", async (t) => {
    const held = await holdTask(t, "implement");
    const changed_paths = Array.from({ length: 201 }, (_, at) => ({ path: `${at}.js`, change: "added" }) as const);
    const event = record(held, { ...judged("implement", "verify"), changed_paths });
    assert.deepEqual(event.changed_paths, changed_paths.slice(0, 200));
  });

  test("names the visible features that its verdict took over", async (t) => {
    const held = await holdTask(t, "implement");
    const features = [{ feature: "Export", label: "planned", proof: "" }];
    const named = (of: PassRecord, pass: number) => record(held, { ...of, pass }).features;
    const failed = { checks: checkRun([failing()]) };
    assert.deepEqual(named(judged("implement", proposal("verify", {}, { features })), 2), ["Export"]);
    assert.deepEqual(named(judged("verify", proposal("review", {}, { features }), failed), 3), ["Export"]);
    assert.deepEqual(named(judged("implement", proposal("done", {}, { features })), 4), []);
    assert.deepEqual(named(judged("implement", { kind: "unreadable", problems: ["no phase"] }), 5), []);
  });

  test("names the open questions", async (t) => {
    const held = await holdTask(t, "implement");
    const question = (id: string, open: boolean) => ({
      ...{ id, title: "Which?", askedIn: "shape", askedPass: 1, askedAt: noon, question: "Which?", options: "" },
      ...{ safeDefault: "", deadline: "", answer: open ? "" : "UTF-8", open, line: 1 },
    });
    const asked = { files: [], questions: [question("Q1", false), question("Q2", true)] };
    assert.deepEqual(record(held, judged("implement", "verify"), { asked }).open_questions, ["Q2"]);
  });
});
