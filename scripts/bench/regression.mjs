import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { checkout } from "./checkout.mjs";

/** How much dearer than the committed ratio a row may be. */
const slack = 1.5;

/** Rows that say most in the least time; every figure of them is a ratio to a floor of the same rounds, or a count. */
export const shortRows = [
  "start.version",
  "start.help",
  "start.status",
  "pass.verify",
  "status.1000.fresh",
  "status.1000.fresh.again",
  "siblings.200",
  "kernel.processes",
  "kernel.fsyncs",
];

/**
 * `measure(ids, n)` returns the rows. Those above the committed value times the slack are measured once more, twice as
 * often, and only what is too dear both times is in the list of lines that this returns. A row that is not committed, or
 * cannot be measured here, is not judged.
 */
export function findRegressions(measure, n, say, committed = readBaseline()) {
  const isDear = ({ id, value }) => committed[id] !== undefined && value > committed[id] * slack;
  const first = measure(shortRows, n).filter(isDear);
  if (first.length === 0) return [];
  say(`measured once more: ${first.map(({ id }) => id).join(", ")}`);
  const ids = new Set(first.map(({ id }) => id));
  return measure([...ids], n * 2)
    .filter((row) => ids.has(row.id) && isDear(row))
    .map(
      ({ id, what, value }) =>
        `${id}: ${what}: measured ${round(value)}, committed ${round(committed[id])}, allowed ${round(committed[id] * slack)}`,
    );
}

export function writeBaseline(rows) {
  const values = rows.filter(({ id }) => shortRows.includes(id)).map(({ id, value }) => [id, round(value)]);
  writeFileSync(file(), `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`);
}

function readBaseline() {
  if (!existsSync(file()))
    throw new Error(`${file()} is missing: node scripts/bench.mjs --regression --write makes it`);
  return JSON.parse(readFileSync(file(), "utf8"));
}

function file() {
  return `${checkout}bench/baseline.json`;
}

function round(value) {
  return Math.round(value * 100) / 100;
}
