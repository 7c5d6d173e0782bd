import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { makeLoopWorld } from "./loop-world.ts";
import { eventsAt, stateFile } from "./task-states.ts";
import { journalFile } from "./task-world.ts";

const plan = ["to shape", "stays"];

test("a whole journal with a malformed failure makes its own task unreadable, and no other", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {}, "T-2": { plan } });
  const place = { state: stateFile({ phase: "blocked" }), contract: "c", repo: world.path("repos/T-1") };
  const events = await eventsAt("blocked", place);
  const spoilt = events.map((event) =>
    event.type === "verdict"
      ? { ...event, verdict: "rejected", failure: { signature: 7, count: 1, passes: [] } }
      : event,
  );
  world.write("tasks/T-1/artifacts/journal.jsonl", journalFile(spoilt as TaskEvent[]));
  world.write("tasks/T-1/STATE.md", place.state);
  const where = /not an event of this version: "verdict": failure\.signature/;

  const status = await world.status();
  assert.equal(status.exit_code, 65);
  assert.deepEqual(
    (status.tasks as { id: string | null; standing: string }[]).map(({ standing }) => standing),
    ["unreadable", "runnable"],
  );
  assert.equal(status.next, "T-2");

  const board = await world.call("task-phase", ["board", "--tasks-root", world.tasks]);
  assert.equal(board.code, 65, board.stderr);
  assert.match(board.stderr, where);
  assert.match(world.read("tasks/BOARD.md"), /T-2/);

  const loop = await world.loop("--max-passes", "1");
  assert.deepEqual(world.calls(), ["T-2 intake"]);
  assert.equal(loop.exit_name, "iterations", loop.reason);

  const alone = await world.call("task-phase", ["status", "--task-dir", path.join(world.tasks, "T-1")]);
  assert.equal(alone.code, 65, alone.stderr);
  assert.match(alone.stderr, where);
});

test("the runner's own record of one task, damaged, leaves that task aside and no other", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {}, "T-2": { plan } });
  await world.loop("--max-passes", "1", "--task-dir", path.join(world.tasks, "T-1"));
  const anchors = world.path("state/task-phase/tasks");
  const anchor = path.join(anchors, sha256(path.join(world.tasks, "T-1")).slice(0, 32));
  assert.ok(readdirSync(anchors).length > 0);
  mkdirSync(anchor, { recursive: true });
  const damaged = {
    "current.json": { version: 1, pass: "x" },
    "commit.json": { version: 1, line: "{}", files: [{ path: "../../out", text: "x" }] },
  };
  for (const [name, value] of Object.entries(damaged)) {
    writeFileSync(path.join(anchor, name), JSON.stringify(value));
    const status = await world.status();
    assert.equal(status.exit_code, 1, name);
    assert.deepEqual(
      (status.tasks as { standing: string }[]).map(({ standing }) => standing),
      ["unreadable", "runnable"],
    );
    const loop = await world.loop("--max-passes", "1");
    assert.match(JSON.stringify(loop.findings), /record is damaged/);
    writeFileSync(path.join(anchor, name), "{");
    assert.equal((await world.status()).exit_code, 1);
    writeFileSync(path.join(anchor, name), "");
  }
});
