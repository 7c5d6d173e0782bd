import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judgeClean } from "../../../lib/checks/proof/judge-clean.ts";
import { type MatrixRequest, noOrigin } from "../../../lib/checks/proof/matrix-runs.ts";
import { check, checkRun, failing } from "../../rules/arrange.ts";
import { cell, heldOut } from "../../rules/matrix-facts.ts";
import { withFolder } from "../../store/temporary-folder.ts";
import { contents, type Ending, fails, ground, matrixRequest, passes, present, scriptRuns } from "./scripted-run.ts";

type Script = Readonly<Record<string, Ending>>;

async function judge(script: Script, more: Partial<MatrixRequest> = {}, home: "private" | "own" = "own") {
  const { run, names, calls } = scriptRuns(script);
  return { outcome: await judgeClean(matrixRequest(more), run, home), names: names(), calls };
}

const failedTwice = { clean: fails(), "clean-again": fails() };
const other = fails(["subtracts"]);

/** The outcome in which the copy counts: nothing is wrong with it. */
function good(results: Parameters<typeof cell>[0], more: object = {}) {
  const calibration = { kind: "good", reason: null, home: "own" };
  return { kind: "ran", cell: cell(results), calibration, home: "own", leftOut: [], unsteady: [], ...more };
}

/** The outcome in which the copy cannot be judged. */
function unjudged(kind: "differs" | "none", reason: string, more: object = {}) {
  return { ...good(fails()), calibration: { kind, reason, home: null }, ...more };
}

const alike = unjudged("differs", "tests failed in a clean copy before this work too");

test("checks that pass in the copy need no comparison, and what failed once there is named", async () => {
  assert.deepEqual((await judge({ clean: passes })).outcome, good(passes));
  const unsteady = await judge({ clean: fails(), "clean-again": passes });
  assert.deepEqual(unsteady.outcome, good(passes, { unsteady: fails() }));
});

test("a held-out check that fails is not compared with the checks of pass 1", async () => {
  const hidden = heldOut({ status: "fail", exit_code: 1 });
  const judged = await judge({ clean: [...passes, hidden], "clean-again": [hidden] });
  assert.deepEqual([judged.outcome, judged.names], [good([...passes, hidden]), ["clean", "clean-again"]]);
});

test("checks that fail as before the work judge nothing, and checks that fail otherwise judge it", async () => {
  const rows: readonly (readonly [before: Ending, outcome: object])[] = [
    [fails(), alike],
    [passes, good(fails())],
    [other, good(fails())],
    [{ reason: "no room" }, unjudged("none", "no room")],
    ["aborted", { kind: "aborted" }],
  ];
  for (const [calibration, outcome] of rows)
    assert.deepEqual((await judge({ ...failedTwice, calibration })).outcome, outcome);
  assert.deepEqual((await judge(failedTwice, { before: null })).outcome, unjudged("none", noOrigin));
});

test("a run of pass 1 that is known is not made again", async () => {
  const calibration = { kind: "ran", cell: cell(fails()), copy: "/copy", leftOut: [], rewritten: [] } as const;
  const judged = await judge(failedTwice, { calibration });
  assert.deepEqual([judged.outcome, judged.names], [alike, ["clean", "clean-again"]]);
});

test("if all that the repo lists passes, the work needs what is not handed over", async () => {
  const entries = new Map(Object.entries({ ...present, "left.js": "file 644 d" }));
  const listing = { fingerprint: { hash: "now", entries } };
  const needed = await judge({ ...failedTwice, listed: passes }, listing);
  assert.deepEqual(needed.outcome, good(fails()));
  assert.equal(needed.calls.at(-1)?.contents.has("left.js"), true);
  for (const listed of [fails(), { reason: "no room" }])
    assert.deepEqual((await judge({ ...failedTwice, listed, calibration: fails() }, listing)).outcome, alike);
  assert.deepEqual((await judge({ ...failedTwice, listed: "aborted" }, listing)).outcome, { kind: "aborted" });
});

test("a file that git ignores and the output names is among what the work needs", () =>
  withFolder(async (folder) => {
    mkdirSync(join(folder, "clean"));
    writeFileSync(join(folder, "local.json"), "{}");
    writeFileSync(join(folder, "clean", "tests.log"), "cannot open local.json");
    const [results, needs] = [fails([], "assertion"), { logFolder: folder, ground: ground({ repo: folder }) }];
    const judged = await judge({ clean: results, "clean-again": results, calibration: passes }, needs);
    assert.deepEqual(judged.outcome, good(results, { leftOut: ["local.json"] }));
  }));

test("what is beside the repo in a larger work tree is part of the listing and of the delivery alike", async () => {
  const now = contents({ ...present, "../shared.json": "file 644 d" });
  const judged = await judge({ ...failedTwice, calibration: fails() }, { now });
  assert.deepEqual([judged.outcome, judged.names], [alike, ["clean", "clean-again", "calibration"]]);
});

