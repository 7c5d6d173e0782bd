import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLastModel, readLastModel } from "../../../lib/models/select/last-model.ts";

test("the last model is read as it was written", () => {
  const text = formatLastModel("claude");
  assert.equal(text, '{\n  "version": 1,\n  "last_model": "claude"\n}\n');
  assert.deepEqual(readLastModel(Buffer.from(text)), { name: "claude", problem: null });
});

test("a file that is missing, damaged or of another version names nobody, and damage is told", () => {
  assert.deepEqual(readLastModel(null), { name: null, problem: null });
  for (const text of ["", "{", "null", "3", "{}", '{"version":1,"last_model":3}', '{"version":2,"last_model":"a"}']) {
    const { name, problem } = readLastModel(Buffer.from(text));
    assert.equal(name, null, text);
    assert.notEqual(problem, null, text);
  }
});

test("what is wrong is told with its place", () => {
  const problemOf = (text: string) => readLastModel(Buffer.from(text)).problem;
  assert.equal(problemOf("{"), "it is not JSON");
  assert.match(problemOf('{"version":1,"last_model":3}') ?? "", /^last_model: expected string, found 3$/);
  assert.match(problemOf('{"version":2,"last_model":"a"}') ?? "", /^version: expected 1, found 2$/);
});
