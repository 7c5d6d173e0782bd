import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { renderMade, verdictAndWhy, type WorkFacts } from "../../lib/rules/made.ts";
import { measureProgress } from "../../lib/rules/reasons.ts";
import type { FieldValues, StateView } from "../../lib/rules/state-view.ts";
import { before, facts, proposal, stateAt } from "./arrange.ts";

interface Given {
  readonly fields?: Partial<FieldValues>;
  readonly lists?: Partial<StateView>;
  readonly start?: Partial<StateView>;
  readonly facts?: Parameters<typeof facts>[0];
  readonly paths?: WorkFacts["changed_paths"];
}

/** An implement pass as it is recorded. */
function made({ fields = {}, lists = {}, start = {}, facts: more = {}, paths = [] }: Given): string[] {
  const moved = paths.length === 0 ? {} : { fingerprint: { before: "f1", after: "f2", present: null } };
  const found = facts({ ...moved, ...more });
  const progress = measureProgress(stateAt("implement", {}, start), stateAt("implement", fields, lists), found);
  return renderMade({
    before: before("implement", {}, start),
    proposal: proposal("implement", fields, lists),
    facts: found,
    decision: { progress },
    changed_paths: paths,
  });
}

const changed = (path: string) => ({ path, change: "changed" });

describe("the work of a pass in words", () => {
  test("names one changed file and counts more, with the change that is recorded", () => {
    assert.deepEqual(made({ paths: [{ path: "lib/a.js", change: "removed" }] }), ["lib/a.js removed"]);
    assert.deepEqual(made({ paths: [changed("a"), changed("b")] }), ["2 files changed"]);
  });

  test("names proof of the agent as written, not as added, and counts from the third", () => {
    const artifacts_changed = ["artifacts/npm-test.txt", "artifacts/log.txt"];
    assert.deepEqual(
      made({ facts: { artifacts_changed } }),
      artifacts_changed.map((path) => `${path} written`),
    );
    assert.deepEqual(made({ facts: { artifacts_changed: [...artifacts_changed, "artifacts/c"] } }), [
      "3 files written under artifacts/",
    ]);
  });

  test("counts rows, ticked items and closed risks, each in its number", () => {
    const items = (done: boolean) => [
      { text: "a", done },
      { text: "b", done },
    ];
    assert.deepEqual(
      made({
        facts: { evidence_rows_added: ["| x |"], steps: { before: items(false), after: items(true) } },
        start: { risks: [{ text: "r", done: false }] },
        lists: { risks: [{ text: "r", done: true }] },
      }),
      ["1 row added to EVIDENCE.md", "2 items of TASKS.md ticked", "1 risk closed"],
    );
  });

  test("does not count an item or a risk that was ticked before, or that is new", () => {
    const done = [{ text: "a", done: true }];
    assert.deepEqual(made({ facts: { steps: { before: done, after: [...done, { text: "b", done: true }] } } }), []);
    assert.deepEqual(made({ start: { risks: done }, lists: { risks: done } }), []);
  });

  test("names fields of STATE.md only if nothing else is there, and no field of the runner", () => {
    assert.deepEqual(made({ fields: { next_step: "x", last_updated: "now", status: "idle" } }), ["Next step changed"]);
    assert.deepEqual(made({ fields: { next_step: "x", objective: "y", done_gate: "z" } }), [
      "3 fields of STATE.md changed",
    ]);
    assert.deepEqual(made({ fields: { next_step: "x" }, paths: [changed("a"), changed("b")] }), ["2 files changed"]);
  });

  test("leaves out code in a phase that is not for it, and everything if STATE.md could not be read", () => {
    assert.deepEqual(
      made({ paths: [changed("a")], facts: { code_counts: false, fingerprint: facts().fingerprint } }),
      [],
    );
    const unreadable = { kind: "unreadable", message: "no list" } as unknown as WorkFacts["proposal"];
    assert.deepEqual(
      renderMade({
        before: before("implement"),
        proposal: unreadable,
        facts: facts({ artifacts_changed: ["artifacts/a"] }),
        decision: { progress: [] },
        changed_paths: [changed("a")],
      }),
      [],
    );
  });

  test("is one line, and no longer than it must be, whatever a file is called", () => {
    const [text = ""] = made({ paths: [changed(`a\n\tb${"x".repeat(300)}.js`)] });
    assert.match(text, /^…x{76}\.js changed$/);
    assert.deepEqual(made({ paths: [changed("a\nb")] }), ["a b changed"]);
  });
});

describe("a verdict and why", () => {
  const accepted = { verdict: "accepted", to: "shape", reason: "intake → shape" } as const;

  test("says what an accepted pass made, and does not say its step again", () => {
    assert.equal(
      verdictAndWhy({ ...accepted, made: ["2 files changed", "a written"] }),
      "accepted: 2 files changed, a written",
    );
    assert.equal(verdictAndWhy({ ...accepted, made: [] }), "accepted");
  });

  test("keeps the headline of done, the reason of every other verdict", () => {
    const made = ["a written"];
    assert.equal(
      verdictAndWhy({ ...accepted, to: "done", reason: "Done. 1 check passes", made }),
      "accepted: Done. 1 check passes",
    );
    assert.equal(
      verdictAndWhy({ verdict: "redirected", to: "repair", reason: "validator tests failed", made }),
      "redirected: validator tests failed",
    );
  });
});
