import assert from "node:assert/strict";
import { test } from "node:test";
import { saysNone } from "../../lib/documents/says-none.ts";

const none = [
  ..."none,None.,n/a,N/A.,na,-,–,---,nil,null,nothing,no,zero blockers,0 blockers,(none),[none].,<none>,{ none },`none`,none!".split(
    ",",
  ),
  ...["**None**", "not applicable", "No known blockers", "There are no blockers.", "no blocking issues", "none yet"],
  ...["none so far", "nothing to report", "none (as of 2026-01-31)", "none ✅", "no  open\n impediments at the moment"],
  ...["no (all checks pass)", "None at this time."],
];

const some = [
  ...["", "TBD", "?", "none?", "no key", "nobody answers", "none, but the key is missing", "none except the key"],
  ...["none (but the key is missing)", "none (except the key)", "none (other than the key)", "none (really?)"],
  ...["no blockers fixed", "nothing works", "not yet known", "one blocker", "none known to nobody"],
];

test("words that say that there are no blockers are read as none", () => {
  assert.deepEqual(
    none.filter((text) => !saysNone(text)),
    [],
  );
});

test("a placeholder, a condition and a real blocker are not read as none", () => {
  assert.deepEqual(
    some.filter((text) => saysNone(text)),
    [],
  );
});
