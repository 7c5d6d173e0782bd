import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeSteadiness } from "../../../lib/checks/proof/judge-steadiness.ts";
import type { MatrixRequest } from "../../../lib/checks/proof/matrix-runs.ts";
import type { ContractCheck } from "../../../lib/documents/contract.ts";
import type { CheckResult } from "../../../lib/rules/check-run.ts";
import { check, checkRun } from "../../rules/arrange.ts";
import { cell } from "../../rules/matrix-facts.ts";
import { noExpectation } from "./arrange.ts";
import { contents, type Ending, fails, ground, matrixRequest, passes, present, scriptRuns } from "./scripted-run.ts";

type Script = Readonly<Record<string, Ending>>;

function cleanCell(unsteady: readonly CheckResult[], results: readonly CheckResult[] = passes) {
  const calibration = { kind: "good", reason: null, home: null } as const;
  return { kind: "ran", cell: cell(results), calibration, home: "private", leftOut: [], unsteady } as const;
}

async function judge(
  script: Script,
  more: Partial<MatrixRequest> = {},
  clean: ReturnType<typeof cleanCell> | null = cleanCell([]),
) {
  const { run, names, calls } = scriptRuns(script);
  return { found: await judgeSteadiness(matrixRequest(more), clean, run), names: names(), calls };
}

/** The check failed and passed in the copy. */
const once = cleanCell(fails());
const validator = (name: string): ContractCheck => ({
  ...{ name, command: ["true"], timeoutMs: 1_000, required: true, expect: noExpectation },
});
/** It failed and passed in the repo, where another check ran at the same time. */
const twoChecks = {
  run: checkRun(passes, { first: fails() }),
  ground: ground({ checks: { validators: [validator("tests"), validator("lint")], scenarios: [] } }),
};
const log = "artifacts/passes/0001/validators/tests.log";
const unsteady = { name: "tests", passes: null, tests: ["adds"], log };

test("without a check that failed and passed nothing runs", async () => {
  assert.deepEqual((await judge({})).found, []);
  assert.deepEqual((await judge({}, {}, null)).found, []);
});

test("the checks of pass 1 on its work decide whether a check was unsteady before the work", async () => {
  const load = fails([], "load");
  const rows: readonly (readonly [runs: readonly Ending[], kind: string, before: object | null])[] = [
    [[fails(), passes], "before", { failed: 1, ran: 2 }],
    [[passes, passes, fails()], "before", { failed: 1, ran: 3 }],
    [[passes, passes, passes], "since", { failed: 0, ran: 3 }],
    [[fails(), fails(), fails()], "since", { failed: 3, ran: 3 }],
    [[fails(["subtracts"]), passes, passes], "since", { failed: 0, ran: 3 }],
    [[load, load, load], "since", null],
    [[[], [], []], "since", null],
    [[passes, { reason: "no room" }], "since", { failed: 0, ran: 1 }],
  ];
  for (const [runs, kind, before] of rows) {
    const script = Object.fromEntries(runs.map((end, index) => [`steady-${index + 1}`, end]));
    const { found, names } = await judge(script, {}, once);
    assert.deepEqual(found, [{ ...unsteady, kind, failed: 1, ran: 3, before }]);
    assert.equal(names.length, runs.length);
  }
});

test("a failure that names no test is found again in any failure", async () => {
  const { found } = await judge({ "steady-1": fails(["subtracts"]), "steady-2": passes }, {}, cleanCell(fails([])));
  assert.deepEqual(found, [
    { ...unsteady, tests: [], kind: "before", failed: 1, ran: 3, before: { failed: 1, ran: 2 } },
  ]);
});

test("of two failing tests each has to fail before the work too", async () => {
  const clean = cleanCell(fails(["adds", "subtracts"]));
  const kindAfter = async (...runs: readonly Ending[]) =>
    (await judge(Object.fromEntries(runs.map((end, index) => [`steady-${index + 1}`, end])), {}, clean)).found?.[0]
      ?.kind;
  assert.equal(await kindAfter(fails(["adds"]), fails(["subtracts"])), "before");
  assert.equal(await kindAfter(fails(["adds"]), passes, fails(["adds"])), "since");
});

test("if nothing changed the work is not the cause, and without the work of pass 1 it counts as the cause", async () => {
  const same = await judge({}, { before: contents(present) }, once);
  assert.deepEqual(same.found, [{ ...unsteady, kind: "before", failed: 1, ran: 3, before: null }]);
  const none = await judge({}, { before: null }, once);
  assert.deepEqual(none.found, [{ ...unsteady, kind: "since", failed: 1, ran: 3, before: null }]);
});

