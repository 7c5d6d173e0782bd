import assert from "node:assert/strict";
import { test } from "node:test";
import {
  foretellAt,
  judgeChecks,
  judgeChecksAt,
  judgeCommands,
  readyPlace,
  requireReady,
} from "../../lib/checks/require-ready.ts";
import type { TaskContract } from "../../lib/task/load-contract.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { makeContractWorld } from "./contract-world.ts";

const env = { PATH: process.env.PATH };
test("each command that cannot start is an error with what to write instead, if that is known", () => {
  const checks = [
    { name: "tests", command: ["sh", "-c", "true"] },
    { name: "lint", command: ["no-such-program"] },
    { name: "e2e", command: ["sh a.sh"] },
  ];
  const found = judgeCommands(checks, "README.md", "/nonexistent", env);
  assert.deepEqual(
    found.map(({ severity, code, message }) => `${severity} ${code} ${message.split(" ").slice(0, 4).join(" ")}`),
    ["error TP_CHECK_MISSING the command of lint", "error TP_CHECK_MISSING the command of e2e"],
  );
  assert.ok(found.every(({ file }) => file === "README.md"));
  const asked: string[] = [];
  const own = judgeCommands(checks, null, "/nonexistent", env, (name, instead) => {
    asked.push(`${name}: ${instead.join(" ")}`);
    return "fix it";
  });
  assert.equal(own.length, 2);
  assert.ok(own.every(({ fix }) => fix !== null));
  assert.deepEqual(
    asked.every((line) => /^(?:lint|e2e): /.test(line)),
    true,
  );
});

test("held-out folders that cannot be read, or that the agent sees, are errors before the first pass alone", (t) => {
  const world = makeContractWorld(t);
  const { contract, place, repo } = world.request([world.check("tests", "true")]);
  const hidden = (name: string, folder: string) => ({ ...world.check(name, ""), folder });
  const heldOut = [hidden("gone", "../../../nowhere"), hidden("seen", "../"), hidden("round", "../../../")];
  const checked = { contract: { ...contract, heldOut } };
  const at = (lastPass: number) =>
    judgeChecks(checked, readyPlace(place, lastPass), repo, env).map(({ code, message }) => `${code} ${message}`);
  const [gone, seen, round] = at(0);
  assert.match(gone ?? "", /^TP_HELD_OUT the folder of the held-out check gone is not a readable folder/);
  assert.match(
    seen ?? "",
    /^TP_HELD_OUT the folder of the held-out check seen is inside .*, where the agent can see it/,
  );
  assert.match(round ?? "", /^TP_HELD_OUT the folder of the held-out check round contains .*, where the agent works/);
  assert.deepEqual(at(1), []);
});

test("where no repo is found nothing is judged: a run may name one", (t) => {
  const world = makeContractWorld(t);
  const { contract, place, ports, repo } = world.request([
    { ...world.check("lint", ""), command: ["no-such-program"] },
  ]);
  assert.equal(judgeChecksAt(readyPlace(place, 0), { contract }, null, ports).length, 1);
  world.write("elsewhere/T-2/README.md", "");
  const outside = readyPlace(placeOf(world.path("elsewhere/T-2")), 0);
  assert.deepEqual(judgeChecksAt(outside, { contract }, null, ports), []);
  assert.equal(judgeChecksAt(outside, { contract }, repo, ports).length, 1);
  const config = { checkpoint: "patch", commits: "pass" } as TaskContract["config"];
  assert.deepEqual(foretellAt(outside, { contract, config }, null, ports), []);
});

test("a check of which the repo's files show that it will not work is a warning", (t) => {
  const world = makeContractWorld(t, { "package.json": '{"scripts":{"test":"true"}}' });
  const checks = ["unit", "test"].map((name) => ({ ...world.check(name, ""), command: ["npm", "run", name] }));
  const { contract, place, ports } = world.request(checks);
  const config = { checkpoint: "patch", commits: "pass" } as TaskContract["config"];
  const found = foretellAt(place, { contract, config }, null, ports);
  assert.deepEqual(
    found.map(({ severity, code, file }) => [severity, code, file]),
    [["warning", "TP_CHECK_TROUBLE", place.readme]],
  );
  assert.match(found[0]?.message ?? "", /^the check unit runs the script unit/);
});

test("a task that lacks something is refused with all of it", (t) => {
  const world = makeContractWorld(t);
  const { contract, place, repo } = world.request([
    { ...world.check("lint", "", { required: false }), command: ["no-such-program"] },
  ]);
  const task = { contract, isEmpty: true } as TaskContract;
  assert.throws(
    () => requireReady(task, readyPlace(place, 0), repo, env),
    (error) => {
      assert(error instanceof TaskPhaseError);
      assert.equal(error.exitName, "config");
      assert.deepEqual(
        error.findings.map(({ code, file }) => [code, file]),
        ["TP_NO_CHECK", "TP_BRIEF_EMPTY", "TP_CHECK_MISSING"].map((code) => [code, place.readme]),
      );
      return true;
    },
  );
  // Once a pass has begun, a contract that loses its checks is left to the gate.
  const later = () => requireReady(task, readyPlace(place, 1), repo, env);
  assert.throws(later, (error) => error instanceof TaskPhaseError && error.findings.length === 1);
  const ready = world.request([world.check("tests", "true")]);
  assert.equal(
    requireReady({ contract: ready.contract, isEmpty: false } as TaskContract, readyPlace(place, 0), repo, env),
    null,
  );
});
