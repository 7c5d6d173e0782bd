import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { makeWorld } from "./arrange.ts";

/** Without what newer versions of Node keep there themselves. */
function listTemporary(folder: string): string[] {
  return readdirSync(folder).filter((name) => name !== "node-compile-cache");
}

describe("demo", () => {
  test("plays the example of the package from intake to done, and leaves nothing elsewhere", async (t) => {
    const world = makeWorld(t);
    mkdirSync(world.path("tmp"));
    const home = readdirSync(world.path("home"));
    const end = await world.run("task-phase", ["demo"], { env: { TMPDIR: world.path("tmp") } });
    assert.equal(end.code, 0, end.stderr);
    assert.match(end.stderr, /\npass 2, no model {2}verify → repair {2}redirected {2}validator acceptance failed/);
    assert.match(
      end.stderr,
      /\nDone\. 2 checks pass; without this work, 2 of them fail; they notice 2 of 2 wrong versions of it\n/,
    );
    const [name, ...more] = listTemporary(world.path("tmp"));
    assert.match(name ?? "", /^task-phase-demo-/);
    assert.deepEqual(more, []);
    const task = world.path("tmp", name ?? "", "tasks", "T-001-stream-csv");
    assert.deepEqual(end.stdout, `${task}/STATE.md\n${task}/EVIDENCE.md\n${task}/artifacts/evidence.html\n`);
    for (const file of end.stdout.trimEnd().split("\n")) assert.ok(existsSync(file), file);
    assert.deepEqual(readdirSync(world.path("home")), home);
    assert.ok(existsSync(path.join(task, "artifacts/passes/0001/changes.patch")));
  });

  test("that is stopped removes its folder and reports it", async (t) => {
    const world = makeWorld(t);
    mkdirSync(world.path("tmp"));
    const end = await world.run("task-phase", ["demo", "--json"], {
      env: { TMPDIR: world.path("tmp") },
      onStart(child) {
        child.stderr?.on("data", (text: string) => {
          if (!child.killed && text.includes("pass 1")) child.kill("SIGINT");
        });
      },
    });
    assert.equal(end.code, 130, end.stderr);
    const { folder, kept } = end.json();
    assert.equal(kept, false);
    assert.ok(end.stderr.endsWith(`stopped; ${folder} was removed\n`), end.stderr);
    assert.deepEqual(listTemporary(world.path("tmp")), []);
  });

  test("without a folder for it is an error with a code", async (t) => {
    const world = makeWorld(t);
    const end = await world.run("task-phase", ["demo"], { env: { TMPDIR: world.path("nowhere") } });
    assert.equal(end.code, 1);
    assert.match(end.stderr, /nowhere: error: the example could not be copied: .*\[TP_DISK\]\n {2}fix: set TMPDIR/);
  });
});
