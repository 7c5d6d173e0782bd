import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clearSpool, openAnchor } from "../../lib/anchor/anchor.ts";
import { placeOf } from "../../lib/anchor/task-place.ts";
import type { TaskEvent } from "../../lib/machine/events.ts";
import { accept, openHeld } from "../../lib/task/session.ts";
import { at, eventsAt } from "../cli/task-states.ts";
import { makeTaskWorld, portsOf } from "../cli/task-world.ts";

test("an event whose files the disk refuses holds, is told, and is finished by the next event", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "shape" }, events: (place) => eventsAt("shape", place) });
  const ports = portsOf(world, () => new Date(at));
  const place = placeOf(task.taskDir);
  const anchor = openAnchor(place, ports);
  clearSpool(anchor);
  const session = openHeld(place, anchor, ports);
  const before = session.journal.seq;
  const state = task.state();

  // A folder in the place of STATE.md: what a full disk does as well, and what anybody can arrange.
  rmSync(place.state);
  mkdirSync(join(place.state, "in-the-way"), { recursive: true });
  const event: TaskEvent = { type: "relinked", at, state };
  accept(session, { event, state });
  assert.equal(session.journal.seq, before + 1);
  assert.deepEqual(
    session.findings.map(({ code, severity }) => [severity, code]),
    [["warning", "TP_UNFINISHED"]],
  );
  assert.match(session.findings[0]?.message ?? "", /`relinked` is accepted and durable, but .*STATE\.md/);
  const fix = session.findings[0]?.fix ?? "";
  assert.match(fix, /; the next run of the task writes these files, and nothing is lost$/);
  assert.doesNotMatch(fix, /free some space/);
  assert.equal(task.events().length, before + 1);
  assert.ok(existsSync(join(anchor.folder, "commit.json")));

  // As long as that lasts, no other event takes its place.
  assert.throws(() => accept(session, { event, state }), /STATE\.md/);
  rmSync(place.state, { recursive: true });
  accept(session, { event, state });
  assert.equal(readFileSync(place.state, "utf8"), state);
  assert.equal(task.events().length, before + 2);
  assert.equal(session.findings.length, 1);
  assert.ok(!existsSync(join(anchor.folder, "commit.json")));
});