test("the user's home folder is seen if the checks of pass 1 need it and the work passes with it", async () => {
  const script = { ...failedTwice, calibration: fails(), "calibration-own-home": passes };
  const inOwn = await judge({ ...script, "clean-own-home": passes }, {}, "private");
  assert.deepEqual(inOwn.outcome, good(passes));
  assert.deepEqual(
    inOwn.calls.map(({ how }) => how.home),
    ["private", "private", "private", "own", "own"],
  );
  const inPrivate = { ...alike, home: "private" };
  for (const script of [
    { "calibration-own-home": fails() },
    { "calibration-own-home": { reason: "no room" } },
    { "calibration-own-home": passes, "clean-own-home": fails() },
    { "calibration-own-home": passes, "clean-own-home": { reason: "no room" } },
  ])
    assert.deepEqual(
      (await judge({ ...failedTwice, calibration: fails(), ...script }, {}, "private")).outcome,
      inPrivate,
    );
});

test("a signal in any cell is the outcome", async () => {
  const script: Script = { ...failedTwice, calibration: fails(), "calibration-own-home": passes };
  for (const name of ["clean", "clean-again", "calibration", "calibration-own-home", "clean-own-home"])
    assert.deepEqual((await judge({ ...script, [name]: "aborted" }, {}, "private")).outcome, { kind: "aborted" }, name);
  assert.deepEqual((await judge({ clean: { reason: "no room" } })).outcome, { kind: "refused", reason: "no room" });
});

test("with uncommitted tests the delivery has to pass by itself too", async () => {
  const loose = { looseChecks: ["a.test.js"] };
  const both = await judge({ delivered: passes, clean: passes }, loose);
  assert.deepEqual([both.outcome, both.names], [good(passes), ["delivered", "clean"]]);
  const alone = await judge({ delivered: fails(), "delivered-again": fails(), calibration: passes }, loose);
  assert.deepEqual([alone.outcome, alone.names], [good(fails()), ["delivered", "delivered-again", "calibration"]]);
  assert.deepEqual((await judge({ delivered: { reason: "no room" } }, loose)).outcome, {
    ...{ kind: "refused", reason: "no room" },
  });
});

test("a copy that runs fewer tests than the repo has judged nothing, and no other run is made", async () => {
  const count = (ran: number, more = {}) => check({ tests: { ran, failed: 0, skipped: 0 }, ...more });
  const run = checkRun([count(3)]);
  const fewer = await judge({ clean: [count(1)] }, { run });
  const unmet = { status: "fail", unmet: "tests ran 1 test, and 3 in the repo" } as const;
  assert.deepEqual(
    fewer.outcome,
    unjudged("differs", "tests ran 1 test in a clean copy, and 3 in the repo", { cell: cell([count(1, unmet)]) }),
  );
  assert.deepEqual((await judge({ clean: [count(3)] }, { run })).outcome, good([count(3)]));
  const optional = [count(1, { required: false })];
  assert.deepEqual((await judge({ clean: optional }, { run })).outcome, good(optional));
  const hidden = [heldOut({ tests: { ran: 1, failed: 0, skipped: 0 } })];
  const inRepo = checkRun([heldOut({ tests: { ran: 3, failed: 0, skipped: 0 } })]);
  assert.deepEqual((await judge({ clean: hidden }, { run: inRepo })).outcome, good(hidden));
  // Beside a check that fails, the comparison with pass 1 is made.
  const e2e = failing({ name: "e2e", kind: "scenario" });
  const mixed = await judge(
    { clean: [count(1), e2e], "clean-again": [e2e], calibration: [check({ ...e2e, status: "pass" })] },
    { run },
  );
  assert.deepEqual(mixed.names, ["clean", "clean-again", "calibration"]);
});

test("a package that a pass changed is what a failing load lacks, if it was there before the work", async () => {
  const load = { clean: fails([], "load"), "clean-again": fails([], "load"), calibration: fails([], "load") };
  const leaving = async (script: Script, leftOut: readonly string[], wasThere: boolean) => {
    const { run } = scriptRuns(script);
    const pins = { isHeld: () => true, holds: () => true, wasThere: () => wasThere };
    const outcome = await judgeClean(
      matrixRequest({ ground: ground({ pins }) }),
      async (...call) => {
        const end = await run(...call);
        return end.kind === "ran" ? { ...end, leftOut } : end;
      },
      "own",
    );
    return outcome.kind === "ran" ? outcome.calibration.kind : outcome.kind;
  };
  assert.equal(await leaving(load, ["node_modules/a/i.js"], true), "good");
  assert.equal(await leaving(load, ["node_modules/a/i.js"], false), "differs");
  assert.equal(await leaving(load, ["node_modules/.cache/x", "lib/__pycache__/a.pyc"], true), "differs");
  assert.equal(await leaving(load, ["node_modules/.pnpm/a"], true), "good");
  assert.equal(await leaving({ ...failedTwice, calibration: fails() }, ["node_modules/a/i.js"], true), "differs");
});

test("files that no check may write in the copy are passed on", async () => {
  const { calls } = await judge({ clean: passes }, { guarded: ["a.test.js"], now: contents(present) });
  assert.deepEqual(calls[0]?.how, { home: "own", restored: ["a.test.js"] });
});
