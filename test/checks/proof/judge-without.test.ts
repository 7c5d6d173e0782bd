import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeWithout, onlyOwnFail } from "../../../lib/checks/proof/judge-without.ts";
import { noOrigin } from "../../../lib/checks/proof/matrix-runs.ts";
import { mostTests } from "../../../lib/checks/runs/read-failure.ts";
import type { CheckResult } from "../../../lib/rules/check-run.ts";
import { check, failing } from "../../rules/arrange.ts";
import { cell } from "../../rules/matrix-facts.ts";
import { contents, type Ending, fails, matrixRequest, old, passes, present, ran, scriptRuns } from "./scripted-run.ts";

const noInner = { old: new Map(), without: new Map(), apart: new Map(), added: [] };
const data = [{ path: "data.json", lost: false }];

/** The outcome, and the cells that were run. */
async function judge(
  script: Readonly<Record<string, Ending>>,
  more: Parameters<typeof matrixRequest>[0] = {},
  inner: Partial<Parameters<typeof judgeWithout>[3]> = {},
  clean = passes,
) {
  const { run, names, calls } = scriptRuns(script);
  return {
    outcome: (await judgeWithout(matrixRequest(more), cell(clean), run, { ...noInner, ...inner })).without,
    names: names(),
    calls,
  };
}

test("without the work of pass 1, or where it is not wanted, nothing runs and the reason is given", async () => {
  assert.deepEqual((await judge({}, { noWithout: "switched off" })).outcome, {
    ...{ kind: "refused", reason: "switched off" },
  });
  assert.deepEqual((await judge({}, { before: null })).outcome, { kind: "refused", reason: noOrigin });
});

test("work that changed nothing has the results of the present code", async () => {
  assert.deepEqual((await judge({}, { before: contents(present) })).outcome, {
    ...{ kind: "ran", cell: cell(passes, "clean"), unsteady: [] },
  });
});

test("a failure counts if it comes twice in the same tests, and else it is unsteady", async () => {
  const rows: readonly (readonly [second: Ending, unsteady: readonly string[]])[] = [
    [fails(), []],
    [fails(["adds", "more"]), []],
    [fails(["subtracts"]), ["tests"]],
    [passes, ["tests"]],
    [[], ["tests"]],
  ];
  for (const [second, unsteady] of rows)
    assert.deepEqual((await judge({ without: fails(), "without-again": second })).outcome, {
      ...{ kind: "ran", cell: cell(fails()), unsteady },
    });
  assert.deepEqual((await judge({ without: passes })).outcome, { kind: "ran", cell: cell(passes), unsteady: [] });
});

test("a test that fails in one of the two runs does not fail for want of the work", async () => {
  const many = Array.from({ length: mostTests }, (_, index) => `adds ${index}`);
  const rows: readonly (readonly [first: string[], second: string[], both: string[]])[] = [
    [["flaky", "adds"], ["adds"], ["adds"]],
    [["adds"], ["flaky", "adds"], ["adds"]],
    // Where a run does not name all, one that it does not name may have failed.
    [many, ["adds 0"], many],
    [["adds 0", "adds 1"], many, ["adds 0", "adds 1"]],
    [["adds"], [], ["adds"]],
  ];
  for (const [first, second, both] of rows) {
    const { outcome } = await judge({ without: fails(first), "without-again": fails(second) });
    assert.deepEqual(outcome, { kind: "ran", cell: cell(fails(both)), unsteady: [] });
  }
});

test("a run that is refused or aborted, the first or the second, is the outcome", async () => {
  for (const end of [{ reason: "no room" }, "aborted"] as const) {
    const wanted = end === "aborted" ? { kind: "aborted" } : { kind: "refused", ...end };
    assert.deepEqual((await judge({ without: end })).outcome, wanted);
    assert.deepEqual((await judge({ without: fails(), "without-again": end })).outcome, wanted);
  }
});

test("the present checks run on the work of pass 1", async () => {
  const now = contents({ ...present, "a.test.js": "file 644 d", "new.test.js": "file 644 e" });
  const { calls } = await judge({ without: passes }, { now, changedChecks: ["a.test.js", "new.test.js"] });
  assert.deepEqual(calls[0]?.contents, contents({ ...old, "a.test.js": "file 644 d", "new.test.js": "file 644 e" }));
});

