import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLastModel, readLastModel } from "../../lib/models/last-model.ts";

test("the last model is read as it was written", () => {
  const text = formatLastModel("claude");
  assert.equal(text, '{\n  "version": 1,\n  "last_model": "claude"\n}\n');
  assert.equal(readLastModel(Buffer.from(text)), "claude");
});

test("a file that is missing, damaged or of another version names nobody", () => {
  assert.equal(readLastModel(null), null);
  for (const text of ["", "{", "null", "3", "{}", '{"version":1,"last_model":3}', '{"version":2,"last_model":"a"}']) {
    assert.equal(readLastModel(Buffer.from(text)), null, text);
  }
});
