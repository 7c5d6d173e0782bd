import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDeferred } from "../../../lib/pages/markdown/deferred.ts";

const at = "2026-11-21T10:00:00.000Z";

test("each open ticket is printed whole, in a fence that it cannot end", () => {
  const ticket = { id: "validator:tests", source: "validator", name: "# tests", text: "not ok\n```\n## x" } as const;
  const text = renderDeferred({ key: "budget.repairs", pass: 7, at, tickets: [ticket] });
  assert.equal(
    text.split("\nTo continue:")[0],
    [
      "# Left for later",
      "",
      "`budget.repairs` of this task was spent by the end of pass 7, 2026-11-21 10:00:00 UTC, and this was still open.",
      "",
      "## &#35; tests",
      "",
      "- Source: validator",
      "- Ticket: `validator:tests`",
      "",
      "````text",
      "not ok",
      "```",
      "## x",
      "````",
      "",
    ].join("\n"),
  );
});

test("without a ticket it says where to look", () => {
  assert.match(
    renderDeferred({ key: "budget.repairs", pass: 7, at, tickets: [] }),
    /No ticket names it; \[EVIDENCE\.md\]/,
  );
});
