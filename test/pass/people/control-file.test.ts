import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { askForAbort, holdsBack, markOpen, readControlFile } from "../../../lib/pass/people/control-file.ts";

function makeFile(t: TestContext, text: string | null) {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const control = join(folder, "CONTROL.md");
  const write = (bytes: string | Buffer) => writeFileSync(control, bytes);
  if (text !== null) write(text);
  return { control, write, read: () => readFileSync(control, "utf8") };
}

const done = { tick: true, note: "done" };

test("a command that a person saves between the read and the write stays, and is marked too", (t) => {
  const file = makeFile(t, "- [ ] STATUS\n");
  let saves = 0;
  const marked = markOpen(file, ({ command }) => {
    if (saves === 0) file.write("- [ ] STATUS\n- [ ] ABORT now\n");
    saves += 1;
    return command === "STATUS" ? done : null;
  });
  assert.deepEqual([marked, file.read()], [true, "- [x] STATUS (done)\n- [ ] ABORT now\n"]);
});

test("a file that changes under every try is left to the next look", (t) => {
  const file = makeFile(t, "- [ ] STATUS\n");
  let saves = 0;
  const marked = markOpen(file, () => {
    saves += 1;
    file.write(`- [ ] STATUS\n\nnote ${saves}\n`);
    return done;
  });
  assert.deepEqual([marked, file.read(), saves], [false, "- [ ] STATUS\n\nnote 5\n", 5]);
});

test("a file that is taken away meanwhile is not made again", (t) => {
  const file = makeFile(t, "- [ ] STATUS\n");
  const marked = markOpen(file, () => {
    rmSync(file.control, { force: true });
    return done;
  });
  assert.deepEqual([marked, readControlFile(file)], [true, null]);
});

test("where there is nothing to say, nothing is written; else the mode stays", (t) => {
  const file = makeFile(t, "- [ ] PAUSE\n");
  chmodSync(file.control, 0o640);
  const before = statSync(file.control);
  assert.equal(
    markOpen(file, () => null),
    true,
  );
  assert.equal(statSync(file.control).ino, before.ino);
  assert.equal(
    markOpen(file, () => done),
    true,
  );
  assert.equal(statSync(file.control).mode & 0o777, 0o640);
});

test("anything but a regular file is unreadable, never followed and never waited for", (t) => {
  for (const make of [
    (path: string) => mkdirSync(path),
    (path: string) => symlinkSync("/etc/hostname", path),
    (path: string) => writeFileSync(path, Buffer.alloc(64 * 1024 + 1, "a\n")),
  ]) {
    const file = makeFile(t, null);
    make(file.control);
    assert.deepEqual(
      [readControlFile(file)?.kind, markOpen(file, () => done), askForAbort(file, "x")],
      ["unreadable", true, false],
    );
    assert.match(holdsBack(file) ?? "", /^CONTROL\.md cannot be read: .*; correct, move or remove it to continue$/);
  }
});

test("an ABORT is asked for in a file of its own where there is none, and else in the one that is there", (t) => {
  const none = makeFile(t, null);
  assert.deepEqual([askForAbort(none, "x"), none.read()], [true, "# Control\n\n- [ ] ABORT (x)\n"]);
  const one = makeFile(t, "- [ ] PAUSE\n");
  assert.deepEqual([askForAbort(one, "x"), one.read()], [true, "- [ ] PAUSE\n- [ ] ABORT (x)\n"]);
});
