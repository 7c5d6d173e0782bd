// What task-phase costs, against what it could cost at the least: npm run bench -- ...
//
//   node scripts/bench.mjs [--only ROW,...] [--n 7] [--full] [--json] [--write] [--in FOLDER]
//
// --only   rows, or groups of them, for example start,pass.verify,status.1000
// --n      how often each is measured; large ones end earlier
// --full   100,000 tasks and 10,000 worked ones too
// --json   prints one JSON object on stdout, and the lines of the rows on stderr
// --write  writes docs/benchmarks.md and adds a line to bench/history.jsonl; only with every row
// --in     where the folders are made that are measured; the temporary folder of the machine
//
// It calls bin/task-phase alone, and counts CPU time of whole process trees, each beside its floor in the same rounds.
// Needs npm run build.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeRun, showRow, writeResults } from "./bench/report.mjs";
import { measureGrowth } from "./bench/rows/growth.mjs";
import { measureKernel } from "./bench/rows/kernel.mjs";
import { measureListing } from "./bench/rows/listing.mjs";
import { measureOutput } from "./bench/rows/output.mjs";
import { measurePackage } from "./bench/rows/package.mjs";
import { measurePass } from "./bench/rows/pass.mjs";
import { measureStart } from "./bench/rows/start.mjs";

const groups = {
  start: measureStart,
  pass: measurePass,
  "status,board": measureListing,
  growth: measureGrowth,
  kernel: measureKernel,
  output: measureOutput,
  package: measurePackage,
};

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    n: { type: "string", default: "7" },
    full: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    in: { type: "string", default: tmpdir() },
  },
});
if (values.write && values.only !== undefined) throw new Error("--write needs every row: leave out --only");

const wanted = values.only?.split(",") ?? Object.keys(groups).flatMap((names) => names.split(","));
const isUnder = (id, word) => `${id}.`.startsWith(`${word}.`);
/** True if the row is wanted, or one below it. */
const wants = (id) => wanted.some((word) => isUnder(id, word) || isUnder(word, id));
const isWanted = (id) => wanted.some((word) => isUnder(id, word));
const say = values.json ? console.error : console.log;
const run = describeRun();
const [rows, skipped] = [[], []];
for (const [names, measure] of Object.entries(groups)) {
  if (!names.split(",").some(wants)) continue;
  const folder = realpathSync(mkdtempSync(join(values.in, "task-phase-bench-")));
  try {
    for (const row of measure({ folder, n: Number(values.n), full: values.full, wants })) {
      if (!isWanted(row.id)) continue;
      (row.why === undefined ? rows : skipped).push(row);
      say(row.why === undefined ? showRow(row) : `not measured: ${row.id}: ${row.why}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
if (values.json) console.log(JSON.stringify({ ...run, rows, skipped }, null, 2));
if (values.write) writeResults(rows, skipped, run);