test("the run of pass 1 in a copy is taken over if no check differs from it", async () => {
  const calibration = ran(fails());
  assert.deepEqual((await judge({ "without-again": fails() }, { calibration })).names, ["without-again"]);
  const changed = { calibration, changedChecks: ["a.test.js"] };
  assert.deepEqual((await judge({ without: passes }, changed)).names, ["without"]);
});

test("if the old work misses a removed file of the checks, it gets that file, and a pass with it counts", async () => {
  const removed = { now: contents({ "work.js": "file 644 c" }), changedChecks: ["a.test.js"] };
  const load = { without: fails([], "load"), "without-again": fails([], "load") };
  const passing = await judge({ ...load, "without-removed": passes }, removed);
  assert.deepEqual(passing.outcome, { kind: "ran", cell: cell(passes), unsteady: [] });
  assert.equal(passing.calls.at(-1)?.contents.has("a.test.js"), true);
  const stillFailing = { ...load, "without-removed": fails(), "without-removed-again": fails() };
  assert.deepEqual((await judge(stillFailing, removed)).outcome, {
    ...{ kind: "ran", cell: cell(fails([], "load")), unsteady: [] },
  });
  assert.deepEqual((await judge({ ...load, "without-removed": "aborted" }, removed)).outcome, { kind: "aborted" });
  const nothingGone = await judge({ without: fails([], "load"), "without-again": fails([], "load") });
  assert.deepEqual(nothingGone.names, ["without", "without-again"]);
  const byAssertion = { without: fails(), "without-again": fails() };
  assert.deepEqual((await judge(byAssertion, removed)).names, ["without", "without-again"]);
});

test("old work that passes beside its own data runs with the present data, where only a failure counts", async () => {
  const now = contents({ ...present, "data.json": "file 644 f" });
  const shared = { now, sharedData: data };
  const failed = await judge({ without: passes, "without-data": fails(), "without-data-again": fails() }, shared);
  assert.deepEqual(failed.outcome, { kind: "ran", cell: cell(fails()), unsteady: [] });
  assert.equal(failed.calls.at(-1)?.contents.has("data.json"), true);
  const kept = { kind: "ran", cell: cell(passes), unsteady: [] };
  assert.deepEqual((await judge({ without: passes, "without-data": passes }, shared)).outcome, kept);
  assert.deepEqual((await judge({ without: passes, "without-data": { reason: "no room" } }, shared)).outcome, kept);
  assert.deepEqual((await judge({ without: passes, "without-data": "aborted" }, shared)).outcome, { kind: "aborted" });
  // The run of pass 1 had its own data.
  const ends = { "without-data": fails(), "without-data-again": fails() };
  const known = await judge(ends, { ...shared, calibration: ran(passes) });
  assert.deepEqual(known.outcome, { kind: "ran", cell: cell(fails()), unsteady: [] });
  const alreadyFails = { without: fails(), "without-again": fails() };
  assert.deepEqual((await judge(alreadyFails, shared)).names, ["without", "without-again"]);
});

test("a failure is the work's own if its check is new, written with it, passed before or failed in other tests", () => {
  const changedChecks = ["a.test.js"];
  const rows: readonly (readonly [earlier: ReturnType<typeof fails> | null, written: string[], own: boolean])[] = [
    [null, [], true],
    [[], [], true],
    [passes, [], true],
    [fails(["subtracts"]), [], true],
    [fails(["adds"]), [], false],
    [[failing()], [], false],
    [fails(["adds"]), ["tests"], true],
    [[check({ name: "other" })], [], true],
  ];
  for (const [earlier, written, own] of rows)
    assert.equal(onlyOwnFail(matrixRequest({ earlier, changedChecks }), fails(["adds"]), written), own);
  // What the brief expects of the output waited for the work, and not the tests that fail now.
  const unmet = "the brief expects at least 2 tests, but its output shows 1 that ran";
  const short = { earlier: [failing({ exit_code: 0, unmet })], changedChecks };
  assert.equal(onlyOwnFail(matrixRequest(short), fails(["adds"]), []), true);
  assert.equal(onlyOwnFail(matrixRequest(short), [failing({ exit_code: 0, unmet })], []), false);
  for (const words of [
    ["node", "held-out/h.js"],
    ["sh", "-c", 'node "$TASK_PHASE_HELD_OUT/h.js"'],
    ["sh", "-c", 'cd "$PWD/held-out" && ./h.sh'],
    ["pytest", "--rootdir=./held-out"],
    ["npm", "test"],
    ["npm", "test", "test/held_out", "test/held-out/h.js", "held-outs"],
  ]) {
    const hidden = [failing({ name: "hidden", command: words, held_out: true })];
    const own = onlyOwnFail(matrixRequest({ earlier: passes, changedChecks }), hidden, []);
    assert.equal(own, words[0] === "npm", words.join(" "));
  }
  assert.equal(onlyOwnFail(matrixRequest({ changedChecks }), [], []), false);
  assert.equal(onlyOwnFail(matrixRequest(), fails(), []), false);
});

