import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock, type TestContext, test } from "node:test";
import { followLog } from "../../../lib/models/run/follow-log.ts";
import { makeFolder } from "../../process/arrange.ts";

/** What was handed over, and a step of its clock. */
function follow(t: TestContext, path: string) {
  mock.timers.enable({ apis: ["setInterval"] });
  let text = "";
  const leave = followLog(path, (chunk) => {
    text += Buffer.from(chunk).toString("utf8");
  });
  t.after(() => {
    leave();
    mock.timers.reset();
  });
  return {
    leave,
    taken() {
      mock.timers.tick(500);
      const [said] = [text];
      text = "";
      return said;
    },
  };
}

test("what is appended is handed over once, from a file that comes late", (t) => {
  const file = join(makeFolder(t), "log.txt");
  const log = follow(t, file);
  assert.equal(log.taken(), "");
  writeFileSync(file, "one\n");
  assert.deepEqual([log.taken(), log.taken()], ["one\n", ""]);
  appendFileSync(file, "two\nthr");
  assert.equal(log.taken(), "two\nthr");
  appendFileSync(file, "ee\n");
  assert.equal(log.taken(), "ee\n");
  log.leave();
  appendFileSync(file, "four\n");
  assert.equal(log.taken(), "");
});

test("a log that is larger than what is read at a time is read on", (t) => {
  const file = join(makeFolder(t), "log.txt");
  const text = "0123456789abcde\n".repeat(20_000);
  writeFileSync(file, text);
  const log = follow(t, file);
  assert.equal(log.taken() + log.taken(), text);
});

test("a link, a folder, and a log that is gone say nothing", (t) => {
  const folder = makeFolder(t);
  const [file, other] = [join(folder, "log.txt"), join(folder, "other.txt")];
  const log = follow(t, file);
  writeFileSync(other, "secret\n");
  symlinkSync(other, file);
  assert.equal(log.taken(), "");
  rmSync(file);
  mkdirSync(file);
  assert.equal(log.taken(), "");
  rmSync(file, { recursive: true });
  writeFileSync(file, "its own\n");
  assert.equal(log.taken(), "its own\n");
  rmSync(file);
  assert.equal(log.taken(), "");
});
