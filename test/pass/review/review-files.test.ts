import assert from "node:assert/strict";
import { test } from "node:test";
import { logLine, mergedFile, renderResult, reportFile } from "../../../lib/pass/review/review-files.ts";
import type { ReviewedEvent } from "../../../lib/rules/events.ts";
import { reported as reviewOf } from "../../rules/arrange.ts";

function reported(role: string, overrides: Partial<ReviewedEvent> = {}): ReviewedEvent {
  return reviewOf({ role, pass: 7, frame: "F", ...overrides });
}

const security = reported("security", {
  findings: [
    { severity: "blocking", text: "the *key* is logged" },
    { severity: "note", text: "fine" },
    { severity: "note", text: "also" },
  ],
});
const silent = reported("tests", { problem: "it said nothing" });
const earlier = reported("usability", { pass: 5, findings: [{ severity: "blocking", text: "no label" }] });

test("merged, findings stand by severity and then by role, and who gave no report stands first", () => {
  assert.equal(
    mergedFile(7, [security, silent, earlier]),
    [
      "# Reviews before pass 7",
      "",
      "## No readable report\n\n- tests: it said nothing\n",
      "## Blocking\n\n- security: the &#42;key&#42; is logged\n- usability: no label\n",
      "## Note\n\n- security: fine\n- security: also\n",
      "## Reports\n\n- [security](security.md)\n- [tests](tests.md)\n- [usability](../../0005/reviews/usability.md)\n",
    ].join("\n"),
  );
  assert.match(mergedFile(7, [reported("tests")]), /\n\nNo findings\.\n\n## Reports/);
});

test("a report stands with what was read from it, and nothing in it is taken for Markdown of the runner", () => {
  const file = reportFile(security, "```\n## Findings\n<script>\n");
  assert.match(
    file,
    /^# Review: security\n\n- Before pass 7, in review\n- Model: m\n- Repo: `f1`\n- Result: 1 blocking, 2 note\n/,
  );
  assert.match(file, /- blocking: the &#42;key&#42; is logged\n/);
  assert.ok(file.endsWith("## What it said\n\n````text\n```\n## Findings\n<script>\n````\n"));
  assert.match(
    reportFile(silent, ""),
    /Result: no readable report: it said nothing\n\n## What it said\n\nNothing\.\n$/,
  );
});

test("the log has one line for each", () => {
  assert.equal(
    logLine(security),
    "2026-01-02T03:04:05Z pass 7 review security: 1 blocking, 2 note, the first: the *key* is logged\n",
  );
  assert.equal(logLine(silent), "2026-01-02T03:04:05Z pass 7 review tests: no readable report: it said nothing\n");
  assert.equal(renderResult(reported("tests")), "no findings");
});
