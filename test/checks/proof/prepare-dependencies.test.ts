import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { test } from "node:test";
import { digestDependency } from "../../../lib/checks/proof/digest-dependency.ts";
import { holdDependencies } from "../../../lib/checks/proof/hold-dependencies.ts";
import { openKeptCopy } from "../../../lib/checks/proof/kept-copy.ts";
import { runCell } from "../../../lib/checks/proof/run-cell.ts";
import { refusing } from "../../store/refused-calls.ts";
import { makeProofWorld, nodeCheck } from "./arrange.ts";
import { cell, files, statuses } from "./cell-world.ts";

test("files of a folder of dependencies beside its pins are named as left out", async (t) => {
  const world = makeProofWorld(t, files);
  world.write("my repo/node_modules/p/index.js", "the work\n");
  const carry = (folders: readonly string[], isComplete: boolean) => {
    const pinned = { folders: new Set(folders), entries: new Map<string, string>(), isComplete };
    const pins = holdDependencies(world.repo, pinned, { lists: [], unreadable: [] }, new Set());
    return cell(world, world.ground([nodeCheck("tests", "")], { pins }));
  };
  const outcome = await carry(["node_modules"], false);
  assert.ok(outcome.kind === "ran");
  const left = (of: typeof outcome) => (of.kind === "ran" ? of.leftOut : of);
  assert.deepEqual(left(outcome), ["node_modules/p/index.js"]);
  const later = await carry([], true);
  assert.deepEqual(later.kind === "ran" ? left(later) : later, left(outcome));
  const open = await carry([], false);
  assert.deepEqual(open.kind === "ran" ? open.leftOut : open, []);
});

test("a folder of dependencies that is too large refuses the cell", async (t) => {
  const world = makeProofWorld(t, files);
  // Sparse: it takes no room on the disk.
  truncateSync(world.write("my repo/node_modules/large", ""), 4 * 1024 ** 3 + 1);
  const outcome = await cell(world, world.ground([nodeCheck("tests", "")]));
  assert.deepEqual(outcome, { kind: "refused", reason: "node_modules has more than 4096 MiB" });
});

test("what an earlier run carried into the kept copy is not copied again", async (t) => {
  const world = makeProofWorld(t, files);
  world.write("my repo/node_modules/p/index.js", "");
  const ground = world.ground([nodeCheck("tests", "")]);
  const kept = openKeptCopy(ground.copies);
  t.after(() => kept.remove());
  const contents = await world.contents();
  const run = async (name: string) => {
    const at = { logFolder: world.path("logs", name), logRelative: `logs/${name}` };
    const copies: string[] = [];
    const note = { test: (path: string) => path.includes("node_modules") && copies.push(path) === 0 };
    const outcome = await refusing("copyFileSync", "EIO", note, () =>
      runCell(ground, { name, contents, heldOut: [], ...at }, kept),
    );
    return `${outcome.kind}, ${copies.length} copied`;
  };
  assert.equal(await run("clean"), "ran, 1 copied");
  assert.equal(await run("again"), "ran, 0 copied");
});

test("pins name paths of the repo, even if the repo is a folder of the work tree", async (t) => {
  const world = makeProofWorld(t, files);
  world.write("my repo/node_modules/p/index.js", "the work\n");
  const path = "node_modules/p/index.js";
  const entries = new Map([[path, digestDependency(Buffer.from(world.path(`my repo/${path}`))) ?? ""]]);
  const pinned = { folders: new Set(["node_modules"]), entries, isComplete: true };
  const pins = holdDependencies(world.repo, pinned, { lists: [], unreadable: [] }, new Set());
  for (const top of [world.repo, world.folder]) {
    const check = nodeCheck("tests", `import fs from "node:fs"; fs.statSync("${path}")`);
    const outcome = await cell(world, world.ground([check], { pins, top }));
    const seen = outcome.kind === "ran" && [outcome.leftOut, outcome.cell.results.map(({ status }) => status)];
    assert.deepEqual(seen, [[], ["pass"]], top);
  }
});

test("`prepare` runs in the copy beside what is carried, and one that fails refuses the cell by name", async (t) => {
  const world = makeProofWorld(t, files);
  world.write("my repo/node_modules/p/index.js", "");
  const check = nodeCheck(
    "tests",
    'import fs from "node:fs"; if (!fs.existsSync("node_modules") || !fs.existsSync("made")) process.exitCode = 1',
  );
  const prepared = (prepare: readonly (readonly string[])[]) =>
    world.ground([check], { rules: { carry: ["node_modules"], prepare } });
  assert.deepEqual(await statuses(world, prepared([["touch", "made"]])), ["tests pass"]);
  assert.equal(world.exists("my repo/made"), false);
  const outcome = await cell(world, prepared([["true"], ["sh", "-c", "echo no net; exit 3"]]));
  assert.deepEqual(outcome, {
    kind: "refused",
    unbuilt: true,
    reason:
      "`sh -c echo no net; exit 3` of proof.prepare did not pass in the clean copy: exit 3; see logs/clean/prepare-2.log",
  });
  assert.match(world.read("logs/clean/prepare-2.log"), /no net/);
});

test("a folder of dependencies that a signal cut short is carried again into the kept copy", async (t) => {
  const world = makeProofWorld(t, files);
  for (const name of ["p", "q"]) world.write(`my repo/node_modules/${name}/index.js`, "");
  const stop = new AbortController();
  const kept = openKeptCopy(world.ground([]).copies);
  t.after(() => kept.remove());
  const contents = await world.contents();
  const run = async (name: string, signal?: AbortSignal) => {
    const ground = world.ground([nodeCheck("tests", "")], signal && { signal });
    const at = { logFolder: world.path("logs", name), logRelative: `logs/${name}` };
    const copies: string[] = [];
    const stops = (path: string): boolean => {
      if (path.includes("node_modules")) copies.push(path);
      if (copies.length > 0) stop.abort();
      return false;
    };
    const outcome = await refusing("copyFileSync", "EIO", { test: stops }, () =>
      runCell(ground, { name, contents, heldOut: [], ...at }, kept),
    );
    return `${outcome.kind}, ${copies.length} copied`;
  };
  assert.equal(await run("clean", stop.signal), "aborted, 1 copied");
  assert.equal(await run("again"), "ran, 2 copied");
});
