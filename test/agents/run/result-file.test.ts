import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readResultFile } from "../../../lib/agents/run/result-file.ts";
import { makeFolder } from "../../process/arrange.ts";

const now = Date.UTC(2026, 10, 22, 4, 0);

function readText(t: TestContext, text: string) {
  const path = join(makeFolder(t), "result.json");
  writeFileSync(path, text);
  return readResultFile(path, now);
}

test("a limit has a reason and a time, or one of them, or none", (t) => {
  const read = (value: object) => readText(t, JSON.stringify(value));
  const until = Date.UTC(2026, 11, 1, 9);
  for (const written of [
    "2026-12-01T09:00:00Z",
    "2026-12-01T10:00:00+01:00",
    until / 1_000,
    until,
    "Dec 1, 9am (UTC)",
  ]) {
    assert.deepEqual(read({ limited: true, until: written, reason: "plan" }), {
      limit: { reason: "plan", untilMs: until },
      problem: null,
    });
  }
  assert.deepEqual(read({ limited: true }), { limit: { reason: null, untilMs: null }, problem: null });
  assert.deepEqual(read({ limited: true, until: "in 2 hours", reason: null }).limit?.untilMs, now + 2 * 3_600_000);
  assert.deepEqual(read({ limited: false, until: "2026-12-01T09:00:00Z" }), { limit: null, problem: null });
});

test("no file says nothing", (t) => {
  assert.deepEqual(readResultFile(join(makeFolder(t), "none.json"), now), { limit: null, problem: null });
});

test("a file that is no such JSON counts for nothing, and the problem says what, where, and what is right", (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["{", /is ignored: it is not JSON; it should look like \{"limited": true, "until": "2026/],
    ["[]", /is ignored: limited: expected a value, found nothing/],
    ["null", /is ignored: expected Object, found null/],
    ['{"limited":"yes"}', /limited: expected boolean, found "yes"/],
    ['{"limited":true,"until":[]}', /until: expected/],
    [`{"limited":true,"reason":"${"x".repeat(70_000)}"}`, /is larger than 65536 bytes and was not read$/],
  ];
  for (const [text, expected] of cases) {
    const { limit, problem } = readText(t, text);
    assert.equal(limit, null, text);
    assert.match(problem ?? "", expected);
    assert.match(problem ?? "", /^the result file \(TASK_PHASE_RESULT_FILE\) /);
  }
});

test("a limit with an unreadable time is a limit without a time, and the problem names it", (t) => {
  const { limit, problem } = readText(t, '{"limited":true,"until":"some day"}');
  assert.deepEqual(limit, { reason: null, untilMs: null });
  assert.match(problem ?? "", /has an `until` that is not a time; write it as in/);
});

test("only regular files are read", (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "folder"));
  writeFileSync(join(folder, "file"), '{"limited":true}');
  symlinkSync(join(folder, "file"), join(folder, "link"));
  for (const name of ["folder", "link"]) {
    const { limit, problem } = readResultFile(join(folder, name), now);
    assert.equal(limit, null, name);
    assert.match(problem ?? "", /could not be read/);
  }
});
