import assert from "node:assert/strict";
import { test } from "node:test";
import { besideFinding, digestContract, runContractChecks, runsInTurn } from "../../lib/checks/contract-checks.ts";
import { emptyHistory } from "../../lib/rules/history.ts";
import { makeContractWorld } from "./contract-world.ts";

/** The run of checks that came to an end. */
async function run(request: Parameters<typeof runContractChecks>[0]) {
  const outcome = await runContractChecks(request);
  assert(outcome.kind === "ran");
  return outcome.run;
}

const statuses = (results: readonly { readonly name: string; readonly status: string }[]) =>
  results.map(({ name, status }) => `${name} ${status}`);

test("checks that pass and leave the repo as it was run once", async (t) => {
  const world = makeContractWorld(t);
  const found = await run(world.request([world.check("tests", "true"), world.check("lint", "true")]));
  assert.deepEqual(statuses(found.results), ["tests pass", "lint pass"]);
  assert.deepEqual([found.attempts, found.moved, found.first], [1, [], undefined]);
  assert.equal(found.fingerprint_before, found.fingerprint_after);
  assert.equal(world.count("tests"), 1);
});

test("a check that fails alone runs once more, and one that passes then is named with its first failure", async (t) => {
  const world = makeContractWorld(t);
  const flaky = world.check("flaky", 'test "$(wc -l < "$OUT/flaky")" -gt 1');
  const found = await run(world.request([flaky]));
  assert.deepEqual([statuses(found.results), statuses(found.first ?? [])], [["flaky pass"], ["flaky fail"]]);
  assert.equal(found.beside, undefined);
  const failing = makeContractWorld(t);
  const bad = await run(failing.request([failing.check("bad", "exit 3")]));
  assert.deepEqual([statuses(bad.results), bad.first, failing.count("bad")], [["bad fail"], undefined, 2]);
});

test("before the work what fails alone does not run again, and a program that cannot start never does", async (t) => {
  const world = makeContractWorld(t);
  await run(world.request([world.check("bad", "exit 3")], { isBaseline: true }));
  assert.equal(world.count("bad"), 1);
  const absent = { ...world.check("absent", ""), command: ["no-such-program"] };
  const found = await run(world.request([absent]));
  assert.deepEqual([statuses(found.results), world.exists("logs/validators-again")], [["absent not_started"], false]);
  const optional = makeContractWorld(t);
  await run(optional.request([optional.check("lint", "exit 1", { required: false })]));
  assert.equal(optional.count("lint"), 1);
});

/** Of those that start side by side, in the first run and in the third, the second one fails. */
const collides = `echo >> "$OUT/starts"
case $(wc -l < "$OUT/starts") in 1|2) mkdir "$OUT/first" ;; 3) true ;; *) mkdir "$OUT/third" ;; esac`;

test("checks that collide run in turn, and once more side by side to show whether that is why", async (t) => {
  const world = makeContractWorld(t);
  const found = await run(world.request([world.check("one", collides), world.check("two", collides)]));
  assert.deepEqual(statuses(found.results), ["one pass", "two pass"]);
  assert.deepEqual([found.first?.length, found.beside, world.count("one") + world.count("two")], [1, true, 5]);
});

test("checks of which the contract says that they run in turn never meet", async (t) => {
  const world = makeContractWorld(t);
  const port = 'mkdir "$OUT/port" && rmdir "$OUT/port"';
  const checks = [world.check("one", port), world.check("two", port)];
  const found = await run(world.request(checks, { contract: { parallel: false } }));
  assert.deepEqual([statuses(found.results), found.first], [["one pass", "two pass"], undefined]);
});

test("checks that change the repo run twice on what they leave, and what moved again is named", async (t) => {
  const world = makeContractWorld(t);
  const once = await run(world.request([world.check("writes", "echo made > made.txt")]));
  assert.deepEqual([once.attempts, once.moved], [2, []]);
  const always = await run(world.request([world.check("counts", 'wc -l < "$OUT/counts" > a.txt')]));
  assert.deepEqual([always.attempts, always.moved], [2, ["a.txt"]]);
  assert.notEqual(always.fingerprint_before, always.fingerprint_after);
});

test("a set that fails and changes the repo is not run again, since that could only hide the failure", async (t) => {
  const world = makeContractWorld(t);
  const found = await run(world.request([world.check("bad", 'wc -l < "$OUT/bad" > a.txt; exit 1')]));
  assert.deepEqual([found.attempts, found.failed_first, found.moved], [1, true, ["a.txt"]]);
  assert.equal(world.count("bad"), 1);
});

test("a repo that git can no longer read after the checks has moved", async (t) => {
  const world = makeContractWorld(t);
  const found = await run(world.request([world.check("breaks", "echo x > .git/index")]));
  assert.deepEqual([found.attempts, found.moved], [1, [".git"]]);
});

test("a signal leaves no run", async (t) => {
  const world = makeContractWorld(t);
  const request = world.request([world.check("tests", "true")]);
  const ports = { ...request.ports, signal: AbortSignal.abort("SIGTERM") };
  assert.deepEqual(await runContractChecks({ ...request, ports }), { kind: "aborted" });
});

test("checks run in turn if the contract says so, or if they were seen to collide and it leaves that open", () => {
  const rows: readonly (readonly [parallel: "auto" | boolean, seen: boolean, inTurn: boolean])[] = [
    [false, false, true],
    ["auto", false, false],
    ["auto", true, true],
    [true, true, false],
  ];
  for (const [parallel, seen, inTurn] of rows)
    assert.equal(runsInTurn({ parallel }, { ...emptyHistory, inTurn: seen }), inTurn, `${parallel} ${seen}`);
});

test("the digest of a contract is that of what it asks, and colliding checks are a remark with the setting", (t) => {
  const world = makeContractWorld(t);
  const { contract } = world.request([world.check("tests", "true")]);
  assert.equal(digestContract(contract), digestContract(structuredClone(contract)));
  assert.notEqual(digestContract(contract), digestContract({ ...contract, parallel: false }));
  const { severity, code, fix } = besideFinding(["tests", "lint"]);
  assert.deepEqual([severity, code], ["info", "TP_SIDE_BY_SIDE"]);
  assert.match(fix ?? "", /parallel: false/);
});
