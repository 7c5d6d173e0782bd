import assert from "node:assert/strict";
import { test } from "node:test";
import { bases } from "./bases/bases.ts";
import { corpus } from "./corpus.ts";
import { sample } from "./sample.ts";

test("a name is that of one case, and its base is there", () => {
  const names = corpus.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  assert.deepEqual(
    corpus.filter(({ base }) => !(base in bases)).map(({ name }) => name),
    [],
  );
});

test("a sample holds as many of each kind as it is asked for, and the same ones for the same seed", () => {
  const names = (seed: number) => sample(corpus, 3, seed).map(({ name }) => name);
  assert.deepEqual(
    sample(corpus, 3, 1).map(({ kind }) => kind),
    ["cheat", "cheat", "cheat", "honest", "honest", "honest"],
  );
  assert.deepEqual(names(1), names(1));
  assert.notDeepEqual(names(1), names(2));
});
