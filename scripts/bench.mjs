// What task-phase costs, against what it could cost at the least: npm run bench -- ...
//
//   node scripts/bench.mjs [--only ROW,...] [--n 7] [--full] [--json] [--write] [--in FOLDER]
//   node scripts/bench.mjs --regression [--n 5] [--write]
//   node scripts/bench.mjs --profile [--only ROW,...] [--n 3]
//
// --only        rows, or groups of them, for example start,pass.verify,status.1000
// --n           how often each is measured; large ones end earlier
// --full        100,000 tasks and 10,000 worked ones too
// --json        prints one JSON object on stdout, and the lines of the rows on stderr
// --write       writes docs/benchmarks.md and adds a line to bench/history.jsonl; only with every row
// --in          where the folders are made that are measured; the temporary folder of the machine
// --regression  few rows; the exit code is 1 if one is above 1.5 times its value in bench/baseline.json, which --write
//               writes
// --profile     where the time of the rows goes that are above their goal, from CPU profiles
//
// It calls bin/task-phase alone, and counts CPU time of whole process trees, each beside its floor in the same rounds.
// Needs npm run build.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { requireBundle } from "./bench/checkout.mjs";
import { profileInto } from "./bench/meter.mjs";
import { listProfiles, makeProfileReader, profiledRows, showProfile } from "./bench/profile.mjs";
import { findRegressions, shortRows, writeBaseline } from "./bench/regression.mjs";
import { describeRun, showRow, writeResults } from "./bench/report.mjs";
import { measureGrowth } from "./bench/rows/growth.mjs";
import { measureKernel } from "./bench/rows/kernel.mjs";
import { measureListing } from "./bench/rows/listing.mjs";
import { measureOutput } from "./bench/rows/output.mjs";
import { measurePackage } from "./bench/rows/package.mjs";
import { measurePass } from "./bench/rows/pass.mjs";
import { measureSiblings } from "./bench/rows/siblings.mjs";
import { measureStart } from "./bench/rows/start.mjs";

const groups = {
  start: measureStart,
  pass: measurePass,
  "status,board": measureListing,
  growth: measureGrowth,
  siblings: measureSiblings,
  kernel: measureKernel,
  output: measureOutput,
  package: measurePackage,
};

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    n: { type: "string" },
    full: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    in: { type: "string", default: tmpdir() },
    regression: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});
const { only, regression, profile, write } = values;
if (only !== undefined && (write || regression)) throw new Error("--only goes with neither --write nor --regression");
if (profile && regression) throw new Error("--profile does not go with --regression");
requireBundle();
const say = values.json ? console.error : console.log;
const n = Number(values.n ?? (regression ? 5 : profile ? 3 : 7));

if (regression && write) writeBaseline(measureRows(shortRows, n).rows);
else if (regression) {
  const lines = findRegressions((ids, count) => measureRows(ids, count).rows, n, say);
  for (const line of lines) console.error(`dearer than before: ${line}`);
  process.exitCode = lines.length === 0 ? 0 : 1;
} else if (profile) await profileRows(only?.split(",") ?? profiledRows);
else {
  const run = describeRun();
  const all = Object.keys(groups).flatMap((names) => names.split(","));
  const { rows, skipped } = measureRows(only?.split(",") ?? all, n);
  if (values.json) console.log(JSON.stringify({ ...run, rows, skipped }, null, 2));
  if (write) writeResults(rows, skipped, run);
}

/** The profiles are of other runs than the figures: they cost a tenth of the time themselves. */
async function profileRows(ids) {
  const folder = mkdtempSync(join(values.in, "task-phase-profiles-"));
  try {
    profileInto(folder);
    const readProfiles = await makeProfileReader();
    const rows = measureRows(ids, n, () => undefined).rows.filter(({ id, profiles }) => ids.includes(id) && profiles);
    const profiled = rows.map(({ id, what, profiles }) => ({
      id,
      what,
      ...readProfiles(profiles.flatMap(listProfiles)),
    }));
    for (const one of profiled) say(showProfile(one));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rows that are named, or below a name. Those that cannot be measured here are in `skipped`, with the reason. */
function measureRows(wanted, count, tell = say) {
  const isUnder = (id, word) => `${id}.`.startsWith(`${word}.`);
  const isWanted = (id) => wanted.some((word) => isUnder(id, word));
  const wants = (id) => isWanted(id) || wanted.some((word) => isUnder(word, id));
  const [rows, skipped] = [[], []];
  for (const [names, measure] of Object.entries(groups)) {
    if (!names.split(",").some(wants)) continue;
    const folder = realpathSync(mkdtempSync(join(values.in, "task-phase-bench-")));
    try {
      for (const row of measure({ folder, n: count, full: values.full, wants })) {
        if (!isWanted(row.id)) continue;
        (row.why === undefined ? rows : skipped).push(row);
        tell(row.why === undefined ? showRow(row) : `not measured: ${row.id}: ${row.why}`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { rows, skipped };
}
