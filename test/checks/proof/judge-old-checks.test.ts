import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeOldChecks } from "../../../lib/checks/proof/judge-old-checks.ts";
import { noOrigin } from "../../../lib/checks/proof/matrix-runs.ts";
import { check, failing } from "../../rules/arrange.ts";
import { cell } from "../../rules/matrix-facts.ts";
import { contents, type Ending, fails, matrixRequest, old, passes, present, scriptRuns } from "./scripted-run.ts";

const noInner = { old: new Map(), without: new Map(), apart: new Map(), added: [] };
const changed = {
  now: contents({ ...present, "a.test.js": "file 644 d", "new.test.js": "file 644 e" }),
  changedChecks: ["a.test.js", "new.test.js"],
};

async function judge(
  script: Readonly<Record<string, Ending>>,
  more: Parameters<typeof matrixRequest>[0] = changed,
  old: ReadonlyMap<string, string> = new Map(),
  apart: ReadonlyMap<string, string> = new Map(),
  builds: ReadonlyMap<string, string> = new Map(),
  ended: ReadonlyMap<string, string> = new Map(),
) {
  const { run, names, calls } = scriptRuns(script);
  const inner = { ...noInner, old, apart };
  return {
    outcome: await judgeOldChecks(matrixRequest(more), cell(passes), run, inner, { builds, ended }),
    names: names(),
    calls,
  };
}

const judged = (results: Parameters<typeof cell>[0], written: string[] = [], data: string[] = []) => ({
  ...{ kind: "ran", cell: cell(results), written, data },
});

test("if no check changed, or each may change, the results are those of the present code", async () => {
  const wanted = { kind: "ran", cell: cell(passes, "clean"), written: [], data: [] };
  assert.deepEqual((await judge({}, {})).outcome, wanted);
  assert.deepEqual((await judge({}, { ...changed, testsMayChange: ["*.test.js"] })).outcome, wanted);
});

test("changed checks are as at pass 1, but for those that may change, and no check may write them", async () => {
  const { calls } = await judge({ old_checks: passes });
  assert.deepEqual(calls[0]?.contents, contents({ ...old, "work.js": "file 644 c" }));
  assert.deepEqual(calls[0]?.how.restored, ["a.test.js", "new.test.js"]);
  const some = await judge({ old_checks: passes }, { ...changed, testsMayChange: ["new*"] });
  assert.deepEqual(some.calls[0]?.how.restored, ["a.test.js"]);
  assert.equal(some.calls[0]?.contents.has("new.test.js"), true);
});

test("what builds the work may have another text than at pass 1", async () => {
  const { calls } = await judge({ old_checks: passes }, changed, undefined, undefined, new Map([["a.test.js", "x"]]));
  const wanted = contents({ "a.test.js": "file 644 d" });
  assert.deepEqual(calls[0]?.contents.get("a.test.js"), { ...wanted.get("a.test.js"), text: "x" });
  assert.deepEqual(calls[0]?.how.restored, ["new.test.js"]);
});

test("old checks that fail run once more without the marks that the work ended, and a pass counts", async () => {
  const ended = new Map([["a.test.js", "unmarked"]]);
  const judgeEnded = (script: Parameters<typeof judge>[0]) =>
    judge(script, changed, undefined, undefined, undefined, ended);
  const failed = { old_checks: fails(), "old_checks-again": fails() };
  const passed = await judgeEnded({ ...failed, "old_checks-unmarked": passes });
  assert.deepEqual(passed.outcome, judged(passes));
  assert.equal(passed.calls.at(-1)?.contents.get("a.test.js")?.text, "unmarked");
  const both = { "old_checks-unmarked": fails(["other"]), "old_checks-again-unmarked": fails(["other"]) };
  assert.deepEqual((await judgeEnded({ ...failed, ...both })).outcome, judged(fails()));
  assert.deepEqual(
    (await judgeEnded({ ...failed, "old_checks-unmarked": { reason: "full" } })).outcome,
    judged(fails()),
  );
  assert.deepEqual((await judgeEnded({ ...failed, "old_checks-unmarked": "aborted" })).outcome, { kind: "aborted" });
  assert.deepEqual((await judgeEnded({ old_checks: passes })).names, ["old_checks"]);
});