test("in a copy whose checks do not pass, and without one, nothing more runs", async () => {
  const failed = await judge({}, twoChecks, cleanCell([], fails()));
  assert.deepEqual(failed.found, [{ ...unsteady, kind: "since", failed: 1, ran: 3, before: null }]);
  assert.deepEqual((await judge({}, twoChecks, null)).found, [
    { ...unsteady, kind: "since", failed: 1, ran: 2, before: null },
  ]);
});

test("a check that failed beside others and passes three times alone fails only beside them", async () => {
  const script = { "alone-1": passes, "alone-2": passes, "alone-3": passes };
  const { found, calls } = await judge(script, twoChecks);
  assert.deepEqual(found, [{ ...unsteady, kind: "beside", failed: 1, ran: 3, before: null }]);
  assert.deepEqual(
    calls.map(({ how }) => how),
    [1, 2, 3].map(() => ({ inTurn: true, only: ["tests"] })),
  );
});

test("a check that fails alone too is compared with the work of pass 1, where all run at the same time", async () => {
  const script = { "alone-1": passes, "alone-2": fails(), "steady-1": passes, "steady-2": fails() };
  const { found, calls, names } = await judge(script, twoChecks);
  assert.deepEqual(found, [{ ...unsteady, kind: "before", failed: 2, ran: 5, before: { failed: 1, ran: 2 } }]);
  assert.deepEqual(names, ["alone-1", "alone-2", "steady-1", "steady-2"]);
  assert.deepEqual(calls.at(-1)?.how, { inTurn: false });
});

test("checks that run in turn, or are said to run at the same time, are not tried alone", async () => {
  const steady = { "steady-1": passes, "steady-2": passes, "steady-3": passes };
  const inTurn = await judge(steady, { ...twoChecks, inTurn: true });
  assert.deepEqual(inTurn.calls[0]?.how, { inTurn: true, only: ["tests"] });
  const parallel = await judge(steady, { ...twoChecks, parallel: true });
  assert.deepEqual(parallel.calls[0]?.how, { inTurn: false });
  // In the repo they were seen to collide, and in the copy, where they ran in turn, it failed again.
  const run = { ...twoChecks.run, beside: true };
  assert.deepEqual((await judge(steady, { ...twoChecks, run }, once)).names, ["steady-1", "steady-2", "steady-3"]);
});

test("a check that failed in the repo and in the copy is one check with two failures", async () => {
  const script = { "alone-1": fails(), "steady-1": fails(), "steady-2": passes };
  const { found } = await judge(script, twoChecks, once);
  assert.deepEqual(found, [{ ...unsteady, kind: "before", failed: 3, ran: 5, before: { failed: 1, ran: 2 } }]);
});

test("what failed on this code in an earlier pass runs three times more", async () => {
  const failedOn = new Map([["tests", 1]]);
  const more = [1, 2, 3].map((count) => `once-more-${count}`);
  const passing = await judge(Object.fromEntries(more.map((name) => [name, passes])), { failedOn });
  assert.deepEqual(passing.names, more);
  for (const { how } of passing.calls) assert.deepEqual(how, { inTurn: true, only: ["tests"] });
  const earlier = { name: "tests", before: null, passes: { passed: 2, failed: 1 }, log };
  assert.deepEqual(passing.found, [{ ...earlier, kind: "once", failed: 1, ran: 6, tests: [] }]);
  const failed = await judge({ "once-more-1": passes, "once-more-2": fails(), "once-more-3": passes }, { failedOn });
  assert.deepEqual(failed.found, [{ ...earlier, kind: "since", failed: 2, ran: 6, tests: ["adds"] }]);
  const refused = await judge({ "once-more-1": { reason: "no room" } }, { failedOn });
  assert.deepEqual(refused.found, [{ ...earlier, kind: "once", failed: 1, ran: 3, tests: [] }]);
  assert.deepEqual((await judge({}, { failedOn: new Map([["lint", 1]]) })).found, []);
  const optional = checkRun([check({ required: false })]);
  assert.deepEqual((await judge({}, { failedOn, run: optional })).found, []);
});

test("a signal in any run judges nothing", async () => {
  assert.equal((await judge({ "alone-1": "aborted" }, twoChecks)).found, null);
  assert.equal((await judge({ "steady-1": "aborted" }, {}, once)).found, null);
  assert.equal((await judge({ "once-more-1": "aborted" }, { failedOn: new Map([["tests", 1]]) })).found, null);
});
