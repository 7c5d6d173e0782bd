import { chanceOf } from "../simulation/seeded.ts";
import { type NightSize, playNight } from "./play-night.ts";

/**
 * Plays nights in memory, and prints each as a line of JSON: main.js SEED STEP COUNT SECONDS [TASKS KILLS ACTS]. It ends
 * after COUNT nights, or with the first one after so many seconds. Needs register.js.
 */
const [seed = 1, step = 1, count = 1, seconds = 60, tasks, kills, acts] = process.argv.slice(2).map(Number);
const ends = performance.now() + seconds * 1000;
for (let index = 0; index < count && performance.now() < ends; index += 1) {
  const size = sizeOf(seed + index * step);
  const night = await playNight({
    ...size,
    ...(tasks !== undefined && { tasks }),
    ...(kills !== undefined && { kills }),
    ...(acts !== undefined && { acts }),
  });
  process.stdout.write(`${JSON.stringify(night)}\n`);
}

function sizeOf(night: number): NightSize {
  const chance = chanceOf(night, "size");
  const size = { seed: night, tasks: chance.between(2, 7), kills: chance.between(0, 6) };
  // Without people the plan says how each task ends.
  return { ...size, acts: chance.happens(0.5) ? 0 : chance.between(2, 12) };
}