test("a failure, a refusal and a signal are the outcome", async () => {
  assert.deepEqual((await judge({ old_checks: fails(), "old_checks-again": fails() })).outcome, judged(fails()));
  assert.deepEqual((await judge({ old_checks: { reason: "no room" } })).outcome, {
    kind: "refused",
    reason: "no room",
  });
  assert.deepEqual((await judge({ old_checks: "aborted" })).outcome, { kind: "aborted" });
  assert.deepEqual((await judge({}, { ...changed, before: null })).outcome, { kind: "refused", reason: noOrigin });
});

test("old checks that ran fewer tests than before the work have judged nothing, unless some may change", async () => {
  const count = (number: number) => [check({ tests: { ran: number, failed: 0, skipped: 0 } })];
  const earlier = { ...changed, earlier: count(3) };
  assert.deepEqual((await judge({ old_checks: count(1) }, earlier)).outcome, {
    kind: "refused",
    reason: "with the tests of pass 1, tests ran 1 test, and 3 before the work",
  });
  assert.deepEqual((await judge({ old_checks: count(3) }, earlier)).outcome, judged(count(3)));
  const mayChange = { ...earlier, testsMayChange: ["new*"] };
  assert.deepEqual((await judge({ old_checks: count(1) }, mayChange)).outcome, judged(count(1)));
});

test("a check whose script is missing, now and at pass 1, is judged by the tests of pass 1 that remain", async () => {
  const absent = failing({ command: ["npm", "run", "e2e"], excerpt: 'npm error Missing script: "e2e"' });
  const script = { old_checks: [absent], "old_checks-again": [absent] };
  const waiting = { ...changed, earlier: [absent] };
  const held = await judge({ ...script, old_tests: passes }, waiting);
  assert.deepEqual(held.outcome, judged(passes, ["tests"]));
  assert.deepEqual(held.calls.at(-1)?.how, { restored: ["a.test.js"], only: ["tests"] });
  const failed = { ...script, old_tests: fails(), "old_tests-again": fails() };
  assert.deepEqual((await judge(failed, waiting)).outcome, judged(fails()));
  assert.deepEqual((await judge({ ...script, old_tests: "aborted" }, waiting)).outcome, { kind: "aborted" });
  // Of the scripts of package.json one is new, so the file does not go back.
  const onlyManifest = { ...waiting, changedChecks: ["package.json", "new.test.js"] };
  const before = contents({ ...old, "package.json": "file 644 g" });
  const alone = await judge(script, { ...onlyManifest, before });
  assert.deepEqual([alone.outcome, alone.names], [judged(passes, ["tests"]), ["old_checks", "old_checks-again"]]);
});

test("a check that passes with the tests of pass 1 excuses no check of the other kind with its name", async () => {
  const absent = failing({ command: ["npm", "run", "e2e"], excerpt: 'npm error Missing script: "e2e"' });
  const scenario = failing({ kind: "scenario" });
  const script = { old_checks: [absent, scenario], "old_checks-again": [absent, scenario] };
  const held = await judge({ ...script, old_tests: passes }, { ...changed, earlier: [absent] });
  assert.deepEqual(held.outcome, judged([...passes, scenario], ["tests"]));
});

test("a check that could start before the work, or fails for another reason now, is not excused", async () => {
  const absent = failing({ command: ["npm", "run", "e2e"], excerpt: 'npm error Missing script: "e2e"' });
  const script = { old_checks: [absent], "old_checks-again": [absent] };
  for (const earlier of [null, [], passes, [failing()]])
    assert.deepEqual((await judge(script, { ...changed, earlier })).outcome, judged([absent]));
  const other = { old_checks: fails(), "old_checks-again": fails() };
  assert.deepEqual((await judge(other, { ...changed, earlier: [absent] })).outcome, judged(fails()));
});

