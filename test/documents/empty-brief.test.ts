import assert from "node:assert/strict";
import { test } from "node:test";
import { readBrief } from "../../lib/documents/brief.ts";
import { renderBrief } from "../../lib/documents/templates/render-task-files.ts";

function isEmpty(body: string): boolean {
  const read = readBrief(Buffer.from(`---\nid: T-1\ntitle: Export\n---\n\n${body}\n`), "README.md");
  return read.kind === "brief" ? read.isEmpty : assert.fail("the brief cannot be read");
}

test("the brief that init writes says nothing yet", () => {
  const names = { id: "T-1", title: "Export", userFacing: false };
  const text = renderBrief({ ...names, priority: null, dependsOn: [], repo: null, validators: [], offered: [] });
  const read = readBrief(Buffer.from(text), "README.md");
  assert.equal(read.kind === "brief" && read.isEmpty, true);
  const filled = readBrief(Buffer.from(text.replace("## What to leave alone", "Round up.\n\n$&")), "README.md");
  assert.equal(filled.kind === "brief" && filled.isEmpty, false);
});

test("headings, comments, rules and placeholders are no brief", () => {
  for (const body of [
    "",
    "# Export the answer",
    "Export\n======",
    "## What I want\n\n<!-- two or three sentences -->\n\n---\n",
    "<!-- never closed\n\nRound half up.",
    "<!-- one --><!-- two -->",
    "## What I want\n\nTBD\n\n## What to know\n\n-\n\n?\n\ntodo",
    "[link]: https://example.invalid",
  ])
    assert.equal(isEmpty(body), true, body);
});

test("anything that a person says is one", () => {
  for (const body of [
    "Round half up.",
    "# Export\n\n- the answer",
    "<!-- note -->Round half up.",
    "```sh\nnpm test\n```",
    "| a |\n| - |\n| 1 |",
    "![the wanted page](mock.png)",
    "<p>Round half up.</p>",
    "> as in the letter",
  ])
    assert.equal(isEmpty(body), false, body);
});
