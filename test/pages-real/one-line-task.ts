import { stateFile } from "../cli/task-states.ts";
import { check, verdict } from "../pages/sample-task.ts";
import { beforeEvent as beforeOf } from "../rules/arrange.ts";
import { cell, matrix } from "../rules/matrix-facts.ts";
import type { TaskFolder } from "./task-folder.ts";

const patch = `diff --git a/src/round.js b/src/round.js
index 1d2c3b4..5a6b7c8 100644
--- a/src/round.js
+++ b/src/round.js
@@ -1,3 +1,3 @@
 export function round(cents) {
-  return Math.floor(cents / 100);
+  return Math.round(cents / 100);
 }
`;

const before = check({ status: "fail", exit_code: 1, log: "artifacts/passes/0003/before/validators/tests.log" });
const after = check({ attribution: "fixed" });

/** The smallest change that a reviewer gets: one line, shown by the checks, after one pass that claimed too much. */
export function oneLineTask(): TaskFolder {
  const checks = { fingerprint_before: "a", fingerprint_after: "a", attempts: 1, moved: [], results: [after] };
  const gates = Array.from({ length: 14 }, (_, index) => ({ gate: `Gate ${index + 1}`, ok: true, detail: "it holds" }));
  return {
    name: "T-6",
    title: "Round half up",
    events: [
      {
        type: "adopted",
        at: "2026-11-21T10:00:00.000Z",
        phase: "intake",
        state: stateFile({ phase: "intake" }),
        contract_sha256: "1",
      },
      verdict(1, { from: "intake", proposed: "shape", to: "shape", reason: "intake → shape" }),
      verdict(2, { from: "shape", proposed: "implement", to: "implement", reason: "shape → implement" }),
      beforeOf([before], { at: "2026-11-21T10:02:40.000Z", fingerprint: "b" }),
      verdict(3, {
        ...{ from: "implement", proposed: "verify", to: "verify", reason: "implement → verify" },
        changed_paths: [{ path: "src/round.js", change: "changed" }],
        made: ["src/round.js changed"],
      }),
      verdict(4, {
        ...{ from: "verify", proposed: "review", to: "repair", verdict: "redirected", reason: "tests failed" },
        checks: { ...checks, results: [{ ...before, attribution: "broken_before" }] },
      }),
      verdict(5, { from: "repair", proposed: "verify", to: "verify", reason: "repair → verify" }),
      verdict(6, {
        ...{ from: "review", proposed: "done", to: "done", checks, gates },
        reason: "Done. The check passes; without this work it fails",
        matrix: matrix({ fingerprint: "a", without: cell([before]), old_checks: cell([after]), clean: cell([after]) }),
        proof: {
          grade: "shown",
          passed: 1,
          failing: ["tests"],
          only_own: false,
          wrong: null,
          reason: null,
          looked: [],
        },
        state: stateFile({ phase: "done" }),
      }),
    ],
    files: [
      ["SUMMARY.md", "# Report\n"],
      ["artifacts/tests.txt", "1 passed\n"],
      ["artifacts/passes/0003/task.patch", patch],
    ],
  };
}
