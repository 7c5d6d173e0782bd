import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isSame,
  passCoverage,
  presentContents,
  runSteadily,
  runTwice,
  withPaths,
} from "../../../lib/checks/proof/matrix-runs.ts";
import { check, failing } from "../../rules/arrange.ts";
import { contents, fails, matrixRequest, passes, ran, scriptRuns } from "./scripted-run.ts";

const nothing = contents({});

test("only the required checks that failed run once more, one after the other", async () => {
  const results = [check({ name: "a" }), failing({ name: "b" }), failing({ name: "c", required: false })];
  const { run, calls } = scriptRuns({ clean: results, "clean-again": passes });
  await runTwice(run, "clean", nothing, [], { home: "own" });
  assert.deepEqual(
    calls.map(({ name, how }) => [name, how]),
    [
      ["clean", { home: "own" }],
      ["clean-again", { home: "own", only: ["b"], inTurn: true }],
    ],
  );
});

test("nothing runs again after a run that passes, is refused or is aborted", async () => {
  for (const end of [passes, { reason: "no room" }, "aborted"] as const) {
    const { run, names } = scriptRuns({ clean: end });
    assert.equal((await runTwice(run, "clean", nothing, [])).again, null);
    assert.deepEqual(names(), ["clean"]);
  }
});

test("a first run that is already known is not made again", async () => {
  const { run, names } = scriptRuns({ "clean-again": passes });
  const known = ran(fails());
  const { first } = await runTwice(run, "clean", nothing, [], {}, known);
  assert.equal(first, known);
  assert.deepEqual(names(), ["clean-again"]);
});

test("a check that passes on the second run has not failed, and what it said first is kept as unsteady", async () => {
  const { run } = scriptRuns({ clean: fails(), "clean-again": passes });
  const steady = await runSteadily(run, "clean", nothing, []);
  assert.deepEqual(steady, { ...ran(passes), unsteady: fails() });
});

test("a check that ran alone keeps its first failure, and one of several its second", async () => {
  const second = fails(["subtracts"]);
  const alone = await runSteadily(scriptRuns({ clean: fails(), "clean-again": second }).run, "clean", nothing, []);
  assert.deepEqual(alone, { ...ran(fails()), unsteady: [] });
  const other = check({ name: "other" });
  const { run } = scriptRuns({ clean: [...fails(), other], "clean-again": second });
  assert.deepEqual(await runSteadily(run, "clean", nothing, []), { ...ran([...second, other]), unsteady: [] });
});

test("a second run that is refused changes nothing, and one that is aborted ends it", async () => {
  const refused = scriptRuns({ clean: fails(), "clean-again": { reason: "no room" } });
  assert.deepEqual(await runSteadily(refused.run, "clean", nothing, []), { ...ran(fails()), unsteady: [] });
  const aborted = scriptRuns({ clean: fails(), "clean-again": "aborted" });
  assert.deepEqual(await runSteadily(aborted.run, "clean", nothing, []), { kind: "aborted" });
});

test("named paths are as in the other version, and are gone if it lacks them", () => {
  const made = withPaths(contents({ a: "1", b: "1", c: "1" }), ["b", "c", "d", "e"], contents({ b: "2", d: "2" }));
  assert.deepEqual(made, contents({ a: "1", b: "2", d: "2" }));
});

test("two versions are equal if they have the same paths with the same entries, wherever those come from", () => {
  const one = contents({ a: "1", b: "1" });
  const kept = new Map([...one].map(([path, entry]) => [path, { ...entry, from: "origin" as const }]));
  assert.equal(isSame(one, kept), true);
  assert.equal(isSame(one, contents({ a: "1" })), false);
  assert.equal(isSame(contents({ a: "1" }), one), false);
  assert.equal(isSame(one, contents({ a: "1", c: "1" })), false);
  assert.equal(isSame(one, contents({ a: "1", b: "2" })), false);
});

test("uncommitted tests are taken from the repo, and everything else from the delivery", () => {
  const entries = new Map(Object.entries({ "work.js": "uncommitted", "b.test.js": "mine" }));
  const request = matrixRequest({ looseChecks: ["b.test.js"], fingerprint: { hash: "now", entries } });
  assert.deepEqual(presentContents(request), new Map([...request.now, ...contents({ "b.test.js": "mine" })]));
  assert.equal(presentContents({ ...request, looseChecks: [] }), request.now);
});

test("whether too little coverage may pass is asked once, after the first run that fails by it alone", async () => {
  const excerpt = "ERROR: Coverage for lines (50%) does not meet global threshold (90%)";
  const failure = { by: "other", tests: [], said: null } as const;
  const low = [failing({ excerpt, tests: { ran: 2, failed: 0, skipped: 0 }, failure })];
  for (const may of [true, false]) {
    let asked = 0;
    const { run } = scriptRuns({ a: passes, b: fails(), c: low, "c-again": low, d: low });
    const lenient = passCoverage(run, () => {
      asked += 1;
      return Promise.resolve(may);
    });
    const ends: string[] = [];
    for (const name of ["a", "b", "c", "c-again", "d"]) {
      const outcome = await lenient(name, new Map(), []);
      ends.push(outcome.kind === "ran" ? (outcome.cell.results[0]?.status ?? "none") : outcome.kind);
    }
    const then = may ? "pass" : "fail";
    assert.deepEqual([ends, asked], [["pass", "fail", then, then, then], 1]);
  }
});
