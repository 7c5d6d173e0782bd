import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEvidenceModel } from "../../../lib/pages/model/build-model.ts";
import { viewModel } from "../../../lib/pages/view/view.ts";
import { watchedAlarm } from "../../../lib/pages/view/view-watched.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { beforeEvent as beforeOf } from "../../rules/arrange.ts";
import { change, code, commit, fullTask, reviewed, watched } from "../full-task.ts";
import { check, events as sampleEvents, sampleTask, verdict } from "../sample-task.ts";

const view = (events: readonly TaskEvent[]) => viewModel(buildEvidenceModel(sampleTask({ events })), "", []);
const full = viewModel(buildEvidenceModel(fullTask()), "", []);

test("the first line counts the measurements, and leaves out those that were not asked for", () => {
  const changed = { type: "brief_changed", at: "", was: "", contract_sha256: "", keys: null, state: "" } as const;
  assert.deepEqual(view([]).hero, []);
  assert.deepEqual(view(sampleEvents).hero, [
    "2 changed paths",
    "3 of 3 required checks pass",
    "6 passes: 4 accepted, 1 rejected, 1 redirected",
    "6m6s",
    "1.05 USD, and 1 call not known",
    "122.0k tokens",
  ]);
  assert.ok(
    view([...sampleEvents, changed]).hero.includes(
      "3 of 3 required checks pass; invalid, since the brief changed afterwards",
    ),
  );
  const silent = verdict(1, { cost_usd: null, tokens: { input: null, output: null }, duration_ms: 0 });
  assert.deepEqual(view([silent]).hero, ["1 pass: 1 accepted"]);
  const runners = verdict(1, { ...{ model: null, cost_usd: null, duration_ms: 0 }, tokens: silent.tokens });
  assert.deepEqual(view([runners]).hero, ["1 pass: 1 accepted", "1 without a model"]);
  const free = verdict(1, { cost_usd: 0, tokens: { input: 0, output: 0 }, duration_ms: 0 });
  assert.deepEqual(view([free]).hero, ["1 pass: 1 accepted", "0.00 USD"]);
});

test("a command stands there as a person would type it", () => {
  assert.deepEqual(
    full.checks?.results.map(({ command, exit }) => [command, exit]),
    [
      ["npm test -- --grep 'rows > 10'", "0"],
      ["", "SIGKILL"],
    ],
  );
});

test("a path that is longer than any system opens is no link", () => {
  const checks = { fingerprint_before: "", fingerprint_after: "", attempts: 1, moved: [] };
  const log = (length: number) => {
    const results = [check({ log: "a".repeat(length) })];
    return view([verdict(1, { checks: { ...checks, results } })]).checks?.results[0]?.log.length;
  };
  assert.deepEqual([log(4096), log(4097)], [4096, 0]);
});

test("earlier and present result stand side by side, with the reason where one is missing", () => {
  const sides = (events: readonly TaskEvent[]) =>
    view(events).compared.map(({ name, before, now, compared, good }) => [
      name,
      before.status,
      now.status,
      compared,
      good,
    ]);
  assert.deepEqual(sides(sampleEvents), [
    ["tests", "pass", "pass", "fixed", true],
    ["lint", "pass", "pass", "clean", true],
    ["export 10k rows", "was not there", "pass", "clean", true],
  ]);
  assert.deepEqual(
    full.compared.map(({ compared, good }) => [compared, good]),
    [
      ["clean", true],
      ["regressed", false],
    ],
  );
  const checks = { fingerprint_before: "", fingerprint_after: "", attempts: 1, moved: [] };
  const broken = check({ name: "lint", status: "timeout", attribution: "broken_before" });
  const alone = verdict(9, { checks: { ...checks, results: [check({ attribution: null }), broken] } });
  assert.deepEqual(sides([alone]), [
    ["tests", "", "pass", "", true],
    ["lint", "", "timeout", "broken before", false],
  ]);
  const before = beforeOf([check()]);
  assert.deepEqual(sides([before]), [["tests", "pass", "not run yet", "", true]]);
  const other = verdict(9, { checks: { ...checks, results: [] } });
  assert.deepEqual(sides([before, other]), [["tests", "pass", "not run", "", true]]);
});

const alarmOf = (events: readonly TaskEvent[]) => watchedAlarm(buildEvidenceModel(sampleTask({ events })).watched);

test("objections to changed tests and checks are summed up in one line", () => {
  const alarm = (...changes: readonly ReturnType<typeof change>[]) => alarmOf([verdict(1, { watched: changes })]);
  const open = change();
  const refused = change({ answer: "refused" });
  assert.equal(alarmOf(fullTask().events), alarm(open, refused));
  assert.equal(alarm(open, open), "2 changes of tests or checks that no person has accepted");
  assert.equal(alarm(refused), "1 change that a person refused");
  assert.equal(alarm(change({ change: "added" }), change({ answer: "accepted" })), "");
  assert.equal(alarmOf([]), "");
  const events = (...changes: readonly ReturnType<typeof change>[]) => [
    verdict(1, { watched: changes, tests_changed: "show" }),
  ];
  const shown = (...changes: readonly ReturnType<typeof change>[]) => alarmOf(events(...changes));
  const words = "only shown: the brief sets tests_changed: show";
  assert.equal(shown(open, open), `2 changes of tests or checks that could hide a failure, ${words}`);
  assert.equal(
    shown(refused, open),
    `1 change that a person refused, and 1 change of tests or checks that could hide a failure, ${words}`,
  );
  assert.equal(shown(change({ change: "added" })), "");
  assert.deepEqual(
    view(events(open, change({ change: "added" }))).watched.map(({ standing, good }) => [standing, good]),
    [
      [words, true],
      ["only shown", true],
    ],
  );
});

