import { runMetered } from "./meter.mjs";

/**
 * Runs the variants in rounds, one after the other, so that the load of the machine meets all of them alike. A variant
 * is `{ argv, cwd, env, rss, codes, before }`; `before` prepares its run and is not counted. Ends after `n` rounds, or
 * after the round in which the budget, in seconds of CPU, is used up. Returns by name a list of what each run took.
 */
export function measureRounds(variants, { n, budgetSeconds = 60 }) {
  const names = Object.keys(variants);
  const taken = Object.fromEntries(names.map((name) => [name, []]));
  let used = 0;
  for (let round = 0; round < n && used < budgetSeconds * 1000; round += 1) {
    for (const name of names) {
      const { before, argv, ...options } = variants[name];
      before?.();
      const run = runMetered(argv, options);
      used += run.cpuMs;
      taken[name].push(run);
    }
  }
  return taken;
}

/** `{ median, min }` of CPU milliseconds. */
export function summarize(runs) {
  const cpu = runs.map(({ cpuMs }) => cpuMs);
  return { median: medianOf(cpu), min: Math.min(...cpu) };
}

/** The median of what ours took over what the floor took in the same round. */
export function ratioOf(ours, floor) {
  return medianOf(ours.map(({ cpuMs }, round) => cpuMs / Math.max(1, floor[round].cpuMs)));
}

/** The largest peak of all runs, in MiB. */
export function peakOf(runs) {
  return Math.max(...runs.map(({ rssMb }) => rssMb));
}

export function medianOf(values) {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
