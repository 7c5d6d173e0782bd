import assert from "node:assert/strict";
import { test } from "node:test";
import { makeReviewed } from "../fleet/fleet-world.ts";
import { killAt } from "../fleet/kill-at.ts";
import { makeOwn } from "../fleet/own-world.ts";

/** A claimed pass of the smallest task calls git about so often. */
const atLeast = 25;

// Two at a time: the one waits for the disk while the other works.
for (const next of ["same", "other"] as const) {
  for (const when of ["before", "after"] as const) {
    test(`a claimed pass that is killed ${when} any call of git is finished or undone by the ${next} machine`, async (t) => {
      let call = 1;
      const goOn = async (): Promise<void> => {
        for (let at = call++; await killAt(t, at, when, next); at = call++);
      };
      await Promise.all([goOn(), goOn()]);
      assert(call > atLeast, `${call} calls`);
    });
  }
}

// What differs from the above are some pushes: every fifth call meets them, on one side or the other.
for (const [what, make] of [
  ["its code in a repository of its own", makeOwn],
  ["a reviewer before it", makeReviewed],
] as const) {
  for (const [next, when, first] of [
    ["same", "after", 1],
    ["other", "before", 3],
  ] as const) {
    test(`the same with ${what}: killed ${when} every fifth call, and the ${next} machine goes on`, async (t) => {
      let call: number = first;
      while (await killAt(t, call, when, next, make)) call += 5;
      assert(call > atLeast, `${call} calls`);
    });
  }
}
