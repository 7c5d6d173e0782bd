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
  const changed = listChangedFiles(patches);
  assert.deepEqual(changed.files, [
    { name: "a", change: "added", added: 3, removed: 0 },
    { name: "b", change: "changed", added: 5, removed: 2 },
  ]);
  assert.equal(sumChanges(changed), "2 files, +8 −2");
  assert.equal(sumChanges(listChangedFiles([])), "");
});

test("a file that a patch only names is counted, and said not to be in the diff", () => {
  const head = "# changed, and not shown here:\n#   big (1).bin (9000000 bytes)\n#   and 3 more\n\n";
  const changed = listChangedFiles([head + patch("a", 1, 0)]);
  assert.deepEqual(
    changed.files.map(({ name, change }) => `${name}: ${change}`),
    ["a: changed", "big (1).bin: not in the diff: 9000000 bytes"],
  );
  assert.equal(sumChanges(changed), "5 files, +1 −0 (4 files are not in the diff)");
});

test("there is something to say of a file that did not only change, or that a person committed", () => {
  const persons = new Map([["a", "9a01b22 Fix it"]]);
  const tell = (name: string, change: "added" | "changed") => renderChange({ persons }, { name, change });
  assert.deepEqual(
    [tell("a", "added"), tell("a", "changed"), tell("b", "added"), tell("b", "changed")],
    ["added, in a person's commit: 9a01b22 Fix it", "in a person's commit: 9a01b22 Fix it", "added", ""],
  );
});
