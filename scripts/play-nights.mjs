// Nights of the loop in memory: the program itself with its disk, locks and journal in files in memory, its agents and checks as
// functions, a clock that sleeping moves on, people who interfere, and kills at any call that changes the disk:
//
//   npm run nights -- [--nights 200] [--seconds 3600] [--seed 1] [--jobs 2] [--tasks N --kills N --acts N]
//                     [--fault NAME] [--keep]
//
// --seconds  no new night begins after that
// --tasks, --kills, --acts   the size of every night; else its seed gives it
// --fault    plants one of test/nights/planted-faults.ts: a night must find it
// --keep     leaves the folder of a night with a problem, and names it
//
// A night with a problem is told with the smallest night of its seed that has one, and how to play that again. The exit
// code is 1 if there is one. Needs npm run build.
import { parseArgs } from "node:util";

const { playNights, shrink } = await import(new URL("../dist/test/nights/play-nights.js", import.meta.url));

const { values } = parseArgs({
  options: {
    nights: { type: "string", default: "200" },
    seconds: { type: "string", default: "3600" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
    tasks: { type: "string" },
    kills: { type: "string" },
    acts: { type: "string" },
    fault: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
if (values.keep) process.env.TASK_PHASE_KEEP_NIGHTS = "1";
const { tasks, kills, acts, fault } = values;
const sizes = [tasks, kills, acts].filter((value) => value !== undefined);
if (sizes.length > 0 && sizes.length < 3) throw new Error("--tasks, --kills and --acts go together");
const began = performance.now();
const totals = { nights: 0, passes: 0, kills: 0, wrong: [] };
await playNights({
  seeds: Array.from({ length: Number(values.nights) }, (_, index) => Number(values.seed) + index),
  seconds: Number(values.seconds),
  jobs: Number(values.jobs),
  ...(sizes.length > 0 && { size: { tasks: Number(tasks), kills: Number(kills), acts: Number(acts) } }),
  ...(fault !== undefined && { fault }),
  heard: (night) => {
    totals.nights += 1;
    totals.passes += night.passes;
    totals.kills += night.killed;
    if (night.problems.length > 0) {
      totals.wrong.push(night);
      console.log(`seed ${night.seed}: ${night.problems.join("\n  ")}`);
    }
    return true;
  },
});
const seconds = (performance.now() - began) / 1000;
const each = ((seconds * 1000) / Math.max(1, totals.passes)).toFixed(0);
console.log(
  `${totals.nights} nights, ${totals.passes} passes (${each} ms each), ${totals.kills} kills, ${seconds.toFixed(0)} s; ${totals.wrong.length} with a problem`,
);
for (const night of totals.wrong.slice(0, 3)) {
  const smallest = sizes.length > 0 ? night : await shrink(night, fault);
  const size = `--tasks ${smallest.tasks} --kills ${smallest.kills} --acts ${smallest.acts}`;
  console.log(`\nnode scripts/play-nights.mjs --nights 1 --seed ${smallest.seed} ${size}`);
  for (const line of [...smallest.story, ...smallest.problems]) console.log(`  ${line}`);
}
if (totals.wrong.length > 0) process.exitCode = 1;
