import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { locateTask } from "../../lib/task/records/task-place.ts";
import { findLeftover, findTaskPatch } from "../../lib/task/work-so-far.ts";
import { verdict } from "../pages/sample-task.ts";

function pass(number: number, word: VerdictEvent["verdict"], paths: readonly string[], after = "f1"): VerdictEvent {
  const changed = paths.map((each) => ({ path: each, change: "changed" }));
  const fingerprint = { before: "f1", after: paths.length > 0 ? "f2" : after, present: null };
  return { ...verdict(number), verdict: word, changed_paths: changed, fingerprint };
}

test("leavings of cut-off passes are named until a pass ends by itself", () => {
  assert.equal(findLeftover([]), null);
  assert.equal(findLeftover([pass(1, "accepted", ["a"]), pass(2, "interrupted", [])]), null);
  assert.deepEqual(
    findLeftover([
      pass(1, "interrupted", ["old"]),
      pass(2, "rejected", ["r"]),
      pass(3, "unavailable", ["b", "a"]),
      pass(4, "interrupted", ["a", "c"]),
      pass(5, "unavailable", []),
    ]),
    { pass: 4, paths: ["b", "a", "c"] },
  );
  assert.equal(findLeftover([pass(1, "interrupted", ["a"]), pass(2, "no_progress", [])]), null);
});

test("only the fingerprint shows a change of a pass whose runner was killed", () => {
  assert.deepEqual(findLeftover([pass(2, "interrupted", [], "f9")]), { pass: 2, paths: [] });
});

test("the newest patch of the whole task that is there", (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, "T-1"));
  const place = locateTask(path.join(folder, "T-1"), folder);
  const events = [pass(2, "accepted", ["a"]), pass(3, "accepted", ["a"]), pass(4, "accepted", [])];
  assert.equal(findTaskPatch(place, events), null);
  for (const name of ["0002", "0004"]) {
    mkdirSync(path.join(place.passes, name), { recursive: true });
    writeFileSync(path.join(place.passes, name, "task.patch"), "");
  }
  assert.equal(findTaskPatch(place, events), "artifacts/passes/0002/task.patch");
});
