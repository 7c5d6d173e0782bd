import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { readShape, recordOf, whole } from "../../lib/text/shape.ts";

interface Note {
  readonly name: string;
  readonly count?: number;
}
const note = whole<Note>()({ name: v.string(), count: v.exactOptional(v.number()) });

test("JSON of the shape is read, without unknown keys", () => {
  assert.deepEqual(readShape(note, Buffer.from('{"name":"a","count":1,"new":true}')), {
    kind: "read",
    value: { name: "a", count: 1 },
  });
});

test("anything else says what is wrong and where", () => {
  const problems = ['{"name":"a"', "null", "{}", '{"name":"a","count":null}'].map((text) => {
    const read = readShape(note, text);
    return read.kind === "wrong" ? read.problem : read.kind;
  });
  assert.deepEqual(problems, [
    "it is not JSON",
    "expected Object, found null",
    "name: expected a value, found nothing",
    "count: expected number, found null",
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

test("a mistake in a record is named by its key", () => {
  const read = readShape(recordOf(note), '{"a":{"name":"x"},"b":{"name":7}}');
  assert.deepEqual(read, { kind: "wrong", problem: "b.name: expected string, found 7" });
});

test("a long or hostile value is cut and shown in one line", () => {
  const read = readShape(note, JSON.stringify({ name: "a", count: `x\n${"y".repeat(500)}` }));
  assert.ok(read.kind === "wrong" && read.problem.length < 150 && !read.problem.includes("\n"), JSON.stringify(read));
});

test("the compiler refuses a schema that is not exactly its type", () => {
  // @ts-expect-error an optional key is left out
  whole<Note>()({ name: v.string() });
  // @ts-expect-error a key that the type does not have
  whole<Note>()({ name: v.string(), count: v.exactOptional(v.number()), other: v.string() });
  // @ts-expect-error the type allows more than this word
  whole<Note>()({ name: v.literal("a"), count: v.exactOptional(v.number()) });
  // @ts-expect-error the type has no null
  whole<Note>()({ name: v.nullable(v.string()), count: v.exactOptional(v.number()) });
  // @ts-expect-error the type lets this key be missing
  whole<Note>()({ name: v.string(), count: v.number() });
});
