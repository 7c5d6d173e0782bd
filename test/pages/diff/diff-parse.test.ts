import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDiff } from "../../../lib/pages/diff/diff-parse.ts";
import { trickDiff as change } from "./trick-diff.ts";

test("a hunk's own counts say where it ends, so its lines are no headers", () => {
  assert.deepEqual(parseDiff(change), {
    notes: [],
    files: [
      {
        name: "src/a.js",
        was: null,
        change: "changed",
        added: 1,
        removed: 1,
        lines: [
          { kind: "hunk", text: "@@ -1,3 +1,3 @@ function x" },
          { kind: "same", text: " same" },
          { kind: "removed", text: "--- a/not a header" },
          { kind: "added", text: "+++ b/not a header either" },
          { kind: "same", text: " </details><script>alert(1)</script>" },
          { kind: "note", text: "\\ No newline at end of file" },
        ],
      },
    ],
  });
});

test("a hunk that ends with what was removed ends where its counts say", () => {
  const lines = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,3 +1 @@", "+b", "-a", "-a", "--- end", "mode"];
  const [file] = parseDiff(lines.join("\n")).files;
  assert.deepEqual(
    file?.lines.map(({ kind }) => kind),
    ["hunk", "added", "removed", "removed", "removed", "note"],
  );
});

test("new, deleted, renamed, binary and empty files, modes and odd names are distinguished", () => {
  const patch = [
    "# changed, and not shown here:",
    "#   big.bin (9000000 bytes)",
    "",
    "diff --git a/new b/new",
    "new file mode 100644",
    "index 0000000..e69de29",
    "diff --git a/gone b/gone",
    "deleted file mode 100644",
    "--- a/gone",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-x",
    "diff --git a/b/old b/new name",
    "similarity index 100%",
    "rename from b/old",
    "rename to new name",
    "diff --git a/logo.png b/logo.png",
    "Binary files a/logo.png and b/logo.png differ",
    'diff --git "a/new\\nline" "b/new\\nline"',
    "old mode 100644",
    "new mode 100755",
    "# cut here: 10 of 20 bytes are shown",
  ].join("\n");
  const { files, notes } = parseDiff(patch);
  assert.deepEqual(notes, ["# changed, and not shown here:", "#   big.bin (9000000 bytes)"]);
  assert.deepEqual(
    files.map(({ name, was, change, added, removed, lines }) => [name, was, change, added, removed, lines.length]),
    [
      ["new", null, "added", 0, 0, 0],
      ["gone", null, "deleted", 0, 1, 2],
      ["new name", "b/old", "renamed", 0, 0, 0],
      ["logo.png", null, "changed", 0, 0, 1],
      ["new\\nline", null, "changed", 0, 0, 3],
    ],
  );
});

test("any text can be read, and no line of it is lost or counted twice", () => {
  const line = fc.oneof(
    fc.constantFrom(
      ...change.split("\n"),
      "diff --git ",
      "@@ -1,999999999 +1 @@",
      "@@",
      "\r",
      "rename from ",
      "+",
      "-",
    ),
    fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\n", " ")),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const { files } = parseDiff(lines.join("\n"));
      assert.equal(files.length, lines.filter((each) => each.startsWith("diff --git ")).length);
      const shown = files.reduce((sum, file) => sum + file.lines.length, 0);
      assert.ok(shown <= lines.length);
    }),
    { numRuns: 200 },
  );
});
