import assert from "node:assert/strict";
import { test } from "node:test";
import { makeReviewed } from "../fleet/fleet-world.ts";
import { killAt } from "../fleet/kill-at.ts";
import { makeOwn } from "../fleet/own-world.ts";

/** A claimed pass of the smallest task calls git about so often. */
const atLeast = 25;

interface Sweep {
  readonly what: string;
  readonly make?: Parameters<typeof killAt>[4];
  readonly when: "before" | "after";
  readonly next: "same" | "other";
  /** The first call, and how far it is to the next one. After one call is before the next one: together they meet each place. */
  readonly first: number;
  readonly step: number;
}

const ownCode = { what: " with its code in a repository of its own", make: makeOwn, step: 5 };
const reviewed = { what: " with a reviewer before it", make: makeReviewed, step: 5 };
const sweeps: readonly Sweep[] = [
  { what: "", when: "before", next: "same", first: 1, step: 4 },
  { what: "", when: "before", next: "other", first: 4, step: 4 },
  { what: "", when: "after", next: "other", first: 1, step: 4 },
  { what: "", when: "after", next: "same", first: 2, step: 4 },
  // What differs are some pushes.
  { ...ownCode, when: "after", next: "same", first: 1 },
  { ...ownCode, when: "before", next: "other", first: 3 },
  { ...reviewed, when: "after", next: "same", first: 1 },
  { ...reviewed, when: "before", next: "other", first: 3 },
];

/** Every which call is taken: all of them together take a quarter of an hour. */
const sparse = Number(process.env.TASK_PHASE_CLAIM_STEP ?? "24");

/** For each kind of pass the first call that it did not reach, once it is known: a pass without a kill tells nothing new. */
const ends = new Map<string, number>();

for (const [index, { what, make, when, next, ...sweep }] of sweeps.entries()) {
  const step = sweep.step * sparse;
  // Each sweep begins elsewhere, so that few calls of each are still calls of every part of a pass.
  const first = sweep.first + sweep.step * Math.floor((sparse * index) / sweeps.length);
  test(`a claimed pass${what} that is killed ${when} call ${first} of git, or every ${step} later, is finished or undone by the ${next} machine`, async (t) => {
    let call = first;
    const goOn = async (): Promise<void> => {
      for (;;) {
        const at = call;
        call += step;
        if (at >= (ends.get(what) ?? Number.POSITIVE_INFINITY)) return;
        if (!(await killAt(t, at, when, next, make))) return void ends.set(what, Math.min(at, ends.get(what) ?? at));
      }
    };
    // Two at a time: the one waits for the disk while the other works.
    await Promise.all([goOn(), goOn()]);
    assert(call > atLeast, `${call} calls`);
  });
}
