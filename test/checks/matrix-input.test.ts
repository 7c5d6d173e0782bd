import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cellGround, findCheckSide, type GroundSource } from "../../lib/checks/matrix-input.ts";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { TaskContract } from "../../lib/task/load-contract.ts";
import { check } from "../rules/arrange.ts";
import { makeContractWorld } from "./contract-world.ts";
import { withWatch } from "./watch/arrange.ts";

const asked = { brief: "", earlier: [] };

test("without a record no changed check is known, and without the code of pass 1 only watched ones", () =>
  withWatch({ "a.test.js": "1", "src/a.js": "1" }, [["node", "a.test.js"]], (world) => {
    const record = world.take();
    world.write({ "a.test.js": "2", "src/a.js": "2" });
    const input = world.input();
    const nothing = { changedChecks: [], sharedData: [] };
    assert.deepEqual(findCheckSide(null, null, { input, ...asked }), nothing);
    const known = { changedChecks: ["a.test.js"], sharedData: [] };
    assert.deepEqual(findCheckSide(record, null, { input, ...asked }), known);
  }));

test("with the code of pass 1 the changed paths of the checks' side are sorted, and each is there once", () =>
  withWatch({ "b.test.js": "1", "a.test.js": "1" }, [["node", "a.test.js"]], (world) => {
    const record = world.take();
    const origin = { fingerprint: "f", entries: world.input().entries, blobPath: () => "/nonexistent/blob" };
    world.write({ "b.test.js": "2", "a.test.js": "2" });
    const found = findCheckSide(record, origin, { input: world.input(), ...asked });
    assert.deepEqual(found, { changedChecks: ["a.test.js", "b.test.js"], sharedData: [] });
  }));

test("a module in place of one that tests load is on the checks' side if the results before say that they loaded it", () =>
  withWatch({ "test_a.py": "import unittest\n" }, [["python3", "test_a.py"]], (world) => {
    const record = world.take();
    const origin = {
      ...{ fingerprint: "f", entries: world.input().entries },
      blobPath: () => join(world.repo, "test_a.py"),
    };
    world.write({ "unittest.py": "2" });
    const found = (earlier: readonly CheckResult[]) =>
      findCheckSide(record, origin, { input: world.input(), ...asked, earlier }).changedChecks;
    assert.deepEqual([found([check()]), found([])], [["unittest.py"], []]);
  }));

test("a cell has the checks and rules of the contract, and the sandbox of the configuration", (t) => {
  const world = makeContractWorld(t);
  const { contract, ports, repo, mark } = world.request([world.check("tests", "true")]);
  mkdirSync(world.path("runner/work"), { recursive: true });
  const names: string[][] = [];
  const live = { running: (running: readonly string[]) => void names.push([...running]) };
  const source = (sandbox: string, more: object = {}): GroundSource => ({
    ...{ repo, entries: new Map([["a.txt", "file 644 1"]]), noCode: { nested: ["inner"], settings: ["s"] } },
    ...{ origin: null, pins: null, home: "own", folder: world.path("runner"), tasksRoot: world.path("repo/tasks") },
    contract: { contract, config: { sandbox } as TaskContract["config"] },
    ports: { ...ports, ...more } as GroundSource["ports"],
    work: { mark, work_folder: world.path("runner/work") },
    isNew: () => false,
  });
  const plain = cellGround(source("off"));
  assert.deepEqual(
    [plain.checks.validators.map(({ name }) => name), plain.rules, plain.home.seen, plain.nested, plain.settings],
    [["tests"], contract.proof, "own", ["inner"], ["s"]],
  );
  assert.deepEqual([plain.top, plain.running, plain.sandbox === null], [repo, undefined, plain.unseparated !== null]);
  const bounded = cellGround(source("bwrap", { live }));
  assert.deepEqual([bounded.unseparated, bounded.sandbox === null], [null, false]);
  assert.match(bounded.env.XDG_CACHE_HOME ?? "", /\.cache$/);
  assert.equal(bounded.isSeen("/anywhere"), true);
  bounded.running?.(["tests"]);
  assert.deepEqual(names, [["tests in a clean copy"]]);
});
