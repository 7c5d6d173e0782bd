import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { maxListedPaths, type VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { firstCommit, isMissingPaths, pathsOfPasses, readPassPaths } from "../../lib/task/pass-paths.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { write } from "../git/git-repo.ts";
import { verdict } from "../pages/sample-task.ts";
import { makeFolder } from "../process/arrange.ts";

const listed = (paths: readonly string[]) => paths.map((path) => ({ path, change: "changed" as const }));
const pass = (number: number, paths: readonly string[]): VerdictEvent =>
  verdict(number, { changed_paths: listed(paths) });

test("the paths of a pass are those of its record, or of the journal where there is none that can be read", (t) => {
  const place = placeOf(makeFolder(t));
  const record = (text: string) => write(place.passes, { "0002/pass.json": text });
  const read = () => readPassPaths(place, pass(2, ["cut"]));
  assert.deepEqual(read(), ["cut"]);
  record(JSON.stringify({ changed_paths: listed(["a", "cut"]) }));
  assert.deepEqual(read(), ["a", "cut"]);
  for (const damaged of ["{", '{"changed_paths":[1]}', ""]) {
    record(damaged);
    assert.deepEqual(read(), ["cut"], damaged);
  }
});

test("the paths of all passes come from the records only where the journal has cut them off", (t) => {
  const place = placeOf(makeFolder(t));
  const many = Array.from({ length: maxListedPaths }, (_value, index) => `p${index}`);
  write(place.passes, {
    "0001/pass.json": JSON.stringify({ changed_paths: listed(["not", "read"]) }),
    "0002/pass.json": JSON.stringify({ changed_paths: listed([...many, "last"]) }),
  });
  const started = { type: "pass_started" } as TaskEvent;
  assert.deepEqual(pathsOfPasses(place, [started, pass(1, ["a"]), pass(2, many)]), ["a", ...many, "last"]);
});

test("paths are missing of a pass that changed something and recorded none", () => {
  const fingerprint = { before: "f1", after: "f2", present: null };
  const events = (changes: Partial<VerdictEvent>) => [verdict(1, { changed_paths: [], ...changes })];
  assert.equal(isMissingPaths(events({ fingerprint })), true);
  assert.equal(isMissingPaths(events({ fingerprint: { ...fingerprint, after: "f1" } })), false);
  assert.equal(isMissingPaths([verdict(1, { fingerprint, changed_paths: listed(["a"]) })]), false);
});

test("a task began at the commit of its first pass that had one", () => {
  const started = (head: object) => ({ type: "pass_started", ...head }) as TaskEvent;
  const commit = { head_commit: "abc" };
  assert.equal(firstCommit([]), null);
  assert.equal(firstCommit([started({}), verdict(1), started(commit), started({ head_commit: "def" })]), "abc");
  assert.equal(firstCommit([started({ head_commit: null }), started(commit)]), null);
});
