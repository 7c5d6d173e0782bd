// Measures what the proof costs, with the built functions of dist/: how long copies of a large repo take, and
// how
// the time of the cells compares with that of the checks alone. Both sides of a ratio are taken in one run, so that the
// load of the machine has little part in it.
//
//   node scripts/bench-matrix.mjs [--files 20000] [--dependencies 20000] [--megabytes 500] [--check-seconds 2]
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyCarried } from "../dist/lib/checks/proof/carry.js";
import { contentsOf, makeCopy } from "../dist/lib/checks/proof/clean-copy.js";
import { pinDependencies, readPins } from "../dist/lib/checks/proof/dependency-pins.js";
import { judgeMatrix } from "../dist/lib/checks/proof/judge-matrix.js";
import { openKeptCopy } from "../dist/lib/checks/proof/kept-copy.js";
import { runChecks } from "../dist/lib/checks/runs/run-checks.js";
import { takeFingerprint } from "../dist/lib/git/fingerprint.js";
import { createMark } from "../dist/lib/process/mark.js";
import { openOrigin, saveOrigin } from "../dist/lib/task/origin.js";
import { createRedactor } from "../dist/lib/text/redact.js";
import { fillDependencies } from "./bench/fill-dependencies.mjs";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "20000" },
    dependencies: { type: "string", default: "20000" },
    megabytes: { type: "string", default: "500" },
    "check-seconds": { type: "string", default: "2" },
  },
});
const [files, dependencies, megabytes] = [values.files, values.dependencies, values.megabytes].map(Number);
const checkSeconds = Number(values["check-seconds"]);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-matrix-")));
try {
  await measureCopies();
  await measureCells();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureCopies() {
  const repo = makeRepo("large", files);
  fillDependencies(repo, { dependencies, megabytes });
  console.log(`repo of ${files} files, node_modules of ${dependencies} files with ${megabytes} MB`);
  const fingerprint = await timed("fingerprint", () => takeFingerprint(repo, []));
  const place = { folder: join(folder, "kept/origin"), pool: join(folder, "kept/pool") };
  await timed("keep the work as at pass 1", () => saveOrigin(place, repo, fingerprint));
  const file = join(folder, "kept/pins.jsonl");
  const digest = await timed("pin the dependencies", () => pinDependencies(repo, ["node_modules"], file));
  const { entries } = readPins(file, digest);
  const pins = { holds: (path, description) => entries.get(path) === description };
  const origin = openOrigin(place, fingerprint.hash);
  const copy = (name, from) => {
    const contents = contentsOf(fingerprint.entries, from, { nested: [], settings: [] });
    return makeCopy({ repo, origin, blobs: null, contents, target: join(folder, name), signal: null });
  };
  await timed("copy the present work", () => copy("present", "repo"));
  const common = { repo, folder: "node_modules", listed: new Set(), pins, signal: null };
  await timed("carry the dependencies", () => copyCarried({ ...common, target: join(folder, "present") }));
  await timed("copy the work as at pass 1", () => copy("first", "origin"));
  const kept = openKeptCopy(join(folder, "copies-kept"));
  const target = join(kept.folder, "tree/work");
  const cell = async (contents) => {
    await kept.update({ repo, origin, blobs: null, contents, target, signal: null }, ["node_modules"]);
    const added = kept.leftOutOf("node_modules") === null ? [await copyCarried({ ...common, target })] : [];
    await kept.note(new Map(added.map(({ leftOut }) => ["node_modules", leftOut])));
  };
  const present = contentsOf(fingerprint.entries, "repo", { nested: [], settings: [] });
  await timed("a kept copy of both, the first time", () => cell(present));
  writeFileSync(join(target, "src/part-1/file-1.js"), "written by a check\n");
  mkdirSync(join(target, "coverage"));
  writeFileSync(join(target, "coverage/report"), "written by a check\n");
  const path = "src/part-2/file-2.js";
  const wrong = new Map([...present, [path, { ...present.get(path), text: "made wrong\n" }]]);
  await timed("the same copy for the next run", () => cell(wrong));
  await timed("remove a copy", async () => rmSync(join(folder, "present"), { recursive: true }));
}

async function measureCells() {
  const repo = makeRepo("small", 50);
  mkdirSync(join(folder, "copies"));
  mkdirSync(join(folder, "work"));
  const command = ["sh", "-c", `sleep ${checkSeconds}; test -e done.txt`];
  const check = { name: "tests", command, timeoutMs: 60_000, required: true, expect: { minTests: null, output: null } };
  const place = { folder: join(folder, "small-kept/origin"), pool: join(folder, "small-kept/pool") };
  const first = await takeFingerprint(repo, []);
  await saveOrigin(place, repo, first);
  const origin = openOrigin(place, first.hash);
  writeFileSync(join(repo, "done.txt"), "");
  writeFileSync(join(repo, "test.txt"), "");
  const fingerprint = await takeFingerprint(repo, []);
  const common = {
    env: { PATH: process.env.PATH },
    redactor: createRedactor({}),
    mark: createMark(join(folder, "work")),
  };
  const logs = join(folder, "logs");
  mkdirSync(logs);
  const alone = await timed(`a check of ${checkSeconds} s alone`, async () => {
    const began = performance.now();
    const abort = new AbortController().signal;
    const more = {
      repo,
      logFolder: logs,
      logRelative: "logs",
      validators: [check],
      scenarios: [],
      before: null,
      abort,
    };
    const { results } = await runChecks({ ...common, ...more });
    return { ms: performance.now() - began, results };
  });
  const ground = {
    ...common,
    ...{ repo, top: repo, origin, listed: fingerprint.entries, nested: [], settings: [], pins: null },
    ...{ sandbox: null, unseparated: "not measured", isSeen: () => true },
    ...{ checks: { validators: [check], scenarios: [] }, rules: { carry: [], prepare: [] } },
    ...{
      blobs: join(folder, "blobs"),
      history: null,
      copies: join(folder, "copies"),
      temporary: join(folder, "work"),
      signal: new AbortController().signal,
    },
    home: { path: folder, seen: "own" },
  };
  for (const [what, changedChecks, most] of [
    ["no check changed", [], 4],
    ["a check changed", ["test.txt"], 5],
  ]) {
    const began = performance.now();
    await judgeMatrix({
      ...{ ground, fingerprint, changedChecks, testsMayChange: [], heldOut: [], noClean: null, noWithout: null },
      ...{ now: contentsOf(fingerprint.entries, "repo", ground), before: contentsOf(origin.entries, "origin", ground) },
      ...{ looseChecks: [], undelivered: [], sharedData: [], earlier: null },
      ...{
        run: passedRun(fingerprint.hash, alone.results),
        pass: 1,
        failedOn: new Map(),
        parallel: "auto",
        inTurn: false,
      },
      ...{ noWrong: "not measured", wrongRules: { max: 8, time: 2 } },
      ...{ logFolder: join(folder, "cells"), logRelative: "cells", tell: () => {} },
    });
    // The run in the repo belongs to the matrix too: it is the cell called proof.
    const ratio = (performance.now() - began + alone.ms) / alone.ms;
    console.log(`matrix if ${what}: ${ratio.toFixed(2)} times the checks' own time; at most ${most}`);
  }
}

/** The run of the checks in the repo that the proof is about. */
function passedRun(hash, results) {
  return { fingerprint_before: hash, fingerprint_after: hash, attempts: 1, moved: [], contract: "", results };
}

function makeRepo(name, count) {
  const repo = join(folder, name);
  const text = "export const value = 1;\n".repeat(60);
  for (let index = 0; index < count; index += 1) {
    const at = join(repo, "src", `part-${index % 200}`);
    if (index < 200) mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `file-${index}.js`), `// ${index}\n${text}`);
  }
  writeFileSync(join(repo, ".gitignore"), "node_modules/\n");
  execFileSync("git", ["init", "--quiet", repo]);
  execFileSync("git", ["-C", repo, "add", "--all"]);
  return repo;
}

async function timed(what, act) {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const value = await act();
  const { user, system } = process.cpuUsage(before);
  const wall = (performance.now() - began) / 1000;
  // On a machine that does other things too, the second figure says more.
  console.log(`${what}: ${wall.toFixed(2)} s, ${((user + system) / 1e6).toFixed(2)} s of it at work`);
  return value;
}
