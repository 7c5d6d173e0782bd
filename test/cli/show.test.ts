import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { describe, test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";

const noDisplay = { DISPLAY: "", WAYLAND_DISPLAY: "", CI: "" };

describe("show", () => {
  test("says of a done task which file is the proof", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    await world.loop("--task-dir", world.path("tasks/T-1"));
    const { stdout } = await world.call("task-phase", ["show", "T-1"]);
    assert.match(stdout, /^read: .*SUMMARY\.md, log\.txt; EVIDENCE\.md is the proof, SUMMARY\.md a report without/m);
    // From elsewhere a way up is longer than the path itself, and cannot be told from another one.
    const home = await world.call("task-phase", ["show", "--task-dir", world.path("tasks/T-1")], { cwd: "home" });
    for (const [label, file] of [
      ["evidence", "artifacts/evidence.html"],
      ["read", "STATE.md"],
    ] as const)
      assert.ok(home.stdout.includes(`${label}: ${world.path("tasks/T-1", file)}`), home.stdout);
  });

  test("says where one task is, what its last verdict made, where to read, and the newest of its log", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} });
    await world.loop("--task-dir", world.path("tasks/T-1"), "--max-passes", "3");
    const end = await world.call("task-phase", ["show", "T-1"]);
    assert.equal(end.code, 0, end.stderr);
    assert.match(
      end.stdout,
      /^T-1 {2}Do T-1\nphase: verify\nstanding: runnable, .*\n(?:.*\n)*last verdict: pass 3 implement → verify accepted, work\.txt changed, artifacts\/report\.md written\n/,
    );
    assert.match(end.stdout, /\nread: tasks\/T-1\/STATE\.md, EVIDENCE\.md, log\.txt\nlog\n(?: {2}2026-\S+ .*\n){3}$/);
    const json = (await world.call("task-phase", ["show", "T-1", "--json"])).json();
    assert.deepEqual([json.task, json.phase, (json.log as string[]).length], ["T-1", "verify", 3]);
    assert.deepEqual(json.files, {
      state: world.path("tasks/T-1/STATE.md"),
      evidence: world.path("tasks/T-1/EVIDENCE.md"),
      summary: null,
      decisions: null,
      log: world.path("tasks/T-1/log.txt"),
    });
  });

  test("shows the question that is open, with the command that answers it", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["asks"] } });
    await world.loop();
    const { stdout } = await world.call("task-phase", ["show", "T-1"]);
    assert.match(stdout, /\nT-1 asks Q1: Which encoding\?\n(?:.*\n)* {2}answer: task-phase answer T-1 Q1 TEXT\n/);
  });

  test("says of a task that cannot be read what a run would, and of a task that is not there what to do", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} });
    world.write("tasks/T-1/STATE.md", "# no fields\n");
    const end = await world.call("task-phase", ["show", "T-1"]);
    assert.equal(end.code, 65);
    assert.match(end.stdout, /\nstanding: unreadable, /);
    assert.match(end.stderr, /STATE\.md/);
    const none = await world.call("task-phase", ["show", "T-9"]);
    assert.equal(none.code, 64, none.stderr);
  });

  test("escapes what a log holds, and shows its newest ten lines alone", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    world.write("tasks/T-1/log.txt", `${Array.from({ length: 30 }, (_, at) => `line ${at}\u001b[2J`).join("\n")}\n`);
    const { stdout } = await world.call("task-phase", ["show", "T-1"]);
    assert.match(stdout, /\nlog\n {2}line 20\\x1b\[2J\n(?:.*\n){8} {2}line 29\\x1b\[2J\n$/);
  });
});

describe("show --open", () => {
  /** A world with a page, and an xdg-open that does as it is told. */
  async function withPage(t: Parameters<typeof makeLoopWorld>[0], script: string) {
    const world = await makeLoopWorld(t, { "T-1": {} });
    await world.loop("--max-passes", "1");
    chmodSync(world.write("bin/xdg-open", `#!/bin/sh\n${script}\n`), 0o755);
    const env = { ...noDisplay, DISPLAY: ":7", PATH: `${world.path("bin")}:/usr/bin:/bin` };
    const open = async (more: Record<string, string> = {}, ...args: string[]) =>
      await world.call("task-phase", ["show", "T-1", "--open", ...args], { env: { ...env, ...more } });
    return { world, open, page: world.path("tasks/T-1/artifacts/evidence.html") };
  }

  test("gives the page to xdg-open and prints its path", { skip: process.platform !== "linux" }, async (t) => {
    const { world, open, page } = await withPage(t, 'echo "$@" > opened');
    const end = await open();
    assert.deepEqual([end.code, end.stdout, end.stderr], [0, `${page}\n`, ""]);
    assert.equal(world.read("opened"), `${page}\n`);
  });

  test("says why not, and prints the path all the same", { skip: process.platform !== "linux" }, async (t) => {
    const { world, open, page } = await withPage(t, "echo started > opened; exit 3");
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ CI: "true" }, /CI is set/],
      [{ DISPLAY: "" }, /there is no display/],
      [{ PATH: "/nonexistent" }, /xdg-open is not on PATH/],
      [{ TASK_PHASE_PASS: "3" }, /inside a pass/],
    ];
    for (const [env, why] of cases) {
      const end = await open(env);
      assert.deepEqual([end.code, end.stdout], [0, `${page}\n`]);
      assert.match(end.stderr, why);
    }
    assert.equal(world.exists("opened"), false);
    const failed = await open({}, "--json");
    assert.equal(failed.json().opened, false);
    assert.match(failed.stderr, /xdg-open ended with 3 \[TP_NOT_OPENED\]/);
  });

  test("of a task without a page starts nothing", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const end = await world.call("task-phase", ["show", "T-1", "--open"], { env: { ...noDisplay, DISPLAY: ":7" } });
    assert.match(end.stderr, /there is no page yet/);
  });
});

describe("show --pr", () => {
  test("prints title, headline, change, checks before and after, and where the proof is", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    await world.loop();
    const end = await world.call("task-phase", ["show", "T-1", "--pr"]);
    assert.equal(end.code, 0, end.stderr);
    assert.match(
      end.stdout,
      /^# T-1: Do T-1\n\n> \[![A-Z]+\]\n> \*\*Done\. (?:.*\n)+## What changed\n\n(?:.*\n)*.*work\.txt(?:.*\n)+## Checks before and after\n(?:.*\n)+Every check [^\n]*`(?:T-1|tasks\/T-1)\/EVIDENCE\.md`\n$/,
    );
    assert.doesNotMatch(end.stdout, /not done|\]\((?!https:)/);
    const before = world.read("tasks/T-1/artifacts/journal.jsonl");
    assert.equal((await world.call("task-phase", ["show", "T-1", "--pr", "--json"])).json().pr, end.stdout);
    assert.equal(world.read("tasks/T-1/artifacts/journal.jsonl"), before);
  });

  test("says of a task that is not done that it is not, before its first pass too", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} });
    await world.loop("--task-dir", world.path("tasks/T-1"), "--max-passes", "3");
    const { stdout } = await world.call("task-phase", ["show", "T-1", "--pr"]);
    assert.match(stdout, /^# T-1: Do T-1\n\n\*\*This task is not done\.\*\* It is in verify; /);
    const begun = await world.call("task-phase", ["show", "T-2", "--pr"]);
    assert.equal(begun.code, 0, begun.stderr);
    assert.match(begun.stdout, /^# T-2: Do T-2\n\n\*\*This task is not done\.\*\* /);
  });
});