test("tests in a source of the work run on the work of pass 1", async () => {
  const inner = { without: new Map([["work.js", "the old work, and its tests"]]) };
  const { calls, names } = await judge({ without: passes }, { calibration: ran(fails()) }, inner);
  assert.deepEqual([names, calls[0]?.contents.get("work.js")?.text], [["without"], "the old work, and its tests"]);
});

test("tests that came with the work and do not run without it, twice, are as ones that cannot be loaded", async () => {
  const counted = (number: number) => [check({ tests: { ran: number, failed: 0, skipped: 0 } })];
  const added = { added: ["new.rs"] };
  const ownTest = { changedChecks: ["shop/tests.py"] };
  const missed = [
    failing({
      ...{ ...counted(2)[0], status: "fail" },
      failure: { by: "load", tests: [], said: "tests ran 2 tests without the work, and 3 with it" },
    }),
  ];
  const rows: readonly (readonly [
    Parameters<typeof matrixRequest>[0],
    object,
    again: Ending | null,
    readonly CheckResult[],
  ])[] = [
    [{}, added, counted(2), missed],
    [ownTest, {}, counted(2), missed],
    [ownTest, {}, counted(1), counted(2)],
    [ownTest, {}, counted(3), counted(2)],
    [ownTest, {}, fails(), counted(2)],
    [{ changedChecks: ["pytest.ini", "tests/cases/new.json"] }, {}, null, counted(2)],
    [{}, {}, null, counted(2)],
  ];
  for (const [request, inner, again, results] of rows) {
    const script = { without: counted(2), ...(again !== null && { "without-again": again }) };
    const { outcome } = await judge(script, request, inner, counted(3));
    assert.deepEqual(outcome, { kind: "ran", cell: cell(results), unsteady: [] });
  }
  const full = await judge({ without: counted(2), "without-again": { reason: "no room" } }, ownTest, {}, counted(3));
  assert.deepEqual(full.outcome, { kind: "refused", reason: "no room" });
  const all = await judge({ without: counted(3) }, ownTest, added, counted(3));
  assert.deepEqual(all.outcome, { kind: "ran", cell: cell(counted(3)), unsteady: [] });
});

test("a check of how sources are written says without the work what it says of the source as it was", async () => {
  const texts = { without: new Map([["work.js", "old work"]]), apart: new Map([["work.js", "new work"]]) };
  const failed = { without: fails([]), "without-again": fails([]), apart: fails([]) };
  const known = { calibration: ran(passes) };
  const formal = await judge(failed, known, texts);
  assert.deepEqual(formal.outcome, { kind: "ran", cell: cell(passes), unsteady: [] });
  assert.deepEqual(formal.names, ["without", "without-again", "apart"]);
  assert.deepEqual((await judge({ ...failed, apart: "aborted" }, known, texts)).outcome, { kind: "aborted" });
  assert.deepEqual((await judge({ ...failed, apart: passes }, known, texts)).outcome, {
    ...{ kind: "ran", cell: cell(fails([])), unsteady: [] },
  });
  const changed = { changedChecks: ["a.test.js"], now: contents({ ...present, "a.test.js": "file 644 d" }) };
  const other = await judge({ ...failed, "without-plain": passes }, changed, texts);
  assert.deepEqual(other.outcome, { kind: "ran", cell: cell(passes), unsteady: [] });
  assert.equal(other.calls.at(-1)?.contents.get("work.js")?.text, undefined);
  const full = await judge({ ...failed, "without-plain": { reason: "no room" } }, changed, texts);
  assert.deepEqual(full.outcome, { kind: "refused", reason: "no room" });
});
