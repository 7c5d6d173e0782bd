import assert from "node:assert/strict";
import { test } from "node:test";
import { mdProse, splitProse } from "../../lib/templates/prose.ts";

test("what stood between code marks is told apart", () => {
  assert.deepEqual(splitProse("run `npm test` now"), [
    { text: "run ", code: false },
    { text: "npm test", code: true },
    { text: " now", code: false },
  ]);
  assert.deepEqual(splitProse("` `"), [{ text: "` `", code: false }]);
  assert.deepEqual(splitProse("one ` mark"), [{ text: "one ` mark", code: false }]);
});

test("in a cell code stays code and all else is plain", () => {
  assert.equal(mdProse("*run* `npm test` | now"), "&#42;run&#42; `npm test` &#124; now");
  assert.equal(mdProse("`a | b`"), "a &#124; b");
  assert.equal(mdProse(""), "–");
});
