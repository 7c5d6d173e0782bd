import assert from "node:assert/strict";
import { test } from "node:test";
import { toBanner as describe } from "../../../lib/pages/model/banner.ts";
import type { Verdict } from "../../../lib/rules/decision.ts";
import { emptyHistory } from "../../../lib/rules/history.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import type { RunnerStop } from "../../../lib/rules/runner-stop.ts";
import { nothingElse, type StandingFacts } from "../../../lib/rules/standing-facts.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import { checkRun } from "../../rules/arrange.ts";
import { events, verdict } from "../sample-task.ts";

const proven = events.findLast((event) => event.type === "verdict") ?? null;
const down = "The staging database is down.";
const stuck: RunnerStop = { cause: "stuck", blockers: down, question: null, happened: "tests fails the same way" };

function toBanner(
  phase: Phase | null,
  last: VerdictEvent | null,
  { blockers = "none", stop = null, ...facts }: Partial<StandingFacts> & { readonly stop?: RunnerStop | null } = {},
) {
  return describe({
    ...nothingElse,
    ...facts,
    ...{ phase, blockers, history: { ...emptyHistory, lastVerdict: last, stop } },
  });
}

test("a refusal that ends with a question gets no full stop behind it", () => {
  const held = {
    standing: "refused",
    brief: "`validatrs` is not a known key",
    why: "did you mean `validators`?",
  } as const;
  assert.equal(
    toBanner("intake", null, { held }).detail,
    "No pass begins until a person mends this: did you mean `validators`?",
  );
});

test("done is said only with the verdict that proves it", () => {
  assert.deepEqual(toBanner("done", proven), {
    tone: "amber",
    headline: "Done. 3 checks pass; whether they notice this work was not shown: `proof.clean` is off",
    detail: "The runner itself ran the checks in pass 6.",
  });
  const shown = {
    grade: "shown",
    passed: 3,
    failing: ["tests"],
    only_own: false,
    wrong: null,
    reason: null,
    looked: [],
  } as const;
  assert.deepEqual(toBanner("done", proven === null ? null : { ...proven, proof: shown }), {
    tone: "good",
    headline: "Done. 3 checks pass; without this work, 1 of them fails",
    detail: "The runner itself ran the checks in pass 6. Without this work these fail: tests.",
  });
  const taken = { pass: 5, ran: "2026-01-02T03:04:05Z", at: "2026-01-02T03:05:05Z", fresh_ms: 3_600_000 };
  const later = proven === null ? null : { ...proven, checks: { ...checkRun([]), taken } };
  assert.match(toBanner("done", later).detail, /itself ran the checks in pass 5\./);
  const unproven = {
    tone: "stopped",
    headline: "Done, but no proof is recorded",
    detail: "The journal holds no accepted verdict that proves it.",
  };
  assert.deepEqual(toBanner("done", null), unproven);
  assert.deepEqual(toBanner("done", verdict(1, { to: "done" })), unproven);
  assert.deepEqual(
    toBanner("done", verdict(1, { to: "done", verdict: "rejected", checks: proven?.checks ?? null })),
    unproven,
  );
});

test("a stop says its standing in a few words, and below them Blockers or the question", () => {
  const question = {
    ...{
      id: "Q1",
      title: "Which encoding?",
      question: "",
      options: "",
      safeDefault: "",
      ofStop: false,
      place: "DECISIONS.md:3",
    },
    ...{ end: "", takenFrom: null, due: false },
  };
  const spent: RunnerStop = { ...stuck, cause: "passes", happened: "all 12 passes are spent" };
  assert.deepEqual(
    [
      toBanner("blocked", null, { blockers: down }),
      toBanner("blocked", null),
      toBanner("blocked", null, { blockers: down, stop: stuck }),
      toBanner("intake", verdict(3, { verdict: "no_progress" }), { blockers: down, stop: spent }),
      toBanner("needs_user_decision", null, { questions: [question] }),
      toBanner("implement", verdict(3), { questions: [question] }),
      toBanner("needs_user_decision", null, { stop: { ...spent, question: "May these changes stay?" } }),
      toBanner("needs_user_decision", null, { stop: { ...stuck, question: "How should it go on?" } }),
    ].map(({ tone, headline, detail }) => [tone, headline, detail]),
    [
      ["stopped", "Blocked", down],
      ["stopped", "Blocked", "Blockers in STATE.md names the obstacle."],
      ["stopped", "Stuck: tests fails the same way", down],
      ["stopped", "Blocked: all 12 passes are spent", down],
      ["asking", "Asks: Q1 Which encoding?", "Open: Q1 Which encoding? (DECISIONS.md:3)."],
      ["asking", "Asks: Q1 Which encoding?", "Open: Q1 Which encoding? (DECISIONS.md:3)."],
      ["asking", "A person must decide", "May these changes stay?"],
      ["stopped", "Stuck: tests fails the same way", "How should it go on?"],
    ],
  );
  assert.equal(toBanner("intake", verdict(3, { verdict: "no_progress" }), { stop: stuck }).tone, "working");
});

test("code that moved since done is named in the headline", () => {
  const moved = (facts: StandingFacts["moved"]) => toBanner("done", proven, { moved: facts }).headline;
  assert.match(moved({ kind: "paths", count: 1 }), /^Done, moved since: 1 path\. 3 checks pass; /);
  assert.match(moved({ kind: "unknown", reason: "R" }), /^Done, moved since \(R\)\. 3 checks pass; /);
});

test("a working phase is shown with the newest verdict", () => {
  const told = (name: Verdict) => {
    const { tone, headline } = toBanner("verify", verdict(3, { verdict: name }));
    return `${tone}: ${headline}`;
  };
  assert.deepEqual((["accepted", "redirected", "rejected", "no_progress", "unavailable"] as const).map(told), [
    "working: In verify",
    "working: In verify: pass 3 was sent to repair",
    "working: In verify: pass 3 was rejected",
    "working: In verify: pass 3 ended as no progress",
    "working: In verify: pass 3 ended as unavailable",
  ]);
  assert.deepEqual(toBanner(null, null), {
    tone: "working",
    headline: "Not started",
    detail: "No pass has run yet.",
  });
});
