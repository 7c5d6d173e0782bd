import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../../lib/machine/check-run.ts";
import type { SquareFacts } from "../../lib/machine/square.ts";
import { digestHeldOut } from "../../lib/proof/held-out.ts";
import { judgeSquare, type SquareRequest } from "../../lib/proof/judge-square.ts";
import type { ContractCheck } from "../../lib/task-folder/contract.ts";
import { refusing } from "../store/refused-calls.ts";
import { makeProofWorld, noExpectation, type ProofWorld } from "./arrange.ts";

const files = { "test/check.sh": "grep -qx 42 answer.txt\n", "answer.txt": "0\n", "package.json": "{}\n" };
const tests: ContractCheck = {
  ...{ name: "tests", command: ["sh", "test/check.sh"], timeoutMs: 30_000, required: true },
  expect: noExpectation,
};

interface Judged {
  /** The cells that were run, in order. */
  readonly ran: readonly string[];
  readonly square: SquareFacts;
}

async function judge(world: ProofWorld, more: Partial<SquareRequest> = {}): Promise<Judged> {
  const ran: string[] = [];
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  const outcome = await judgeSquare({
    ground: world.ground([tests]),
    fingerprint: { hash: "now", entries },
    changedChecks: [],
    testsMayChange: [],
    calibration: { kind: "good", reason: null, carried: null, home: null },
    baseline: null,
    originFingerprint: null,
    heldOut: [],
    noControl: null,
    noCounter: null,
    logFolder: world.path("logs"),
    logRelative: "logs",
    tell: (text) => ran.push(text.replace("running the checks in a clean copy: ", "")),
    ...more,
  });
  assert(outcome.kind === "judged");
  assert.deepEqual(outcome.leftovers, []);
  return { ran, square: outcome.square };
}

const present = "the current code";
const guard = "with the tests and checks of pass 1";
const counter = "without this work";

function failing(command = tests.command): CheckResult {
  return {
    ...{ name: "tests", kind: "validator", required: true, status: "fail", exit_code: 1, signal: null, duration_ms: 1 },
    ...{ attribution: null, log: "baseline.log", excerpt: "", command },
  };
}

/** The work is done, and what came before it is kept. */
async function worked(world: ProofWorld, more: Readonly<Record<string, string>> = {}) {
  const origin = await world.origin();
  for (const [name, text] of Object.entries({ "answer.txt": "42\n", ...more })) world.write(`my repo/${name}`, text);
  return origin;
}

test("if no check changed, only the control is run: the guard is the control, and the counter the baseline", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world);
  const baseline = { fingerprint: origin.fingerprint, results: [failing()], carried: [] };
  const originFingerprint = origin.fingerprint;
  const { ran, square } = await judge(world, {
    ground: world.ground([tests], { origin }),
    baseline,
    originFingerprint,
  });
  assert.deepEqual(ran, [present]);
  assert.deepEqual(
    [square.control?.same_as, square.guard?.same_as, square.counter?.same_as],
    [null, "control", "baseline"],
  );
  assert.equal(square.counter?.results[0]?.log, "baseline.log");
});

test("if a check changed, guard and counter are run on what they name", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world, {
    "test/check.sh": "grep -q 42 answer.txt && test -e test/new.sh\n",
    "test/new.sh": "",
  });
  const changedChecks = ["test/check.sh", "test/new.sh"];
  const { ran, square } = await judge(world, { ground: world.ground([tests], { origin }), changedChecks });
  assert.deepEqual(ran, [present, guard, counter]);
  const status = (cell: SquareFacts["guard"]) => cell?.results.map((result) => result.status);
  assert.deepEqual(
    [status(square.control), status(square.guard), status(square.counter)],
    [["pass"], ["pass"], ["fail"]],
  );
  assert.deepEqual(square.changed_checks, changedChecks);
});

test("a test that may change is as it is now in the guard, and what else changed is as at pass 1", async (t) => {
  const world = makeProofWorld(t, { ...files, "test/other.sh": "old\n" });
  const check = "grep -qx 42 answer.txt && grep -qx old test/other.sh\n";
  const origin = await worked(world, { "test/check.sh": `${check}# new\n`, "test/other.sh": "old\n#\n" });
  const changedChecks = ["test/check.sh", "test/other.sh"];
  const ground = world.ground([tests], { origin });
  const all = await judge(world, { ground, changedChecks, testsMayChange: ["test/**"] });
  assert.deepEqual([all.ran, all.square.guard?.same_as], [[present, counter], "control"]);
  const some = await judge(world, { ground, changedChecks, testsMayChange: ["test/check.sh"] });
  assert.deepEqual([some.ran, some.square.guard?.same_as], [[present, guard, counter], null]);
});

test("the counter is run, though no check changed, if the baseline is not what it would show", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world);
  const baseline = { fingerprint: origin.fingerprint, results: [failing()], carried: [] };
  const request = {
    ground: world.ground([tests], { origin }),
    baseline,
    originFingerprint: origin.fingerprint,
  };
  world.write("hidden/look.sh", "exit 0\n");
  const hidden = {
    ...{ ...tests, name: "hidden", command: ["sh", "held-out/look.sh"], folder: world.path("hidden") },
    digest: digestHeldOut(world.path("hidden")) ?? "",
  };
  const cases: readonly (readonly [string, Partial<SquareRequest>])[] = [
    ["no baseline was run", { baseline: null }],
    ["it ran on other code", { originFingerprint: "earlier" }],
    ["the command is another one", { baseline: { ...baseline, results: [failing(["sh", "x.sh"])] } }],
    ["a check is new", { baseline: { ...baseline, results: [] } }],
    ["there were other dependencies", { baseline: { ...baseline, carried: ["node_modules"] } }],
    ["a check is held out", { heldOut: [hidden] }],
  ];
  for (const [what, more] of cases) {
    const { ran, square } = await judge(world, { ...request, ...more });
    assert.deepEqual([ran, square.counter?.same_as], [[present, counter], null], what);
    assert.equal(square.counter?.results[0]?.status, "fail", what);
  }
});

