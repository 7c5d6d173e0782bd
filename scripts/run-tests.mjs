// Runs the compiled tests: node scripts/run-tests.mjs [--quick] [--sources] [--coverage] [ROOM ...]; COVERAGE=1 is
// --coverage. What they import and the commands that they start are the bundle, the program that is shipped; with
// --sources they are the compiled files of lib/. With --coverage the tests import those, and what runs in the tests'
// own processes is counted: the commands that they start are the bundle again.
//
// Node 20 takes no globs after --test and Node 22 no folders, so the files are listed here. The last lines of the
// output are node's own counts, after the coverage: what a reader, or a script, looks at first.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeBatches } from "./test-batches.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const coverage = path.join(root, "coverage");
const fromBundle = path.join(root, "scripts", "from-bundle", "register.mjs");
const words = process.argv.slice(2);
const rooms = words.filter((word) => !word.startsWith("--"));
const withCoverage = words.includes("--coverage") || process.env.COVERAGE === "1";

const importsSources =
  withCoverage || words.includes("--sources") || !existsSync(path.join(root, "dist/task-phase.cjs"));

// Those of real agent CLIs are run by scripts/test-models.mjs, and those of a real browser by scripts/test-pages.mjs;
// both install first what they need. Those that kill runs again and again take minutes: npm run test:crash.
const apart = ["models-real", "pages-real"];
const slow = ["crash", "crash-states", "forgetting", "nights", "protocol", "simulation"];
// Many whole passes, of several machines or of one task: with the coverage, and those of machines in npm run test:fleet.
// In their place the coverage leaves out the rooms whose tests ran on the bundle already, and mostly start commands.
const others = withCoverage ? ["cli", "structure", "truth"] : ["fleet-long", "long"];
const left =
  rooms.length > 0 ? apart : [...apart, ...slow, ...others, ...(words.includes("--quick") ? ["cli", "fleet"] : [])];
const files = listTests(rooms, left);
if (files.length === 0) {
  console.error(`no tests found in dist/test (${rooms.join(", ") || "all rooms"}); run npm run build first`);
  process.exitCode = 1;
} else {
  const testsPassed = runTests(files);
  const covered = withCoverage ? judgeCoverage() : true;
  for (const line of readCounts()) console.log(line);
  process.exitCode = testsPassed && covered ? 0 : 1;
}

function listTests(wanted, left) {
  const folder = path.join(root, "dist", "test");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".test.js"))
    .filter((name) => {
      const room = name.split(path.sep)[0];
      return !left.includes(room) && (wanted.length === 0 || wanted.includes(room));
    })
    .sort()
    .map((name) => path.join("dist", "test", name));
}

function runTests(list) {
  rmSync(coverage, { recursive: true, force: true });
  mkdirSync(coverage, { recursive: true });
  const reporters = ["spec", "stdout", "tap", tapFile()].map(
    (word, index) => `--test-reporter${index % 2 === 0 ? "" : "-destination"}=${word}`,
  );
  const { batches, remove } = writeBatches(root, list, importsSources ? [] : [fromBundle]);
  // Source maps would make each error that a test looks at a tenth dearer; the places are those of dist/. The bound is
  // for a test that hangs, and far above what all of them take together.
  const argv = ["--test", "--test-concurrency=3", "--test-timeout=3600000", ...reporters, ...batches];
  const counted = { NODE_V8_COVERAGE: path.join(coverage, "v8") };
  const rest = importsSources ? { TASK_PHASE_TEST_SOURCES: "1" } : { TASK_PHASE_TEST_BUNDLE: "1" };
  const env = { ...process.env, ...(withCoverage ? counted : rest) };
  const passed = spawnSync(process.execPath, argv, { cwd: root, env, stdio: "inherit" }).status === 0;
  remove();
  return passed;
}

function judgeCoverage() {
  const c8 = path.join(root, "node_modules", "c8", "bin", "c8.js");
  const excluded = listTypeOnly().flatMap((name) => ["--exclude", name]);
  const report = spawnSync(process.execPath, [c8, "report", ...excluded], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (report.status !== 0) console.log(report.stdout + report.stderr);
  else console.log(`coverage: ${readTotals()}`);
  return report.status === 0;
}

/** Files that hold types alone: nothing of them ever runs, and they would count as not covered. */
function listTypeOnly() {
  return readdirSync(path.join(root, "dist", "lib"), { recursive: true })
    .filter((name) => name.endsWith(".js"))
    .map((name) => path.join("dist", "lib", name))
    .filter((name) => {
      const code = readFileSync(path.join(root, name), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
      return code.trim() === "export {};";
    });
}

function readTotals() {
  const { total } = JSON.parse(readFileSync(path.join(coverage, "coverage-summary.json"), "utf8"));
  return ["lines", "branches", "functions"].map((kind) => `${kind} ${total[kind].pct} %`).join(", ");
}

function readCounts() {
  const counted = /^# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;
  return readFileSync(tapFile(), "utf8")
    .split("\n")
    .filter((line) => counted.test(line));
}

function tapFile() {
  return path.join(coverage, "tests.tap");
}
