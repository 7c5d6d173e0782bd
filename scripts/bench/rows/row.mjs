import { medianOf, peakOf, ratioOf, summarize } from "../series.mjs";

/**
 * A row is `{ id, what, unit, value, n, ours, floor }`. `value` is what the goal is about: here a ratio, of the CPU
 * milliseconds in `ours` and `floor.of`, each `{ median, min }`.
 */
export function againstFloor(id, what, ours, floorName, floor) {
  return {
    id,
    what,
    unit: "×",
    value: ratioOf(ours, floor),
    n: ours.length,
    ours: summarize(ours),
    floor: { name: floorName, ...summarize(floor) },
    ...profilesOf(ours),
  };
}

/** The peak of the memory, in MiB. */
export function peakRow(id, what, runs) {
  return { id, what, unit: "MiB", value: peakOf(runs), n: runs.length, ours: null, floor: null };
}

/** What one more costs, in ms: the difference of two sizes in the same round, over the difference of the sizes. */
export function marginalRow(id, what, small, large) {
  const each = large.runs.map(({ cpuMs }, round) => (cpuMs - small.runs[round].cpuMs) / (large.size - small.size));
  return {
    id,
    what,
    unit: "ms",
    value: medianOf(each),
    n: each.length,
    ours: summarize(large.runs),
    floor: { name: `with ${small.size}`, ...summarize(small.runs) },
    ...profilesOf(large.runs),
  };
}

/** A count or a size that one look is enough for. */
export function plainRow(id, what, unit, value) {
  return { id, what, unit, value, n: 1, ours: null, floor: null };
}

/** Only with `--profile`. */
function profilesOf(runs) {
  const folders = runs.flatMap(({ profile }) => (profile === null ? [] : [profile]));
  return folders.length === 0 ? {} : { profiles: folders };
}
