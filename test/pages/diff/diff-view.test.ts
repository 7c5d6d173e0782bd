import assert from "node:assert/strict";
import { test } from "node:test";
import { openDiffView } from "../../../lib/pages/diff/diff-view.ts";
import { trickDiff as change } from "./trick-diff.ts";

test("lines of one kind stand together, and a carriage return that changed is spelled out", () => {
  const crlf = change.replace(" same\n", " same\r\n").replace("--- a/not a header\n", "--- a/not a header\r\n");
  const [file] = openDiffView(10_000)(crlf).files;
  assert.deepEqual(file?.blocks, [
    { kind: "hunk", text: "@@ -1,3 +1,3 @@ function x\n" },
    { kind: "same", text: " same\n" },
    { kind: "removed", text: "--- a/not a header\\x0d\n" },
    { kind: "added", text: "+++ b/not a header either\n" },
    { kind: "same", text: " </details><script>alert(1)</script>\n" },
    { kind: "note", text: "\\ No newline at end of file\n" },
  ]);
  assert.deepEqual([file?.more, file?.open], ["", true]);
});

test("lines of a file, files and parts of a line that do not fit are counted", () => {
  const body = Array.from({ length: 5000 }, (_, index) => `+line ${index}`);
  const big = ["diff --git a/big b/big", "new file mode 100644", "--- /dev/null", "+++ b/big", "@@ -0,0 +1,5000 @@"];
  const long = ["diff --git a/l b/l", "--- a/l", "+++ b/l", "@@ -1 +1 @@", `-${"x".repeat(1_000_000)}`, "+y"];
  const show = openDiffView(30_000);
  const first = show([...long, ...big, ...body].join("\n"));
  assert.equal(first.summary, "2 files, 5001 lines added, 1 removed");
  assert.match(first.files[0]?.blocks[1]?.text ?? "", /^-x{999}… \(999001 more characters\)\n$/);
  const more = /^(\d+) more lines, (\d+) added and 0 removed$/.exec(first.files[1]?.more ?? "");
  assert.equal(more?.[1], more?.[2]);
  assert.equal(first.files[1]?.open, false);
  const second = show(change);
  assert.deepEqual([second.files.length, second.moreFiles], [0, 1]);
  assert.ok(first.bytes <= 30_000);
});

test("the first lines of a page are open, and the rest of it is for a reader to open", () => {
  const long = (name: string, lines: number) =>
    [
      `diff --git a/${name} b/${name}`,
      `--- a/${name}`,
      `+++ b/${name}`,
      `@@ -1,${lines} +1,${lines} @@`,
      ...Array(lines).fill(" x"),
    ].join("\n");
  const show = openDiffView(1_000_000);
  const open = [long("a", 100), long("b", 57), long("c", 2)].flatMap((patch) =>
    show(patch).files.map((file) => file.open),
  );
  assert.deepEqual(open, [true, true, false]);
});