test("up to 500 changes are listed, each with its standing", () => {
  assert.deepEqual(
    full.watched.map(({ name, kind, standing, good }) => [name, kind, standing, good]),
    [
      ["test/export.test.js", "test", "no person has answered", false],
      [".mocharc.yml", "setting", "refused by a person", false],
      ["package.json#scripts.test", "script", "accepted by a person", true],
      ["test/added.test.js", "test", "only shown", true],
    ],
  );
  const many = Array.from({ length: 501 }, () => watched).flat();
  const cut = view([verdict(1, { watched: many })]);
  assert.deepEqual([cut.watched.length, cut.moreWatched], [500, 1504]);
});

test("a review says what it is about and what came of it", () => {
  assert.deepEqual(
    full.reviews.map(({ role, where, about, result, good, href }) => ({ role, where, about, result, good, href })),
    [
      {
        role: "security",
        where: "review, before pass 7",
        about: "the current state",
        result: "1 blocking, 1 minor",
        good: false,
        href: "artifacts/passes/0007/reviews/security.md",
      },
      {
        role: "tests",
        where: "review, before pass 7",
        about: "the current state",
        result: "no readable report: its last line is no report",
        good: false,
        href: "artifacts/passes/0007/reviews/tests.md",
      },
      {
        role: "usability",
        where: "review, before pass 7",
        about: "an earlier state",
        result: "1 blocking",
        good: false,
        href: "artifacts/passes/0007/reviews/usability.md",
      },
    ],
  );
  const clean = view([reviewed("tests"), reviewed("security", { fingerprint: "old" }), verdict(7)]).reviews;
  assert.deepEqual(
    clean.map(({ result, good }) => [result, good]),
    [
      ["no findings", true],
      ["no findings", false],
    ],
  );
});

test("unreported tokens are named as missing from the sum", () => {
  const none = { input: null, output: null };
  const told = (events: readonly TaskEvent[]) => view(events).hero.find((part) => part.includes("token"));
  const passes = (...changes: readonly Parameters<typeof verdict>[1][]) =>
    told(changes.map((each, index) => verdict(index + 1, each)));
  const some = { tokens: { input: 3000, output: null } };
  assert.equal(passes(some), "3.0k tokens");
  assert.equal(passes(some, { tokens: none }, { tokens: none }), "3.0k tokens, and 2 calls not known");
  assert.equal(passes({ tokens: none }), undefined);
  assert.equal(passes(some, { tokens: none, end: { kind: "not_started", reason: "none" } as never }), "3.0k tokens");
  assert.equal(told([verdict(1, some), reviewed("tests", { tokens: none })]), "3.0k tokens, and 1 call not known");
});

test("the code is a link where the host is known, with what keeps a reader from seeing it", () => {
  const shown = (changes: Partial<typeof code>) => view([verdict(1, { code: { ...code, ...changes } })]).code;
  assert.deepEqual(shown({}), {
    commit: "0f1e2d3c4b5a",
    href: `https://git.example/shop/app/commit/${commit}`,
    branch: "feature/csv",
    labels: ["not pushed yet", "with uncommitted changes that no pass made"],
    pass: 1,
  });
  assert.deepEqual(shown({ pushed: true, dirty: false, branch: null })?.labels, []);
  const changed = verdict(2, { code, changed_paths: [{ path: "a", change: "changed" }] });
  assert.deepEqual(view([changed]).code?.labels, ["not pushed yet", "with the changes of pass 2 on top"]);
  assert.equal(shown({ branch: null })?.branch, "");
  assert.deepEqual(
    [shown({ web: null })?.href, shown({ kind: null })?.href, shown({ web: "javascript:x" })?.href],
    ["", "", ""],
  );
  assert.deepEqual(shown({ pushed: null, dirty: null })?.labels, []);
  assert.equal(shown({ commit: null }), null);
});

test("a pass says how it was made cheaper and what it and its reviewers took, as far as it is known", () => {
  assert.deepEqual(
    full.passes.slice(-2).map(({ degrade, took }) => [degrade, took]),
    [
      ["", "1m1s, 0.21 USD, 18.2k in, 2.1k out"],
      ["cheap tier, small context", "1m1s, 0.21 USD, 0.10 USD for 3 reviews, 18.2k in, 2.1k out"],
    ],
  );
  const silent = verdict(1, { cost_usd: null, tokens: { input: null, output: null }, model: null });
  assert.deepEqual(
    view([silent]).passes.map(({ model, took }) => [model, took]),
    [["", "1m1s"]],
  );
});
