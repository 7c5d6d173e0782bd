import assert from "node:assert/strict";
import { test } from "node:test";
import { readBrief } from "../../lib/documents/brief.ts";
import { stateForPrompt } from "../../lib/documents/prompt-text.ts";
import { readState } from "../../lib/documents/state.ts";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";

function wishOf(body: string): string {
  const brief = readBrief(Buffer.from(`---\nid: T-1\ntitle: T\n---\n${body}`), "README.md");
  assert(brief.kind === "brief");
  return brief.wish;
}

test("comments that stand alone are no part of the wish; those in code and in a sentence are", () => {
  assert.equal(
    wishOf(
      "\n# T\n\n<!-- advice\n\nin two parts -->\n\n## What\n\n<!-- a --> <!-- b -->\nStream it.\n\n<!-- never closed",
    ),
    "# T\n\n## What\n\nStream it.\n\n<!-- never closed",
  );
  const code = "```html\n<!-- kept -->\n\n\n\n<p>\n```\n\nKeep `<!-- x -->` and this <!-- y --> one.";
  assert.equal(wishOf(code), code);
  assert.equal(wishOf("<!-- only advice -->\n"), "");
  assert.equal(wishOf("a\r\n\r\n<!-- x -->\r\n\r\nb\r\n"), "a\r\n\r\nb");
});

test("a prompt shows STATE.md without comments and diagram, with the runner's values marked", () => {
  const text = renderState({ id: "T-1", title: "Export", now: "2026-01-01T00:00:00Z", userFacing: true });
  const read = readState(Buffer.from(text), "STATE.md");
  assert(read.kind === "state");
  const shown = stateForPrompt(read.document);
  assert.deepEqual(
    shown.split("\n").filter((line) => line.endsWith(" (runner)")),
    [
      "- Evidence link: (runner)",
      "- Validator status: pending (runner)",
      "- Repair applied: no (runner)",
      "- Revalidation status: pending (runner)",
      "- Last updated: 2026-01-01T00:00:00Z (runner)",
    ],
  );
  assert.doesNotMatch(shown, /mermaid|<!--|\n\n\n/);
  assert.match(shown, /## Phases\n\n## Visible features\n\n\| Feature/);
  // A model that copies what it was shown loses nothing by it.
  const copied = readState(Buffer.from(`${shown}\n`), "STATE.md");
  assert(copied.kind === "state");
  assert.deepEqual({ ...copied.document.view, fields: null }, { ...read.document.view, fields: null });
});
