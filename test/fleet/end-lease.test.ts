import assert from "node:assert/strict";
import { test } from "node:test";
import { endLease, type PassOutcome } from "../../lib/fleet/end-lease.ts";
import type { LeasedEnd } from "../../lib/fleet/pass-messages.ts";
import { errorFinding } from "../../lib/report/finding.ts";

const now = new Date("2026-01-01T00:00:00.000Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

function ended(changes: Partial<LeasedEnd>, codes: readonly string[] = []): LeasedEnd {
  const findings = codes.map((code) => errorFinding(code, "said"));
  const usual = {
    exitName: "ok",
    verdict: null,
    reason: "why",
    nextEligibleAt: null,
    goesOnIn: null,
    story: [],
  } as const;
  return { ...usual, findings, ...changes };
}

const judge = (changes: Partial<PassOutcome>) =>
  endLease({ end: ended({}), refused: null, stopping: false, delivery: 1, now, ...changes });

test("a verdict, a pass of another machine and a task with nothing to do end the job", () => {
  for (const end of [
    ended({ verdict: "accepted" }),
    ended({ verdict: "rejected", exitName: "rejected" }),
    ended({ verdict: "interrupted", exitName: "paused" }),
    ended({ exitName: "locked" }, ["TP_SUPERSEDED"]),
    ended({ exitName: "locked" }, ["TP_CLAIMED"]),
    ended({ exitName: "blocked" }),
    ended({}),
  ])
    assert.deepEqual(judge({ end }), { kind: "done" }, JSON.stringify(end));
});

test("what the engine refused comes again when it says so, else soon", () => {
  const refused = { by: "purse", reason: "the day is spent", again: at(3600) } as const;
  assert.deepEqual(judge({ refused }), { kind: "back", why: "the day is spent", again: at(3600) });
  assert.deepEqual(judge({ refused: { ...refused, again: null } }), {
    ...{ kind: "back", why: "the day is spent", again: at(10) },
  });
  const end = ended({ verdict: "accepted" });
  assert.deepEqual(judge({ refused, end }), { kind: "done" }, "a pass that was judged after all is over");
});

test("a remote or an engine that does not answer is asked again after pauses that double, up to a quarter of an hour", () => {
  for (const code of ["TP_REMOTE_UNREACHABLE", "TP_PUSH_UNREACHABLE", "TP_ENGINE_UNREACHABLE"]) {
    const end = ended({ exitName: "locked" }, [code]);
    const pauses = [1, 2, 3, 7, 1_000_000].map((delivery) => judge({ end, delivery }));
    assert.deepEqual(
      pauses,
      [15, 30, 60, 900, 900].map((seconds) => ({ kind: "back", why: "why", again: at(seconds) })),
    );
  }
});

test("a stopped worker gives its job back at once, and keeps one that was judged", () => {
  const back = { kind: "back", why: "its worker was stopped", again: null };
  for (const end of [null, ended({ verdict: "interrupted", exitName: "sigterm" }), ended({ exitName: "sigterm" })])
    assert.deepEqual(judge({ end, stopping: true }), back);
  assert.deepEqual(judge({ end: ended({ verdict: "accepted" }), stopping: true }), { kind: "done" });
});

test("a process that ended without a word is tried again at once, then with pauses", () => {
  assert.deepEqual(judge({ end: null }), {
    ...{ kind: "back", why: "the process of the pass ended without a report", again: null },
  });
  assert.equal((judge({ end: null, delivery: 2 }) as { again: Date }).again.getTime(), at(30).getTime());
});

test("a configuration that a person has to mend, and models that rest, do not make a busy loop", () => {
  assert.deepEqual(judge({ end: ended({ exitName: "config" }) }), { kind: "back", why: "why", again: at(600) });
  const nextEligibleAt = at(1234).toISOString();
  const resting = ended({ exitName: "unavailable", nextEligibleAt });
  assert.deepEqual(judge({ end: resting }), { kind: "back", why: "why", again: at(1234) });
  assert.deepEqual(judge({ end: ended({ exitName: "failure" }) }), { kind: "back", why: "why", again: at(15) });
});

test("a remote that this machine does not trust is for another worker, at once", () => {
  const end = ended({ exitName: "config" }, ["TP_UNTRUSTED"]);
  assert.deepEqual(judge({ end }), { kind: "back", why: "why", again: null });
});
