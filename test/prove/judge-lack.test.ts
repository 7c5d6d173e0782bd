import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { judgeLack, type LackRequest, nameUndelivered } from "../../lib/prove/judge-lack.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import { makeProofWorld, noExpectation, type ProofWorld } from "../checks/proof/arrange.ts";
import { failing } from "../rules/arrange.ts";
import { cell, matrix } from "../rules/matrix-facts.ts";

const reason = "tests failed in a clean copy before this work too";
const calibration = { kind: "differs", reason, home: null } as const;
const failed = [failing({ failure: { by: "other", tests: [], said: null } })];
const files = { "test.sh": "test -e local.json && test -e work.txt\n", ".gitignore": "local.json\n*.log\n" };

async function judge(world: ProofWorld, facts: Partial<MatrixFacts> = {}, more: Partial<LackRequest> = {}) {
  const origin = await world.origin();
  const before = new Map([...origin.entries].map(([path, entry]) => [path, { entry, from: "origin" as const }]));
  world.write("my repo/work.txt", "");
  const place = findGitPlace(world.repo);
  assert(place !== null);
  const told: string[] = [];
  mkdirSync(world.path("runner/lack"));
  const check = { name: "tests", command: ["sh", "test.sh"], timeoutMs: 30_000, required: true, expect: noExpectation };
  const lack = await judgeLack({
    place,
    env: world.env,
    named: {
      ...{
        ground: world.ground([check], { origin, rules: { carry: [".venv"], prepare: [] } }),
        parallel: "auto",
        tell: (text) => told.push(text),
      },
      ...{ logFolder: world.path("logs"), logRelative: "logs" },
    },
    folder: world.path("runner/lack"),
    inTurn: true,
    hidesRepo: false,
    versions: { before, now: await world.contents(), undelivered: [] },
    listed: new Map(),
    before: failed,
    matrix: matrix({ clean: cell(failed), calibration, ...facts }),
    ...more,
  });
  return { lack, runs: told.length };
}

test("checks that pass, or fail for the work's own sake, lack nothing, and no run is made", async (t) => {
  const world = (name: string) => {
    const made = makeProofWorld(t, files);
    made.write("my repo/local.json", name);
    return made;
  };
  const nothing = { lack: null, runs: 0 };
  assert.deepEqual(await judge(world("passes"), { clean: cell() }), nothing);
  assert.deepEqual(await judge(world("no copy"), { clean: null }), nothing);
  assert.deepEqual(await judge(world("calibrated"), { calibration: { ...calibration, kind: "good" } }), nothing);
});

test("with nothing that git ignores, but for what tools leave behind, no run is made", async (t) => {
  const world = makeProofWorld(t, files);
  world.write("my repo/debug.log", "");
  assert.deepEqual(await judge(world), { lack: null, runs: 0 });
});

test("an ignored file with which the base says something else, and the change passes, is lacking", async (t) => {
  const world = makeProofWorld(t, { ...files, "test.sh": "test -e local.json\n" });
  world.write("my repo/local.json", "");
  const { lack, runs } = await judge(world);
  assert.equal(runs, 2);
  assert.equal(
    lack,
    `${reason}: the checks pass with something that the copy lacks: what git ignores (local.json), or your home folder; ` +
      "for local.json, write `proof: { carry: [node_modules, local.json] }` into README.md",
  );
});

test("folders that ignore themselves are what tools leave behind, and what is carried anyway, like any other", async (t) => {
  const world = makeProofWorld(t, { ...files, "test.sh": "test -e local.json\n" });
  world.write("my repo/local.json", "");
  for (const folder of [".pytest_cache", ".venv"]) world.write(`my repo/${folder}/.gitignore`, "*\n");
  for (const path of [".pytest_cache/README.md", ".venv/bin/a", "a/.venv/b"]) world.write(`my repo/${path}`, "");
  world.write("my repo/a/.venv/.gitignore", "*\n");
  assert.match((await judge(world)).lack ?? "", /what git ignores \(local\.json\)/);
});

test("many ignored files are no list to carry", async (t) => {
  const world = makeProofWorld(t, { ...files, "test.sh": "test -e local.json\n", ".gitignore": "*.json\n" });
  for (const name of ["local", "b", "c", "d"]) world.write(`my repo/${name}.json`, "");
  assert.match((await judge(world)).lack ?? "", /\(b\.json, c\.json, d\.json and 1 more\), or your home folder$/);
});

test("a base that fails in the same way with all ignored files lacks nothing", async (t) => {
  const world = makeProofWorld(t, { ...files, "test.sh": "exit 1\n" });
  world.write("my repo/local.json", "");
  assert.deepEqual(await judge(world), { lack: null, runs: 1 });
});

test("packages of yarn without a folder are installed in the copy, since its map of them leads there from the repo alone", async (t) => {
  const world = makeProofWorld(t, { ...files, "test.sh": "grep -q copy .pnp.cjs\n", ".gitignore": ".pnp.*\n" });
  world.write("my repo/.pnp.cjs", "repo");
  world.write("tools/yarn", '#!/bin/sh\ntest "$*" = "install --immutable" && echo copy > .pnp.cjs\n');
  world.makeExecutable("tools/yarn");
  Object.assign(world.env, { PATH: `${world.path("tools")}:${world.env.PATH}` });
  const lacking =
    "the copy lacks .pnp.cjs, which git ignores; write `proof: { prepare: [[yarn, install, --immutable]] }`";
  const facts = { calibration: { ...calibration, reason: `${reason}: ${lacking}` } };
  assert.deepEqual(await judge(world, facts), { lack: `${reason}: ${lacking}`, runs: 2 });
});

test("what is not committed in a submodule is named without a word of tasks", () => {
  const why = "changes that are not committed, and that no pass of this task made: commit what the work needs";
  const named = "lib/a.js (changes that are not committed: commit what the work needs)";
  assert.equal(nameUndelivered([{ path: "lib/a.js", why }]), named);
  assert.equal(nameUndelivered([]), null);
});
