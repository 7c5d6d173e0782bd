import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openOrPutBack, refuseLostState } from "../../../lib/pass/people/put-back.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { stateFile } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { holdTask } from "../verdict/arrange.ts";

/** A task in shape whose STATE.md is damaged by this. */
async function lose(t: TestContext, damage: (path: string) => void, spec: Partial<TaskSpec> = {}) {
  const { session, task } = await holdTask(t, "shape", spec);
  const accepted = task.state();
  rmSync(session.place.state);
  damage(session.place.state);
  return { session, task, accepted };
}

const kept = "artifacts/passes/refused/0003-STATE.md";
const refused = (why: string, end: string) => `the hand edit of STATE.md is refused: ${why}${end}`;

test("a STATE.md that was removed is back as it was accepted, and nothing is kept", async (t) => {
  const { session, task, accepted } = await lose(t, () => undefined);
  const stop = refuseLostState(session);
  assert.deepEqual([stop?.exitName, stop?.from], ["rejected", "shape"]);
  assert.equal(stop?.reason, refused("it was removed", ". The last accepted one is back"));
  assert.equal(task.state(), accepted);
  const event = session.journal.events.at(-1);
  assert.deepEqual(event?.type === "edit_refused" && [event.from, event.to, event.kept], ["shape", "shape", null]);
  assert.ok(!task.exists("artifacts/passes/refused"));
});

test("a STATE.md that cannot be read is kept without its secrets, byte by byte if it is no UTF-8", async (t) => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const text = await lose(t, (path) => writeFileSync(path, `no fields, ${token}\n`));
  const stop = refuseLostState(text.session);
  assert.match(stop?.reason ?? "", new RegExp(`it cannot be read .*\\. The edited file is kept at ${kept}$`));
  assert.equal(text.task.read(kept), "no fields, [redacted:github]\n");
  assert.deepEqual(
    [text.task.state(), text.session.findings.map(({ code }) => code)],
    [text.accepted, ["TP_STATE_NO_FIELDS"]],
  );
  const bytes = Buffer.from([0xff, 0x0a]);
  const odd = await lose(t, (path) => writeFileSync(path, bytes));
  refuseLostState(odd.session);
  assert.deepEqual(readFileSync(join(odd.task.taskDir, kept)), bytes);
});

test("what has the place of STATE.md is moved away, and is not followed", async (t) => {
  const folder = await lose(t, (path) => {
    mkdirSync(path);
    writeFileSync(join(path, "note"), "mine\n");
  });
  const stop = refuseLostState(folder.session);
  assert.equal(
    stop?.reason,
    refused("it was replaced by a folder", `. The last accepted one is back. What was there is kept at ${kept}`),
  );
  assert.deepEqual([folder.task.state(), folder.task.read(`${kept}/note`)], [folder.accepted, "mine\n"]);
  const link = await lose(t, (path) => symlinkSync("/etc/hostname", path));
  refuseLostState(link.session);
  assert.deepEqual([link.task.state(), link.task.read(kept)], [link.accepted, "a link to /etc/hostname\n"]);
  assert.ok(existsSync("/etc/hostname"));
  const large = await lose(t, (path) => writeFileSync(path, "a".repeat(2 ** 20 + 1)));
  refuseLostState(large.session);
  assert.deepEqual([large.task.state(), large.task.read(kept).length], [large.accepted, 2 ** 20 + 1]);
  const pipe = await lose(t, (path) => execFileSync("mkfifo", [path]));
  assert.match(refuseLostState(pipe.session)?.reason ?? "", /replaced by a FIFO, socket or device/);
  assert.equal(pipe.task.state(), pipe.accepted);
});

test("nothing is put back if STATE.md can be read, nothing was accepted, or only a person can go on", async (t) => {
  const other = await lose(t, (path) => writeFileSync(path, stateFile({ phase: "verify" })));
  assert.equal(refuseLostState(other.session), null);
  const merge = await lose(t, (path) => writeFileSync(path, "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"));
  assert.equal(refuseLostState(merge.session), null);
  const unbegun = await lose(t, () => undefined, { events: null });
  assert.equal(refuseLostState(unbegun.session), null);
  assert.equal(other.session.journal.seq + merge.session.journal.seq, 4);
});

test("a task is opened as it is, or as it is once its STATE.md is back, and any other error is thrown", async (t) => {
  const whole = await holdTask(t, "shape");
  assert.equal(openOrPutBack(whole.session, null).refused, null);
  const lost = await lose(t, () => undefined);
  const opened = openOrPutBack(lost.session, null);
  assert.deepEqual([opened.refused?.exitName, opened.task.state.view.phase], ["rejected", "shape"]);
  whole.task.write("README.md", "no brief\n");
  assert.throws(() => openOrPutBack(whole.session, null), TaskPhaseError);
});
