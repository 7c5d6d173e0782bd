import assert from "node:assert/strict";
import { test } from "node:test";
import { untilQuiet } from "../../lib/process/until-quiet.ts";

test("waits for as many turns as something comes in, and for one more", async () => {
  let turns = 0;
  let seen = 0;
  const come = (): void => {
    turns += 1;
    if (turns < 5) {
      seen += 1;
      setImmediate(come);
    }
  };
  setImmediate(come);
  await untilQuiet(() => seen);
  assert.equal(seen, 4);
});

test("does not wait where nothing comes", async () => {
  let looks = 0;
  await untilQuiet(() => {
    looks += 1;
    return 7;
  });
  assert.equal(looks, 3);
});

test("gives up on a writer that never ends", async () => {
  let seen = 0;
  await untilQuiet(() => seen++);
  assert.ok(seen >= 1_000);
});
