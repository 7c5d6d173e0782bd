import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { followFile } from "../../lib/fleet/follow-control.ts";

test("a file is followed but for the time of a hold, and each write is announced before it is made", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  for (const file of [from, to]) writeFileSync(file, "first");
  const announced: string[] = [];
  const followed = followFile(from, to, "first", () => announced.push(readFileSync(to, "utf8")));
  t.after(() => followed.stop());
  const release = followed.hold();
  writeFileSync(from, "second");
  await sleep(100);
  assert.deepEqual([readFileSync(to, "utf8"), followed.text(), announced], ["first", "first", []]);
  release();
  assert.deepEqual([readFileSync(to, "utf8"), followed.text(), announced], ["second", "second", ["first"]]);
});
