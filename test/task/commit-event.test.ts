import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { finishCommit } from "../../lib/task/commit-event.ts";
import { clearStaging, openAnchor } from "../../lib/task/records/anchor.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { accept, openHeld } from "../../lib/task/session.ts";
import { at, eventsAt } from "../cli/task-states.ts";
import { makeTaskWorld, portsOf } from "../cli/task-world.ts";
import { watchDisk } from "../store/recorded-disk.ts";

/** A task in shape, held as a runner holds it. */
async function openShape(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const world = makeTaskWorld(t);
  const events = (place: Parameters<typeof eventsAt>[1]) => eventsAt("shape", place);
  const task = await world.makeTask("one", { state: { phase: "shape" }, events, files });
  const ports = portsOf(world, () => new Date(at));
  const place = placeOf(task.taskDir);
  const anchor = openAnchor(place, ports);
  clearStaging(anchor);
  return { world, task, ports, place, anchor, session: openHeld(place, anchor, ports) };
}

test("an event whose files the disk refuses holds, is reported, and is finished by the next event", async (t) => {
  const { task, place, anchor, session } = await openShape(t);
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

test("a person's edit of a file of an event is kept and reported, and appended lines stay", async (t) => {
  const { world, task, place, session } = await openShape(t, { "DECISIONS.md": "asked\n", "log.txt": "one\n" });
  const state = task.state();
  const event: TaskEvent = { type: "relinked", at, state };
  const files = [
    { path: "DECISIONS.md", text: "asked, and more\n", append: false, over: Buffer.from("asked\n") },
    { path: "log.txt", text: "two\n", append: true },
  ];
  accept(session, { event, state, files });
  assert.deepEqual([session.findings, task.read("log.txt")], [[], "one\ntwo\n"]);

  const edited = `${state}\nA person's words.\n`;
  task.write("STATE.md", edited);
  task.write("DECISIONS.md", "asked\nAnswer: yes\n");
  // The log grows between the moment when its length is noted and the moment when a line is put behind.
  const grows = watchDisk(world.folder, (call) => {
    if (/^rename \S+ \S+commit\.json$/.test(call)) appendFileSync(place.log, "theirs\n");
  });
  accept(session, { event, state, files });
  grows.restore();
  const folder = join(place.passes, "recovered", String(session.journal.seq).padStart(4, "0"));
  assert.deepEqual(
    session.findings.map(({ code, severity, file }) => [severity, code, file]),
    [
      ["warning", "TP_STATE_KEPT", join(folder, "STATE.md")],
      ["warning", "TP_FILE_KEPT", join(folder, "DECISIONS.md")],
    ],
  );
  const kept = ["STATE.md", "DECISIONS.md"].map((name) => readFileSync(join(folder, name), "utf8"));
  assert.deepEqual(kept, [edited, "asked\nAnswer: yes\n"]);
  assert.deepEqual(["STATE.md", "DECISIONS.md"].map(task.read), [state, "asked, and more\n"]);
  assert.equal(task.read("log.txt"), "one\ntwo\ntheirs\ntwo\n");
});

test("an event of which a power cut left zeros in the journal is written whole by the next run", async (t) => {
  const { world, task, ports, place, anchor, session } = await openShape(t);
  const before = readFileSync(place.journal);
  const state = task.state();
  const cut = watchDisk(world.folder, (call) => {
    if (/^open \S+\/T-1\/\.tp-/.test(call)) throw Object.assign(new Error("the power is off"), { code: "EIO" });
  });
  accept(session, { event: { type: "relinked", at, state }, state });
  cut.restore();
  const whole = readFileSync(place.journal);
  const waiting = readFileSync(join(anchor.folder, "commit.json"));
  const line = whole.subarray(before.length);
  const half = line.subarray(0, 20);
  for (const left of [Buffer.alloc(line.length), Buffer.concat([half, Buffer.alloc(line.length - 20)]), half]) {
    writeFileSync(place.journal, Buffer.concat([before, left]));
    writeFileSync(join(anchor.folder, "commit.json"), waiting);
    assert.deepEqual(finishCommit(place, anchor, ports.redactor), []);
    assert.deepEqual(readFileSync(place.journal), whole);
  }
  // What somebody appended is nothing that a power cut leaves.
  writeFileSync(place.journal, Buffer.concat([before, Buffer.alloc(line.length + 1)]));
  writeFileSync(join(anchor.folder, "commit.json"), waiting);
  assert.throws(() => finishCommit(place, anchor, ports.redactor), /the journal has changed/);
});
