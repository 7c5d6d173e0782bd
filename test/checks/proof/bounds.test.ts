import assert from "node:assert/strict";
import { test } from "node:test";
import { startMeter } from "../../../lib/git/content-bounds.ts";

const bounds = { files: 2, bytes: 2 ** 20, ms: 5000 };

test("a copy up to its bounds is no reason to stop", () => {
  const meter = startMeter("the repo", bounds, () => 0);
  assert.deepEqual([meter.add(2 ** 20), meter.add(0)], [null, null]);
});

test("too many files, too many bytes and too much time are each named", () => {
  const files = startMeter("the repo", bounds, () => 0);
  assert.deepEqual([files.add(1), files.add(1), files.add(1)], [null, null, "the repo has more than 2 files"]);
  const bytes = startMeter("node_modules", bounds, () => 0);
  assert.deepEqual([bytes.add(2 ** 19), bytes.add(2 ** 19 + 1)], [null, "node_modules has more than 1 MiB"]);
  let now = 100;
  const time = startMeter("the repo", bounds, () => now);
  now += 5000;
  assert.equal(time.add(1), null);
  now += 1;
  assert.equal(time.add(1), "the repo could not be copied within 5 s");
});
