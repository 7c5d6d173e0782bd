// Runs everything that makes disks fail, power go and programs die, whole where the build server takes a part:
//
//   npm run test:faults [-- --part]
//
// --part takes what the build server takes, and of the kills every 40th: minutes instead of hours. docs/reliability.md
// says what each step looks for. Prints the time of each; the exit code is 1 if one of them failed.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const isPart = process.argv.includes("--part");
const whole = isPart ? {} : { TASK_PHASE_CRASH_STATES: "all", TASK_PHASE_FAULT_STEP: "1" };
const steps = [
  ["disks that power cuts leave", whole, ["scripts/run-tests.mjs", "crash-states"]],
  ["a disk that forgets", isPart ? {} : { TASK_PHASE_FORGETTING: "all" }, ["scripts/run-tests.mjs", "forgetting"]],
  ["kills, and calls of the disk that fail", whole, ["scripts/run-tests.mjs", "crash"]],
  ["nights in memory", isPart ? {} : { TASK_PHASE_NIGHTS_IN_MEMORY: "all" }, ["scripts/run-tests.mjs", "nights"]],
  [
    "claims and landing in every order",
    isPart ? {} : { TASK_PHASE_PROTOCOL: "all" },
    ["scripts/run-tests.mjs", "protocol"],
  ],
  ["a kill before every call", {}, ["scripts/kill-sweep.mjs", ...(isPart ? ["--stride", "40"] : [])]],
  ["a kill in a recovery too", {}, ["scripts/kill-sweep.mjs", "--stride", isPart ? "160" : "20", "--double", "10"]],
  ["random documents", { TASK_PHASE_FUZZ: "100000" }, ["--test", "dist/test/documents/scan.test.js"]],
];
const cwd = fileURLToPath(new URL("..", import.meta.url));
const ends = steps.map(([name, env, argv]) => {
  const begin = performance.now();
  const { status } = spawnSync(process.execPath, argv, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
  return { name, seconds: Math.round((performance.now() - begin) / 1000), status };
});
for (const { name, seconds, status } of ends) console.log(`${status === 0 ? "ok" : "FAILED"}  ${seconds} s  ${name}`);
if (ends.some(({ status }) => status !== 0)) process.exitCode = 1;
