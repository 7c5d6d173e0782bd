import assert from "node:assert/strict";
import { test } from "node:test";
import { listChangedFiles, renderChange, sumChanges } from "../../../lib/pages/diff/list-changed-files.ts";

const patch = (name: string, added: number, removed: number, mode = "") =>
  [
    ...[`diff --git a/${name} b/${name}`, ...(mode === "" ? [] : [mode]), `--- a/${name}`, `+++ b/${name}`],
    ...[`@@ -1,${removed} +1,${added} @@`, ...Array(removed).fill("-x"), ...Array(added).fill("+y"), ""],
  ].join("\n");

test("what several patches change of one file is added up, and files are sorted by name", () => {
  const patches = [patch("b", 1, 2) + patch("a", 3, 0, "new file mode 100644"), patch("b", 4, 0)];
  assert.deepEqual(listChangedFiles(patches), [
    { name: "a", change: "added", added: 3, removed: 0 },
    { name: "b", change: "changed", added: 5, removed: 2 },
  ]);
  assert.equal(sumChanges(listChangedFiles(patches)), "2 files, +8 −2");
  assert.deepEqual([listChangedFiles([]), sumChanges([])], [[], ""]);
});

test("there is something to say of a file that did not only change, or that a person committed", () => {
  const persons = new Map([["a", "9a01b22 Fix it"]]);
  const tell = (name: string, change: "added" | "changed") => renderChange({ persons }, { name, change });
  assert.deepEqual(
    [tell("a", "added"), tell("a", "changed"), tell("b", "added"), tell("b", "changed")],
    ["added, in a person's commit: 9a01b22 Fix it", "in a person's commit: 9a01b22 Fix it", "added", ""],
  );
});
