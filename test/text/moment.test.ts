import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { laterBy, Moment, msBetween } from "../../lib/text/moment.ts";

const day = 86_400_000;

describe("a moment", () => {
  it("measures by its ticks, whatever happens to the wall clock", () => {
    const from = new Moment(0, 1_000);
    assert.deepEqual(
      [day, -day].map((wallMs) => msBetween(from, new Moment(wallMs, 1_500))),
      [500, 500],
    );
    assert.equal(msBetween(laterBy(60_000, from), new Moment(-day, 61_000)), 0);
  });

  it("measures to a recorded time by the wall clock", () => {
    assert.deepEqual(
      [
        msBetween(new Moment(0, 7), new Date(day)),
        laterBy(day, new Date(0)),
        laterBy(day, new Moment(0)).toISOString(),
      ],
      [day, new Date(day), new Date(day).toISOString()],
    );
  });
});
