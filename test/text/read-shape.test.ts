import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { readShape, recordOf, whole } from "../../lib/text/read-shape.ts";

interface Note {
  readonly name: string;
  readonly count?: number;
}
const note = whole<Note>()({ name: v.string(), count: v.exactOptional(v.number()) });

test("JSON of the shape is read, with keys that nobody knows yet", () => {
  assert.deepEqual(readShape(note, Buffer.from('{"name":"a","count":1,"new":true}')), {
    kind: "read",
    value: { name: "a", count: 1, new: true },
  });
});

test("anything else says what is wrong and where", () => {
  const problems = ['{"name":"a"', "null", "{}", '{"name":"a","count":null}'].map((text) => {
    const read = readShape(note, text);
    return read.kind === "wrong" ? read.problem : read.kind;
  });
  assert.deepEqual(problems, [
    "it is no JSON",
    "Invalid type: Expected Object but received null",
    'name Invalid key: Expected "name" but received undefined',
    "count Invalid type: Expected number but received null",
  ]);
});

test("a record keeps every key, whatever other objects have under that name", () => {
  const text = '{"constructor":"a","prototype":"b","__proto__":"c"}';
  const read = readShape(recordOf(v.string()), text);
  assert.deepEqual(read.kind === "read" ? Object.keys(read.value) : [], ["constructor", "prototype", "__proto__"]);
  for (const wrong of ["[]", "null", '{"a":1}', '"a"']) {
    assert.equal(readShape(recordOf(v.string()), wrong).kind, "wrong", wrong);
  }
});
