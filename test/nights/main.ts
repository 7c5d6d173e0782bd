import { sizeOf } from "./night-size.ts";
import { playNight } from "./play-night.ts";

/**
 * Plays nights in memory, and prints each as a line of JSON: main.js SEED,SEED SECONDS [TASKS KILLS ACTS]. After so many seconds
 * no other night begins. Needs register.js.
 */
const [list = "", ...figures] = process.argv.slice(2);
const [seconds = 60, tasks, kills, acts] = figures.map(Number);
const ends = performance.now() + seconds * 1000;
for (const seed of list.split(",").map(Number)) {
  if (performance.now() >= ends) break;
  const size =
    tasks === undefined || kills === undefined || acts === undefined ? sizeOf(seed) : { seed, tasks, kills, acts };
  process.stdout.write(`${JSON.stringify(await playNight(size))}\n`);
}
