// Puts test files together into batches, each of which one process runs. A process for each file would spend half of
// its time on starting node, reading the same modules and compiling the same code again.
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Rooms whose files take minutes each, and whose disk is a real one. */
const alone = new Set(["crash", "crash-states", "forgetting", "simulation"]);
/** Rooms whose tests do whole passes, and take many times as long for the same number of lines. */
const slow = new Set(["cli", "truth", "recovery", "fleet", "fleet-long", "long"]);
const slowBytes = 60_000;
const quickBytes = 300_000;
const memory = "/dev/shm";
const wantedBytes = 4 * 1024 ** 3;

/**
 * Writes one file for each batch and returns their paths, those that take longest first. `first` are modules that each
 * batch imports before its tests. `remove` takes away what tests left in memory.
 */
export function writeBatches(root, files, first) {
  const folder = path.join(root, ".build", "tests");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const roomOf = (file) => file.split(path.sep)[2];
  const read = files
    .filter((file) => !alone.has(roomOf(file)))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }));
  // A sandbox has a /dev of its own, so what a test puts into memory is not there.
  const isSandboxed = ({ text }) => /sandbox/i.test(text);
  const isSlow = ({ file }) => slow.has(roomOf(file));
  const free = read.filter((one) => !isSandboxed(one));
  const inMemory = hasMemory() ? mkdtempSync(path.join(memory, "task-phase-tests-")) : null;
  // As /tmp is: some tests run a program as another user, who removes what it made.
  if (inMemory !== null) chmodSync(inMemory, 0o1777);
  // node hands this on to each program that a test starts, which would cost half of the time again.
  const uncounted = "delete process.env.NODE_V8_COVERAGE;\n";
  const common = first.map((path) => `await import(${JSON.stringify(pathToFileURL(path).href)});\n`).join("");
  const begin = inMemory === null ? "" : `process.env.TMPDIR ??= ${JSON.stringify(inMemory)};\n`;
  const batches = [
    ...cutBatches(free.filter(isSlow), slowBytes).map((batch) => ({ begin, batch })),
    ...cutBatches(read.filter(isSandboxed), slowBytes).map((batch) => ({ begin: "", batch })),
    ...cutBatches(
      free.filter((one) => !isSlow(one)),
      quickBytes,
    ).map((batch) => ({ begin, batch })),
  ];
  const own = files.filter((file) => alone.has(roomOf(file)));
  const written = batches.map(({ begin, batch }, index) => {
    const urls = batch.map(({ file }) => pathToFileURL(path.join(root, file)).href);
    const name = path.join(".build", "tests", `${String(index + 1).padStart(2, "0")}.mjs`);
    writeFileSync(
      path.join(root, name),
      begin + uncounted + common + urls.map((url) => `await import(${JSON.stringify(url)});\n`).join(""),
    );
    return name;
  });
  const remove = () => inMemory !== null && rmSync(inMemory, { recursive: true, force: true });
  return { batches: [...own, ...written], remove };
}

/** The largest file goes first, each to the batch that has the least so far. */
function cutBatches(files, bytesEach) {
  const total = files.reduce((sum, { text }) => sum + text.length, 0);
  const batches = Array.from({ length: Math.ceil(total / bytesEach) }, () => ({ bytes: 0, batch: [] }));
  for (const file of files.toSorted((left, right) => right.text.length - left.text.length)) {
    const least = batches.reduce((left, right) => (right.bytes < left.bytes ? right : left));
    least.batch.push(file);
    least.bytes += file.text.length;
  }
  return batches.map(({ batch }) => batch);
}

/** True if temporary files fit into memory: the tests make thousands durable, and a disk takes its time for each. */
function hasMemory() {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, os.freemem()) >= wantedBytes;
  } catch {
    return false;
  }
}
