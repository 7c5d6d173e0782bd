import assert from "node:assert/strict";
import { test } from "node:test";
import { mapStrings } from "../../lib/text/map-strings.ts";

test("each string of a value is changed, however deep, and no key and no other value", () => {
  const value = { a: "x", list: ["x", ["x"], { b: "x" }], x: { none: null, count: 1, flag: false, gone: undefined } };
  const before = structuredClone(value);
  assert.deepEqual(
    mapStrings(value, (text) => `${text}!`),
    { a: "x!", list: ["x!", ["x!"], { b: "x!" }], x: { none: null, count: 1, flag: false, gone: undefined } },
  );
  assert.deepEqual(value, before);
});

test("a value that is a string, null or a number itself is mapped too", () => {
  const loud = (text: string) => text.toUpperCase();
  assert.equal(mapStrings("a", loud), "A");
  assert.equal(mapStrings(null, loud), null);
  assert.equal(mapStrings(3, loud), 3);
  assert.deepEqual(mapStrings([], loud), []);
});

test("an object of a class becomes a plain one", () => {
  class Named {
    name = "a";
  }
  const made = mapStrings(new Named(), (text) => text);
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
  assert.deepEqual({ ...made }, { name: "a" });
});
