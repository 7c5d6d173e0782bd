// Changes the compiled rules in one small way at a time and looks whether the rooms' own tests notice:
//
//   npm run test:mutants -- [ROOM ...] [--each 25] [--seed 1] [--minutes 60] [--file NAME] [--jobs 1] [--list]
//
// --each     how many mutants of each room, drawn by the seed; 0 takes all
// --minutes  no mutant is begun after this time, and the report says how many were left
// --file     only files whose name has this in it
// --list     prints the drawn mutants and runs none
//
// A mutant is killed if a test fails, or does not end. Those that change nothing that anybody could observe are listed
// in scripts/mutants/equivalent.json, each with its reason. The exit code is 1 if fewer than 90 % are killed. Linux
// with bubblewrap only.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findMutants } from "./mutants/find-mutants.mjs";
import { listRoom, makePlace, sourcePlace, testsOf } from "./mutants/place.mjs";

// A mutant of code that removes files or ends processes could reach beyond its test: the tests see the machine
// read-only, with temporary folders and processes of their own. Nothing is run without that.
const folders = "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /var/tmp";
const fence = `bwrap ${folders} --unshare-pid --die-with-parent`.split(" ");
const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = 0.9;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    each: { type: "string", default: "25" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "60" },
    file: { type: "string", default: "" },
    jobs: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
  },
});
// All is read from the copies, so that a build in between does no harm.
const places = Array.from({ length: Number(values.jobs) }, (_, number) => makePlace(root, String(number)));
const [copy] = places;
const rooms =
  positionals.length > 0
    ? positionals
    : ["rules", "store", "checks/proof", "pass/recovery", "pass/verdict", "task/guard"];
const equivalent = JSON.parse(readFileSync(path.join(root, "scripts", "mutants", "equivalent.json"), "utf8"));
const drawn = rooms.flatMap(drawMutants);
if (values.list) for (const mutant of drawn) console.log(tell(mutant));
else process.exitCode = (await judgeAll(drawn)) ? 0 : 1;

function drawMutants(room) {
  const all = listRoom(copy, room).flatMap((file) =>
    findMutants(readFileSync(path.join(copy, file), "utf8")).map((mutant) => ({ room, file, ...mutant })),
  );
  const known = equivalent.filter(({ file }) => file.startsWith(`dist/lib/${room}/`));
  for (const entry of known.filter((one) => !all.some((mutant) => isSame(one, mutant)))) {
    throw new Error(`equivalent.json lists a mutant that no longer exists: ${JSON.stringify(entry)}`);
  }
  const open = all.filter((mutant) => mutant.file.includes(values.file) && !known.some((one) => isSame(one, mutant)));
  const random = mulberry32(Number(values.seed));
  const order = open.map((mutant) => [random(), mutant]).sort(([left], [right]) => left - right);
  const count = Number(values.each) || order.length;
  return order.slice(0, count).map(([, mutant]) => mutant);
}

function isSame(entry, mutant) {
  return ["file", "lineText", "kind", "from"].every((key) => entry[key] === mutant[key]);
}

async function judgeAll(mutants) {
  const waiting = [...mutants];
  const ends = [];
  const until = Date.now() + Number(values.minutes) * 60_000;
  const workers = places.map(async (place) => {
    const bounds = new Map();
    while (waiting.length > 0 && Date.now() < until) {
      const mutant = waiting.shift();
      const killed = await judgeMutant(place, mutant, bounds);
      ends.push({ ...mutant, killed });
      console.log(`${killed ? "killed  " : "SURVIVED"} ${tell(mutant)}`);
    }
  });
  await Promise.all(workers);
  return report(ends, mutants.length - ends.length);
}

async function judgeMutant(place, mutant, bounds) {
  const file = path.join(place, mutant.file);
  const code = readFileSync(file, "utf8");
  for (const tests of testsOf(place, mutant.file, mutant.room)) {
    if (tests.length === 0) continue;
    const key = tests.join();
    if (!bounds.has(key)) bounds.set(key, await timeClean(place, tests));
    writeFileSync(file, code.slice(0, mutant.start) + mutant.to + code.slice(mutant.end));
    try {
      if (!(await runTests(place, tests, bounds.get(key))).passed) return true;
    } finally {
      writeFileSync(file, code);
    }
  }
  return false;
}

/** How long the tests may take with a mutant: many times what they take without one, for a busy machine. */
async function timeClean(place, tests) {
  const began = Date.now();
  const { passed, output } = await runTests(place, tests, 600_000);
  if (!passed) throw new Error(`the tests fail without a mutant: ${tests.join(" ")}\n${output.slice(-4_000)}`);
  return 30_000 + 10 * (Date.now() - began);
}

/** Ends the tests at the first that fails. */
function runTests(place, tests, timeoutMs) {
  return new Promise((resolve, reject) => {
    const entry = path.join("scripts", "mutants", "run-files.mjs");
    const argv = [...fence, process.execPath, entry, ...tests.map((test) => path.join(place, test))];
    const child = spawn(argv[0], argv.slice(1), {
      cwd: place,
      env: { ...process.env, HOME: "/tmp", TMPDIR: "/tmp", XDG_STATE_HOME: "/tmp/state" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    const take = (bytes) => {
      output = (output + bytes).slice(-100_000);
      if (/^ *not ok /m.test(output)) child.kill("SIGKILL");
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("error", reject);
    child.once("close", (code) => resolve({ passed: code === 0, output }));
  });
}

function report(ends, left) {
  const survivors = ends.filter(({ killed }) => !killed);
  console.log("");
  for (const mutant of survivors) console.log(`survived ${tell(mutant)}`);
  for (const room of rooms) console.log(`${room.padEnd(9)} ${rate(ends.filter((end) => end.room === room))}`);
  console.log(
    `all       ${rate(ends)}; ${equivalent.length} known as equivalent; seed ${values.seed}; not run ${left}`,
  );
  return ends.length > 0 && ends.length - survivors.length >= wanted * ends.length;
}

function rate(ends) {
  const killed = ends.filter((end) => end.killed).length;
  const percent = ends.length === 0 ? "no mutant" : `${((100 * killed) / ends.length).toFixed(1)} %`;
  return `killed ${killed} of ${ends.length}, ${percent}`;
}

function tell(mutant) {
  const { file, kind, from, to, lineText } = mutant;
  const change = kind.startsWith("removed") ? "" : ` ${from} → ${to || "nothing"}`;
  return `${sourcePlace(copy, file, mutant)} ${kind}${change}: ${lineText.slice(0, 120)}`;
}

function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
