import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { copyCarried } from "../../../lib/checks/proof/carry.ts";
import { namesDependencies, pinDependencies, readPins } from "../../../lib/checks/proof/dependency-pins.ts";
import { holdDependencies } from "../../../lib/checks/proof/hold-dependencies.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { listTree, makeProofWorld } from "./arrange.ts";

const none = { lists: [], unreadable: [] };

test("a copy holds dependencies as at pass 1: what a pass changed in them or added is left out and named", async (t) => {
  const world = makeProofWorld(t, { "package-lock.json": "{}\n" });
  world.write("my repo/node_modules/p/index.js", "module.exports = 1;\n");
  world.write("my repo/node_modules/p/util.js", "module.exports = 2;\n");
  symlinkSync("p", world.path("my repo/node_modules/alias"));
  const file = world.path("pins.jsonl");
  const digest = await pinDependencies(world.repo, ["node_modules"], file);
  const pins = readPins(file, digest);
  assert.deepEqual([...(pins?.folders ?? [])], ["node_modules"]);
  world.write("my repo/node_modules/p/index.js", "module.exports = 3;\n");
  world.write("my repo/node_modules/q/index.js", "the work\n");
  const request = { repo: world.repo, folder: "node_modules", target: world.path("copy"), listed: new Set<string>() };
  assert(pins !== null);
  const done = await copyCarried({
    ...request,
    pins: holdDependencies(world.repo, pins, none, new Set()),
    signal: null,
  });
  assert.deepEqual(
    { ...done, leftOut: [...done.leftOut].sort() },
    { problem: null, leftOut: ["node_modules/p/index.js", "node_modules/q/index.js"] },
  );
  assert.deepEqual(Object.keys(listTree(world.path("copy"))).sort(), ["node_modules/alias", "node_modules/p/util.js"]);
});

test("pins that are not those of the journal are not used", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "" });
  world.write("my repo/vendor/a.py", "a\n");
  const file = world.path("pins.jsonl");
  const digest = await pinDependencies(world.repo, ["vendor"], file);
  assert.equal(readPins(file, null), null);
  world.write("pins.jsonl", '["vendor"]\n["vendor/a.py","other"]\n');
  assert.equal(readPins(file, digest), null);
});

test("a folder of dependencies that appears where nothing names any is not carried", async (t) => {
  const world = makeProofWorld(t, { "package.json": '{ "name": "app" }\n' });
  const { entries } = { entries: new Map([["package.json", "file 644 x"]]) };
  assert.equal(namesDependencies(world.repo, entries), false);
  world.write("my repo/node_modules/work/index.js", "the work\n");
  const pins = readPins(world.path("pins.jsonl"), null, true);
  const request = { repo: world.repo, folder: "node_modules", target: world.path("copy"), listed: new Set<string>() };
  assert(pins !== null);
  const held = holdDependencies(world.repo, pins, none, new Set());
  assert.equal(held.isHeld("node_modules"), true);
  assert.deepEqual(await copyCarried({ ...request, pins: held, signal: null }), {
    problem: null,
    leftOut: ["node_modules/work/index.js"],
  });
  world.write("my repo/package.json", '{ "devDependencies": { "vitest": "3" } }\n');
  assert.equal(namesDependencies(world.repo, entries), true);
  assert.equal(namesDependencies(world.repo, new Map([["yarn.lock", "file 644 x"]])), true);
});

test("pins are read by their digest, whole or not at all", (t) => {
  const world = makeProofWorld(t, {});
  const read = (text: string, digest = sha256(text)) => {
    world.write("pins.jsonl", text);
    return readPins(world.path("pins.jsonl"), digest);
  };
  const whole = '["vendor"]\n["vendor/a.js","abc"]\n';
  assert.deepEqual(read(whole), {
    folders: new Set(["vendor"]),
    entries: new Map([["vendor/a.js", "abc"]]),
    isComplete: false,
  });
  assert.deepEqual(read("[]\n"), { folders: new Set(), entries: new Map(), isComplete: false });
  const wrong = ["[1]\n", '["vendor"]\n["vendor/a.js"]\n', '["vendor"]\n["a","b"]\nno JSON\n', '{}\n["a","b"]\n'];
  assert.deepEqual(
    wrong.map((text) => read(text)),
    [null, null, null, null],
  );
  assert.equal(read(whole, sha256("other")), null);
  assert.equal(readPins(world.path("gone"), sha256(whole)), null);
  assert.equal(readPins(world.path("pins.jsonl"), null), null);
  assert.equal(readPins(world.path("pins.jsonl"), null, true)?.isComplete, true);
});
