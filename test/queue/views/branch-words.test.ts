import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { relocator, shortRef, withClaim, withSameRefs, withUnmerged } from "../../../lib/queue/views/branch-words.ts";
import type { OpenClaim } from "../../../lib/rules/claim.ts";
import { errorFinding } from "../../../lib/text/finding.ts";
import { inspected } from "../inspected.ts";

test("a branch is named as people write it, with its remote if it was fetched", () => {
  assert.deepEqual(["refs/heads/a/b", "refs/remotes/origin/a", "HEAD"].map(shortRef), ["a/b", "origin/a", "HEAD"]);
});

describe("a claimed task", () => {
  const until = "2026-11-21T12:00:00.000Z";
  const runner = { worker: "w1", host: "host-a", attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };
  const claim = { pass: 3, until, runner } as unknown as OpenClaim;
  const at = (iso: string) => new Date(iso);
  const { facts } = inspected("T-1");
  const cutOff = inspected("T-1", { facts: { ...facts, cutOff: true, unreadable: null } });

  test("is held by its runner until its claim ends", () => {
    const held = withClaim(cutOff, claim, at("2026-11-21T11:59:59Z"));
    assert.deepEqual([held.standing, held.facts.cutOff], ["running", false]);
    assert.match(held.why, /^.*w1.* holds pass 3 until 2026-11-21T12:00:00.000Z$/);
  });

  test("is to be recovered once its claim ended, unless nothing was cut off", () => {
    const late = withClaim(cutOff, claim, at("2026-11-21T12:00:01Z"));
    assert.match(late.why, /^the claim of .*w1.* to pass 3 ended at .*; the next run recovers it$/);
    const whole = inspected("T-1");
    assert.equal(withClaim(whole, claim, at("2026-11-21T12:00:01Z")), whole);
  });

  test("without a claim, or one of no runner, is as it was", () => {
    const now = at("2026-11-21T11:00:00Z");
    assert.equal(withClaim(cutOff, null, now), cutOff);
    assert.equal(withClaim(cutOff, { ...claim, runner: null }, now), cutOff);
  });
});

test("a task that waits says which of the tasks it waits for are done and not merged", () => {
  const base = { ref: "refs/heads/main", commit: "c" };
  const waiting = inspected("T-9", { standing: "waits", why: "waits for T-1, T-2", waitsFor: ["T-1", "T-2"] });
  const others = (one: "done" | "verify", two: "done" | "verify") => [
    ...[inspected("T-1", { phase: one }), inspected("T-2", { phase: two })],
    ...[inspected("T-3", { phase: "done" }), inspected("x", { id: null, phase: "done" })],
  ];
  assert.equal(
    withUnmerged(waiting, others("done", "verify"), base).why,
    "waits for T-1, T-2; T-1 is done but not merged into main (task-phase land T-1, or merge its branch)",
  );
  assert.equal(
    withUnmerged(waiting, others("done", "done"), base).why,
    "waits for T-1, T-2; T-1, T-2 are done but not merged into main (task-phase land T-1 T-2, or merge their branches)",
  );
  assert.equal(withUnmerged(waiting, others("verify", "verify"), base), waiting);
  assert.equal(withUnmerged(waiting, others("done", "done"), null), waiting);
  const runnable = inspected("T-9", { waitsFor: ["T-1"] });
  assert.equal(withUnmerged(runnable, others("done", "done"), base), runnable);
});

test("tasks whose ids differ in case alone are warned of, and no others", () => {
  const tasks = [
    inspected("a", { id: "T-a" }),
    inspected("A", { id: "T-A" }),
    inspected("b"),
    inspected("c", { id: null }),
  ];
  assert.deepEqual(
    withSameRefs(tasks).map(({ findings }) => findings.map(({ code, severity }) => `${severity} ${code}`)),
    [["warning TP_TASK_REF"], ["warning TP_TASK_REF"], [], []],
  );
  const plain = tasks.slice(1);
  assert.equal(withSameRefs(plain), plain);
});

test("a folder is named by its place in git, also beside one whose name begins with its own", () => {
  const place = relocator(
    "/tmp/x",
    new Map([
      ["/tmp/x/T-1", "main:T-1"],
      ["/tmp/x/T-10", "a$&:T-10"],
    ]),
  );
  const found = { file: "/tmp/x/T-10/TASKS.md", fix: "see /tmp/x/T-1/README.md" };
  const task = place(
    inspected("T-1", {
      why: "cannot read /tmp/x/T-10/a and /tmp/x/T-1/b",
      findings: [errorFinding("TP_X", "at /tmp/x/T-1", found), errorFinding("TP_Y", "nowhere", {})],
    }),
  );
  assert.equal(task.why, "cannot read a$&:T-10/a and main:T-1/b");
  assert.deepEqual(
    task.findings.map(({ message, file, fix }) => [message, file, fix]),
    [
      ["at main:T-1", "a$&:T-10/TASKS.md", "see main:T-1/README.md"],
      ["nowhere", null, null],
    ],
  );
});
