// A night of the loop over many tasks that depend on each other, with three fake models that meet limits, hang, crash,
// lie and propose what they may not. The loop is killed again and again and started again, on a clock that sleeping
// moves on. In the morning everything that must hold is looked at, and then a second night of the same seed without
// any kill must have come to the same end:
//
//   npm run simulate -- [--tasks 200] [--kills 50] [--seed 1] [--keep] [--once]
//
// --once  only the first night
// --keep  leaves the folders of the nights if they are, and says where
//
// `npm test` does the same with a few tasks (test/simulation). The exit code is 1 where anything does not hold.
import { parseArgs } from "node:util";

const built = new URL("../dist/test/simulation/", import.meta.url);
const { planNight } = await import(new URL("plan-night.js", built));
const { makeNight } = await import(new URL("make-night.js", built));
const { runNight } = await import(new URL("run-night.js", built));
const { startsOf } = await import(new URL("start-command.js", built));
const { checkNight } = await import(new URL("check-night.js", built));

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "200" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
    once: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const plan = planNight(seed, Number(values.tasks));
const killed = await spendNight(Number(values.kills));
const calm = values.once ? null : await spendNight(0);
const differing = calm === null ? [] : differences(killed.ends, calm.ends);
for (const line of differing) console.log(`DIFFERS ${line}`);
if (calm !== null) console.log(`both nights came to the same end: ${differing.length === 0 ? "yes" : "no"}`);
if (killed.wrong || calm?.wrong || differing.length > 0) process.exitCode = 1;

async function spendNight(kills) {
  const night = makeNight(plan);
  const began = performance.now();
  try {
    const start = startsOf(night);
    const log = await runNight(night, { kills, seed, start, tell: (line) => console.log(line) });
    const seconds = (performance.now() - began) / 1000;
    const result = await checkNight(night, start);
    for (const problem of [...log.problems, ...result.problems]) console.log(`VIOLATION ${problem}`);
    if (log.kills < kills) console.log(`VIOLATION only ${log.kills} of ${kills} kills came about`);
    const counts = count(Object.values(result.ends).map(({ end }) => end));
    const passes = Object.values(result.verdicts).reduce((sum, one) => sum + one, 0);
    console.log(
      [
        `${seconds.toFixed(0)} s, ${passes} passes (${((seconds / passes) * 1000).toFixed(0)} ms each), ${log.kills} kills, ${log.starts} starts`,
        `by the clock of the night it is ${night.now().toISOString()}; charged ${result.chargedUsd.toFixed(2)} USD`,
        `ends: ${say(counts)}`,
        `verdicts: ${say(result.verdicts)}`,
        `exits of the loop: ${say(log.exits)}; second starts turned away: ${log.turnedAway}; runs beside it, by exit: ${say(log.strays)}`,
        `violations: ${log.problems.length + result.problems.length}`,
      ].join("\n"),
    );
    const wrong = log.kills < kills || log.problems.length + result.problems.length > 0;
    return { ends: result.ends, wrong };
  } finally {
    if (values.keep) console.log(`kept: ${night.folder}`);
    else night.remove();
  }
}

function differences(left, right) {
  return Object.keys(left)
    .filter((id) => JSON.stringify(left[id]) !== JSON.stringify(right[id]))
    .map((id) => `${id}: ${JSON.stringify(left[id])} and ${JSON.stringify(right[id])}`);
}

function count(words) {
  const counts = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function say(counts) {
  return Object.entries(counts)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, amount]) => `${name} ${amount}`)
    .join(", ");
}