test("nothing more is run if the control does not pass, or if no copy is wanted", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await world.origin();
  const ground = world.ground([tests], { origin });
  const failed = await judge(world, { ground, changedChecks: ["test/check.sh"] });
  const reason = "the checks do not pass in a clean copy of the current code";
  assert.deepEqual(failed.ran, [present]);
  assert.deepEqual([failed.square.guard, failed.square.counter], [null, null]);
  assert.deepEqual([failed.square.no_guard, failed.square.no_counter], [reason, reason]);
  const off = await judge(world, { ground, noControl: "`proof.clean` is off" });
  assert.deepEqual([off.ran, off.square.control, off.square.no_control], [[], null, "`proof.clean` is off"]);
});

test("a copy that cannot be made is the reason why there is no control", async (t) => {
  const world = makeProofWorld(t, files);
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  world.write("my repo/answer.txt", "changed meanwhile\n");
  const { ran, square } = await judge(world, { fingerprint: { hash: "now", entries } });
  assert.deepEqual([ran, square.control], [[present], null]);
  assert.equal(square.no_control, "answer.txt changed while it was copied");
});

test("without the work as at pass 1 neither guard nor counter is run, and the reason is named", async (t) => {
  const world = makeProofWorld(t, { ...files, "answer.txt": "42\n" });
  const reason = "the code of pass 1 is not kept on this machine";
  const { ran, square } = await judge(world, { changedChecks: ["test/check.sh"] });
  assert.deepEqual([ran, square.no_guard, square.no_counter], [[present], reason, reason]);
});

test("a counter that is switched off is not run", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world);
  const ground = world.ground([tests], { origin });
  const { ran, square } = await judge(world, { ground, noCounter: "`proof.counter` is off" });
  assert.deepEqual([ran, square.counter, square.no_counter], [[present], null, "`proof.counter` is off"]);
});

test("no cell holds a nested repository, and what no copy holds is named", async (t) => {
  const world = makeProofWorld(t, { ...files, "inner/x.sh": "", "answer.txt": "42\n" });
  const origin = await world.origin();
  world.write("my repo/test/check.sh", "test ! -e inner && grep -qx 42 answer.txt\n");
  world.link("/etc/passwd", "my repo/outside");
  const ground = world.ground([tests], { origin, nested: ["inner"] });
  const { ran, square } = await judge(world, { ground, changedChecks: ["test/check.sh"] });
  assert.deepEqual(ran, [present, guard, counter]);
  assert.deepEqual(square.left_out, ["inner", "outside"]);
  assert.equal(square.counter?.results[0]?.status, "pass");
});

test("a signal ends the judging in whatever cell it comes", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world, { "test/check.sh": "exit 0\n" });
  for (const at of [present, guard, counter]) {
    const controller = new AbortController();
    const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
    const outcome = await judgeSquare({
      ground: world.ground([tests], { origin, signal: controller.signal }),
      fingerprint: { hash: "now", entries },
      changedChecks: ["test/check.sh"],
      testsMayChange: [],
      calibration: { kind: "good", reason: null, carried: null, home: null },
      baseline: null,
      originFingerprint: null,
      heldOut: [],
      noControl: null,
      noCounter: null,
      logFolder: world.path("logs"),
      logRelative: "logs",
      tell: (text) => text.endsWith(at) && controller.abort("SIGTERM"),
    });
    assert.deepEqual(outcome, { kind: "aborted" }, at);
  }
});

test("a call that is aborted in any cell judges nothing", async (t) => {
  for (const at of [present, guard, counter]) {
    const world = makeProofWorld(t, files);
    const origin = await worked(world, { "test/check.sh": "grep -q 42 answer.txt\n" });
    const controller = new AbortController();
    const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
    const outcome = await judgeSquare({
      ground: world.ground([tests], { origin, signal: controller.signal }),
      ...{ fingerprint: { hash: "now", entries }, changedChecks: ["test/check.sh"], testsMayChange: [] },
      ...{
        calibration: { kind: "good", reason: null, carried: null, home: null },
        baseline: null,
        originFingerprint: null,
        heldOut: [],
      },
      ...{ noControl: null, noCounter: at === guard ? "it is off" : null },
      ...{ logFolder: world.path("logs"), logRelative: "logs" },
      tell: (text) => {
        if (text.endsWith(at)) controller.abort("SIGTERM");
      },
    });
    assert.deepEqual(outcome, { kind: "aborted" }, at);
  }
});

test("a copy that cannot be removed is named beside what it showed", async (t) => {
  const world = makeProofWorld(t, { ...files, "answer.txt": "42\n" });
  const folder = world.path("runner/copies/control");
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  const test = (path: string) => path === folder && world.exists("logs/control/tests.log");
  const outcome = await refusing("rmSync", "EBUSY", { test }, () =>
    judgeSquare({
      ...{
        ground: world.ground([tests]),
        fingerprint: { hash: "now", entries },
        changedChecks: [],
        testsMayChange: [],
      },
      ...{
        calibration: { kind: "good", reason: null, carried: null, home: null },
        baseline: null,
        originFingerprint: null,
        heldOut: [],
      },
      ...{
        noControl: null,
        noCounter: null,
        logFolder: world.path("logs"),
        logRelative: "logs",
        tell: () => undefined,
      },
    }),
  );
  assert.deepEqual(outcome.kind === "judged" ? outcome.leftovers : null, [folder]);
});