test("data that lost a value is tried as at pass 1, and an assertion that fails then is held against it", async () => {
  const now = contents({ ...present, "data.json": "file 644 f" });
  const before = contents({ ...old, "data.json": "file 644 e" });
  const lost = { now, before, sharedData: [{ path: "data.json", lost: true }] };
  const failed = await judge({ old_data: fails(), "old_data-again": fails() }, lost);
  assert.deepEqual(failed.outcome, judged(fails(), [], ["data.json"]));
  assert.equal(failed.calls[0]?.contents.get("data.json")?.entry, "file 644 e");
  const same = { kind: "ran", cell: cell(passes, "clean"), written: [], data: [] };
  const load = { old_data: fails([], "load"), "old_data-again": fails([], "load") };
  for (const script of [{ old_data: passes }, load, { old_data: { reason: "no room" } }])
    assert.deepEqual((await judge(script, lost)).outcome, same);
  assert.deepEqual((await judge({ old_data: "aborted" }, lost)).outcome, { kind: "aborted" });
  assert.deepEqual((await judge({}, { ...lost, sharedData: [{ path: "data.json", lost: false }] })).outcome, same);
});

test("a page that lost a value is held against no test that failed at pass 1 already", async () => {
  const now = contents({ ...present, "page.html": "file 644 f" });
  const before = contents({ ...old, "page.html": "file 644 e" });
  const page = { path: "page.html", lost: true, isSource: true } as const;
  const script = { old_data: fails(["a", "b"]), "old_data-again": fails(["a", "b"]) };
  const dataOf = async (...sharedData: { path: string; lost: boolean; isSource?: true }[]) => {
    const asked = async (tests: string[]) =>
      (await judge(script, { now, before, sharedData, earlier: fails(tests) })).outcome;
    return [await asked(["a"]), await asked(["a", "b"])].map((one) => (one.kind === "ran" ? one.data : null));
  };
  assert.deepEqual(await dataOf(page), [["page.html"], []]);
  const paths = ["page.html", "data.json"];
  assert.deepEqual(await dataOf(page, { path: "data.json", lost: true }), [paths, paths]);
});

test("tests in a source of the work are tried as at pass 1, and whatever fails then is held against it", async () => {
  const inner = new Map([["work.js", "the work, and its old tests"]]);
  for (const by of ["assertion", "load"] as const) {
    const failed = await judge({ old_data: fails([], by), "old_data-again": fails([], by) }, {}, inner);
    assert.deepEqual(failed.outcome, judged(fails([], by), [], ["work.js"]));
    assert.equal(failed.calls[0]?.contents.get("work.js")?.text, "the work, and its old tests");
  }
  const same = { kind: "ran", cell: cell(passes, "clean"), written: [], data: [] };
  assert.deepEqual((await judge({ old_data: passes }, {}, inner)).outcome, same);
  assert.deepEqual((await judge({}, { testsMayChange: ["*.js"] }, inner)).outcome, same);
});

test("a check that fails on the present tests put elsewhere in their source holds nothing of the old ones", async () => {
  const [inner, apart] = [new Map([["work.js", "the old tests"]]), new Map([["work.js", "the new tests"]])];
  const failed = { old_data: fails([]), "old_data-again": fails([]) };
  const same = { kind: "ran", cell: cell(passes, "clean"), written: [], data: [] };
  const formal = await judge({ ...failed, apart: fails([]) }, {}, inner, apart);
  assert.deepEqual(formal.outcome, same);
  const last = formal.calls.at(-1);
  assert.deepEqual([last?.contents.get("work.js")?.text, last?.how.only], ["the new tests", ["tests"]]);
  for (const end of [passes, { reason: "no room" }])
    assert.deepEqual(
      (await judge({ ...failed, apart: end }, {}, inner, apart)).outcome,
      judged(fails([]), [], ["work.js"]),
    );
  assert.deepEqual((await judge({ ...failed, apart: "aborted" }, {}, inner, apart)).outcome, { kind: "aborted" });
  const named = await judge({ old_data: fails(), "old_data-again": fails() }, {}, inner, apart);
  assert.deepEqual(named.outcome, judged(fails(), [], ["work.js"]));
});

test("a check of which nothing stood at pass 1 holds no tests in sources either", async () => {
  const missing = [
    failing({ command: ["make", "check"], excerpt: "make: *** No rule to make target 'check'.  Stop." }),
  ];
  const script = { old_checks: missing, "old_checks-again": missing, old_data: missing, "old_data-again": missing };
  const more = { now: contents({ ...present, Makefile: "file 644 d" }), changedChecks: ["Makefile"], earlier: missing };
  const { outcome } = await judge(script, more, new Map([["work.js", "the work, and its old tests"]]));
  assert.deepEqual(outcome, judged(passes, ["tests"]));
});
