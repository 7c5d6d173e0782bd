import assert from "node:assert/strict";
import { test } from "node:test";
import { digestDelivery, eventsOfProof, isTest, pathsOfTask, serializeTask } from "../../lib/checks/delivered-paths.ts";
import type { WatchRecord } from "../../lib/checks/watch/watch.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { verdictEvent } from "../rules/arrange.ts";

test("a task is about what its passes changed and the files of the repo that its checks run", () => {
  const names = ["package.json#scripts.test", "bin/check.sh", "/usr/bin/node", "../.npmrc"];
  const record = { things: names.map((name) => ({ name })) } as unknown as WatchRecord;
  assert.deepEqual([...pathsOfTask(["src/a.js"], record)], ["src/a.js", "package.json", "bin/check.sh"]);
  assert.deepEqual([...pathsOfTask(["src/a.js"], null)], ["src/a.js"]);
});

test("what is compared later has the paths of the task, there or gone, and every test of the repo", () => {
  const entries = new Map([
    ["src/a.js", "file 644 1"],
    ["src/b.js", "file 644 2"],
    ["test/a.test.js", "file 644 3"],
    ["../beside/b.test.js", "file 644 4"],
  ]);
  const text = serializeTask(entries, new Set(["src/a.js", "src/none.js"]));
  for (const part of ["src/a.js", "file 644 1", "src/none.js", "gone", "test/a.test.js"])
    assert.ok(text.includes(part), part);
  assert.doesNotMatch(text, /src\/b\.js|beside/);
  assert.deepEqual(["test/a.test.js", "src/a.js"].map(isTest), [true, false]);
});

test("the digest of a delivery has one part for all of it and one for what the task is about", () => {
  const one = digestDelivery(new Map([["a", "file 644 1"]]), "task");
  const other = digestDelivery(new Map([["a", "file 644 2"]]), "task");
  assert.notEqual(one.all, other.all);
  assert.equal(one.task, other.task);
  assert.notEqual(one.task, digestDelivery(new Map(), "another").task);
});

test("the events of a proof end with the last accepted pass to review", () => {
  const place = { state: "", contract: "" };
  const event = (to: "review" | "done" | "verify", verdict: "accepted" | "rejected" = "accepted"): TaskEvent =>
    verdictEvent("verify", to, place, { verdict });
  const events = [event("review"), event("verify"), event("review"), event("done"), event("review", "rejected")];
  assert.equal(eventsOfProof(events).length, 3);
  assert.deepEqual(eventsOfProof([event("verify")]), []);
});
