// Runs everything that makes disks fail, power go and programs die:
//
//   npm run test:faults [-- --part] [--seed N] [--only WORD]
//
// Two steps at a time: less than an hour on two quiet cores; --part takes minutes. Where all points of a step would take
// hours, it takes those that the seed chooses: that of the day, so that the next days take others. --only takes the steps
// whose name has the word. docs/reliability.md says what each step looks for.
//
// The last lines are a table. The exit code is 1 if a step failed, or if it tried a fifth fewer points than are known: then
// it sees less than before. What a step said is in .build/faults.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const logs = path.join(root, ".build", "faults");
const { values } = parseArgs({
  options: {
    part: { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: "string", default: "" },
  },
});
const { part: isPart } = values;
const seed = Number(values.seed);

/** The whole value, or that of --part. */
const either = (whole, part) => (isPart ? part : whole);
const tests = (room, only = /./) =>
  readdirSync(path.join(root, "dist", "test", room))
    .filter((name) => name.endsWith(".test.js") && only.test(name))
    .map((name) => path.join("dist", "test", room, name));
const runs = (room, only) => ["--test", "--test-concurrency=1", "--test-reporter=spec", ...tests(room, only)];
// Every pass has more moments than 40.
const sweep = (stride, ...more) => [
  ...[
    "scripts/kill-sweep.mjs",
    "--stride",
    String(stride),
    "--offset",
    String(1 + (seed % Math.min(stride, 40))),
    ...more,
  ],
];
/** A kill takes nothing from a disk, so that of most steps is memory: no sync is waited for. */
const common = {
  ...(existsSync("/dev/shm") && { TMPDIR: "/dev/shm" }),
  ...{ TASK_PHASE_TEST_BUNDLE: "1", TASK_PHASE_CRASH_SEED: String(seed) },
};
const forgetting = { TASK_PHASE_FORGETTING: either("all", undefined), TMPDIR: process.env.TMPDIR };
const every = { TASK_PHASE_FAULT_STEP: either("1", undefined) };

/**
 * `points`: where the output says how many there were; all of them are added. `known`: how many there are whole, and in
 * part. The longest come first.
 */
const steps = [
  {
    name: "a disk that forgets: cuts",
    env: forgetting,
    argv: runs("forgetting", /^(?:branches|forgetting)/),
    points: /: (\d+) cuts, /g,
    known: [220, 12],
  },
  {
    name: "disks that power cuts leave",
    env: { TASK_PHASE_CRASH_STATES: either("160", "40") },
    argv: runs("crash-states"),
    points: /, (\d+) different disks/g,
    known: [1_650, 484],
  },
  {
    name: "claims and landing in every order: states",
    env: { TASK_PHASE_PROTOCOL: either("chosen", undefined) },
    argv: runs("protocol"),
    points: /(\d+) states, /g,
    known: [45_000, 15_492],
  },
  {
    name: "a kill before every call",
    argv: sweep(either(4, 80)),
    points: /^(\d+) moments, /gm,
    known: [640, 33],
  },
  {
    name: "random documents",
    env: { TASK_PHASE_FUZZ: either("150000", "20000") },
    argv: runs("documents", /^scan/),
    points: /(\d+) documents/g,
    known: [150_000, 20_000],
  },
  {
    name: "nights in memory: passes",
    env: { TASK_PHASE_NIGHTS_IN_MEMORY: either("45", undefined) },
    argv: runs("nights"),
    points: /nights, (\d+) passes/g,
    known: [1_250, 190],
  },
  {
    name: "forged files and caches",
    env: { TASK_PHASE_FAULT_STEP: either("3", undefined) },
    argv: runs("crash", /^forged/),
    points: /(\d+) of \d+ cases/g,
    known: [690, 23],
  },
  {
    name: "calls of the disk that fail",
    env: { TASK_PHASE_DISK_STEP: either("6", "120") },
    argv: runs("crash", /^disk-faults/),
    points: /(\d+) calls failed/g,
    known: [325, 20],
  },
  {
    name: "a disk that forgets: ext4, XFS, Btrfs",
    env: forgetting,
    argv: runs("forgetting", /^images/),
    points: /: (\d+) copies, /g,
    known: [60, 4],
  },
  {
    name: "a kill in a recovery too",
    argv: sweep(either(160, 640), "--double", "10"),
    points: /^(\d+) moments, /gm,
    known: [180, 18],
  },
  {
    name: "programs that escape",
    env: every,
    argv: runs("crash", /^escapes/),
    points: /(\d+) escapes/g,
    known: [92, 8],
  },
  {
    name: "small disks, locks, signals and killers: tests",
    env: { ...every, TASK_PHASE_CLAIM_STEP: either("2", undefined) },
    argv: runs("crash", /^(?!disk-faults|forged|escapes)/),
    points: /^ℹ pass (\d+)/gm,
    known: [46, 46],
  },
];

function run({ name, env = {}, argv, points, known }) {
  const begin = performance.now();
  const given = { ...process.env, ...common, ...env };
  const child = spawn(process.execPath, argv, { cwd: root, env: given, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.once("close", (code) => {
      const seconds = Math.round((performance.now() - begin) / 1000);
      writeFileSync(path.join(logs, `${name.replace(/\W+/g, "-")}.log`), output);
      const count = [...output.matchAll(points)].reduce((sum, [, number]) => sum + Number(number), 0);
      const least = Math.ceil(either(...known) * 0.8);
      const verdict = code !== 0 ? "FAILED" : count < least ? `only ${count} of ${either(...known)}` : "ok";
      if (code !== 0) console.log(`${output}\n${name}: failed`);
      resolve({ name, seconds, count, verdict });
    });
  });
}

rmSync(logs, { recursive: true, force: true });
mkdirSync(logs, { recursive: true });
console.log(`seed ${seed}`);
const left = steps.filter(({ name }) => name.includes(values.only));
const ends = [];
const lane = async () => {
  for (let step = left.shift(); step !== undefined; step = left.shift()) {
    const end = await run(step);
    ends.push(end);
    console.log(`${end.verdict}: ${end.name}, ${end.seconds} s`);
  }
};
await Promise.all([lane(), lane()]);
console.log(`\n| step | points | seconds | seed ${seed} |\n| --- | --- | --- | --- |`);
for (const { name, count, seconds, verdict } of ends) console.log(`| ${name} | ${count} | ${seconds} | ${verdict} |`);
if (ends.some(({ verdict }) => verdict !== "ok")) process.exitCode = 1;
