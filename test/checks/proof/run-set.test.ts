import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { digestHeldOut } from "../../../lib/task/held-out.ts";
import { makeProofWorld, nodeCheck, noExpectation } from "./arrange.ts";
import { cell, files, statuses } from "./cell-world.ts";

test("held-out files are there for their own check alone, and nothing of its output is kept", async (t) => {
  const world = makeProofWorld(t, files);
  const folder = world.path("hidden");
  world.write("hidden/test.mjs", 'console.log("the-secret-42");\n');
  const digest = digestHeldOut(folder) ?? "";
  const absent = nodeCheck("tests", 'import fs from "node:fs"; process.exitCode = fs.existsSync("held-out") ? 1 : 0');
  const run = [process.execPath, "held-out/test.mjs"];
  const held = {
    name: "hidden",
    command: run,
    timeoutMs: 30_000,
    required: true,
    expect: noExpectation,
    folder,
    digest,
  };
  const outcome = await cell(world, world.ground([absent]), { heldOut: [held, { ...held, name: "again" }] });
  assert(outcome.kind === "ran");
  assert.deepEqual(
    outcome.cell.results.map(({ name, status, held_out, excerpt }) => [name, status, held_out, excerpt]),
    [
      ["tests", "pass", undefined, ""],
      ["hidden", "pass", true, ""],
      ["again", "pass", true, ""],
    ],
  );
  for (const name of readdirSync(world.path("logs/clean")))
    assert.doesNotMatch(world.read(`logs/clean/${name}`), /the-secret/, name);
});

test("what a held-out check printed is gone when the next one runs, and each running check is reported", async (t) => {
  const world = makeProofWorld(t, files);
  const folder = world.path("hidden");
  world.write("hidden/test.sh", 'cat "$TMPDIR"/held-out-logs/*; ls "$TMPDIR/held-out-logs" > "$1"; echo printed\n');
  const held = (name: string) => ({
    ...{ name, timeoutMs: 30_000, required: true, expect: noExpectation, folder, digest: digestHeldOut(folder) ?? "" },
    command: ["sh", "held-out/test.sh", world.path(name)],
  });
  const reported = new Set<string>();
  const ground = world.ground([nodeCheck("tests", "")], {
    running: (names) => {
      for (const one of names) reported.add(one);
    },
  });
  await cell(world, ground, { heldOut: [held("one"), held("two")] });
  assert.deepEqual([world.read("one"), world.read("two")], ["one.log\n", "two.log\n"]);
  assert.deepEqual([...reported], ["tests", "one", "two"]);
});

test("held-out files that a check rewrites are not judged, and a link that it leaves takes them nowhere", async (t) => {
  const world = makeProofWorld(t, files);
  const folder = world.path("hidden");
  world.write("hidden/test.mjs", "process.exitCode = 1;\n");
  const held = {
    name: "hidden",
    command: [process.execPath, "held-out/test.mjs"],
    timeoutMs: 30_000,
    required: true,
    expect: noExpectation,
    folder,
    digest: digestHeldOut(folder) ?? "",
  };
  const links = { ...nodeCheck("tests", ""), command: ["ln", "-s", "../../../../../my repo", "held-out"] };
  const linking = world.ground([links]);
  assert.deepEqual(await statuses(world, linking, { heldOut: [held] }), ["tests pass", "hidden fail"]);
  assert.equal(world.exists("my repo/test.mjs"), false);
  const file = JSON.stringify(`${folder}/test.mjs`);
  const rewrites = nodeCheck("tests", `import fs from "node:fs"; fs.writeFileSync(${file}, "")`);
  assert.deepEqual(await cell(world, world.ground([rewrites]), { heldOut: [held] }), {
    kind: "refused",
    reason: "the held-out files of hidden changed while the checks ran",
  });
});

test("absolute paths of the repo in a command lead to the copy", async (t) => {
  const world = makeProofWorld(t, files);
  const command = ["sh", "-c", `cd '${world.repo}' && echo changed > a.txt && ! git rev-parse --git-dir`];
  const ground = world.ground([{ name: "tests", command, timeoutMs: 30_000, required: true, expect: noExpectation }]);
  assert.deepEqual(await statuses(world, ground), ["tests pass"]);
  assert.equal(world.read("my repo/a.txt"), "a\n");
});

test("of checks that run in turn those before a wanted one run too, and only its result is given", async (t) => {
  const world = makeProofWorld(t, files);
  const shell = (name: string, line: string) => ({ ...nodeCheck(name, ""), command: ["sh", "-c", line] });
  const ground = world.ground([shell("build", "touch made"), shell("tests", "test -e made"), shell("last", "exit 1")]);
  assert.deepEqual(await statuses(world, ground, { only: ["tests"], inTurn: true }), ["tests pass"]);
  assert.deepEqual(await statuses(world, ground, { only: ["tests"] }), ["tests fail"]);
});

test("expectations of the brief do not count for the checks of pass 1, and a shorter limit does", async (t) => {
  const world = makeProofWorld(t, files);
  const counting = { ...nodeCheck("tests", ""), expect: { ...noExpectation, output: "counted" } };
  const ground = world.ground([counting]);
  assert.deepEqual(await statuses(world, ground), ["tests fail"]);
  assert.deepEqual(await statuses(world, ground, { name: "old_checks" }), ["tests pass"]);
  const endless = world.ground([nodeCheck("tests", "setInterval(() => {}, 1000)")]);
  assert.deepEqual(await statuses(world, endless, { longestMs: new Map([["tests", 50]]) }), ["tests timeout"]);
});
