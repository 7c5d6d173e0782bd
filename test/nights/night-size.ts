import { chanceOf } from "../simulation/seeded.ts";

export interface NightSize {
  readonly seed: number;
  readonly tasks: number;
  readonly kills: number;
  /** What people do. */
  readonly acts: number;
}

/** What its seed gives a night. */
export function sizeOf(seed: number): NightSize {
  const chance = chanceOf(seed, "size");
  const size = { seed, tasks: chance.between(2, 7), kills: chance.between(0, 6) };
  // Without people the plan says how each task ends.
  return { ...size, acts: chance.happens(0.5) ? 0 : chance.between(2, 12) };
}
