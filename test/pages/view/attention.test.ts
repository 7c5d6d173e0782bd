import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEvidenceModel, type EvidenceInput } from "../../../lib/pages/model/build-model.ts";
import { listAttention } from "../../../lib/pages/view/attention.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { change, fullTask } from "../full-task.ts";
import { briefChanged, check, events as sampleEvents, sampleTask, verdict } from "../sample-task.ts";

const list = (input: EvidenceInput) => listAttention(buildEvidenceModel(input));
const lines = (events: readonly TaskEvent[]) =>
  list(sampleTask({ events })).map(({ what, detail, bad }) => `${bad ? "! " : ""}${what}: ${detail}`);
const ran = { fingerprint_before: "a", fingerprint_after: "a", attempts: 1, moved: [] as string[], results: [check()] };

test("a pass on the normal way leaves nothing to look at, and a change that can hide nothing is none", () => {
  const harmless = change({ name: "test/added.test.js", change: "added" });
  assert.deepEqual(lines([verdict(1, { checks: ran, watched: [harmless] })]), []);
});

test("obstacles come first, with the file that shows each", () => {
  const all = list(fullTask());
  const settled = all.findIndex(({ bad }) => !bad);
  assert.ok(all.slice(settled).every(({ bad }) => !bad));
  assert.deepEqual(
    all.map(({ what, bad }) => `${bad ? "! " : ""}${what}`),
    [
      "! security reviewer, blocking",
      "! 1 change of tests or checks that no person has accepted, and 1 change that a person refused",
      "! test/export.test.js",
      "! .mocharc.yml",
      "package.json#scripts.test",
      "Pass 2",
      "STATE.md edited by a person",
      "Edit of STATE.md refused by the runner",
      "Brief changed by a person",
    ],
  );
  assert.equal(all.find(({ what }) => what.startsWith("security"))?.path, "artifacts/passes/0007/reviews/security.md");
});

test("an open question is shown in its own words, and leads to where it is answered", () => {
  const ask = {
    id: "Q1",
    title: "Which encoding?",
    question: "In which one?",
    options: "a, b",
    safeDefault: "a",
    ofStop: false,
  };
  const open = [{ ...ask, place: "DECISIONS.md:3", end: "it waits for a person", takenFrom: null, due: false }];
  const found = list(sampleTask({ events: [verdict(1)], questions: { open, answered: false } }));
  assert.deepEqual(found, [
    {
      what: "Q1 Which encoding?",
      detail: "In which one?; options: a, b; safe default: a; it waits for a person",
      path: "DECISIONS.md",
      bad: true,
    },
  ]);
});

test("crashes, changes beyond the bounds and restored files are listed with their pass", () => {
  const end = { kind: "exited", exit_code: 1, signal: null, result_event: true, said: "out of memory" } as const;
  const bounds = { phase: "repair", files: 30, lines: 900, most: { files: 20, lines: 400 } } as const;
  const git_warnings = ["settings or hooks of git changed since the pass began: alias.st"];
  assert.deepEqual(lines([verdict(3, { end, over_bounds: bounds, git_warnings })]), [
    "Pass 3: the model ended with exit code 1: out of memory",
    "Pass 3: the pass changed 30 files and 900 lines in repair; its bounds are 20 files and 400 lines",
    "Pass 3: settings or hooks of git changed since the pass began: alias.st",
  ]);
  assert.match(
    lines(sampleEvents).join("\n"),
    /Pass 2: it changed what it must not change, which was restored: artifacts\/journal\.jsonl/,
  );
});

test("checks that no longer count, and a repo that moved under them, are reported", () => {
  assert.ok(
    lines([...sampleEvents, briefChanged]).includes(
      "! The brief changed afterwards: the results of the checks no longer count",
    ),
  );
  assert.deepEqual(lines([verdict(1, { checks: { ...ran, moved: ["a.js", "b.js"] } })]), [
    "! The repo moved while the checks ran: a.js, b.js",
  ]);
});

test("a gate that failed is open only until the next pass is judged", () => {
  const failed = verdict(1, {
    verdict: "rejected",
    gates: [{ gate: "Objective is filled", ok: false, detail: "TBD" }],
  });
  assert.deepEqual(lines([failed]), ["! Objective is filled: TBD"]);
  assert.deepEqual(lines([failed, verdict(2)]), []);
});

test("a failed run of the proof is reported; a run that was left out, and `without`, are not", () => {
  const results = [check({ status: "fail", exit_code: 1 })];
  const cell = (status: "pass" | "fail") => ({ same_as: null, results: status === "pass" ? [check()] : results });
  const matrix = (guard: "pass" | "fail") => ({
    ...{ fingerprint: "a", calibration: { kind: "good" as const, reason: null, home: null } },
    ...{
      changed_checks: [],
      left_out: [],
      only_own_fail: false,
      unseparated: null,
      wrong: null,
      wrong_checks: null,
      unsteady: [],
      written: [],
      no_wrong: null,
    },
    without: cell("pass"),
    old_checks: cell(guard),
    clean: null,
    no_clean: "too large",
    no_without: null,
    no_old_checks: null,
  });
  const told = (guard: "pass" | "fail") => lines([verdict(1, { checks: ran, matrix: matrix(guard) })]);
  assert.deepEqual(told("pass"), []);
  assert.deepEqual(told("fail"), ["! old_checks: the work under the checks of pass 1: 1 of 1 fail: tests"]);
});

test("a ticket of a check that passes by now is closed, and what is over is nothing to look at", () => {
  const ticket = { id: "t", source: "validator" as const, name: "tests", text: "validator tests did not pass" };
  const failed = verdict(1, { verdict: "redirected", to: "repair", tickets: [ticket] });
  assert.deepEqual(lines([failed]), ["! Ticket of validator tests: validator tests did not pass"]);
  assert.deepEqual(lines([failed, verdict(2, { from: "repair", to: "needs_user_decision", checks: ran })]), []);
  const at = "2026-01-02T03:04:05.000Z";
  const answered = { from: "needs_user_decision", to: "verify", questions: ["Q1"], state: "" } as const;
  assert.deepEqual(lines([failed, verdict(2, { checks: ran }), { type: "answered", at, ...answered }]), []);
});
