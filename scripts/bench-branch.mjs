// What passes in clones cost (docs/parallel.md), each against passes in the working tree in the same minutes:
//
//   npm run bench:branch -- [--only jobs,small,large] [--n 3] [--nap 20] [--files 20000] [--megabytes 500]
//
// jobs   wall time of four tasks with `loop --jobs 4` against `--jobs 1`, with an agent that sleeps
// small  CPU time of a pass in a small repo with `workspace: branch` against `here` with `checkpoint: commit`
// large  what `workspace: branch` adds to the wall time of a pass in a large repo with large dependencies
//
// Needs npm run build.
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { command, requireBundle } from "./bench/checkout.mjs";
import { readTemplate, writeClones } from "./bench/clone-task.mjs";
import { fillDependencies } from "./bench/fill-dependencies.mjs";
import { runMetered } from "./bench/meter.mjs";
import { medianOf } from "./bench/series.mjs";
import { makeWorld } from "./bench/worlds.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "jobs,small,large" },
    n: { type: "string", default: "3" },
    nap: { type: "string", default: "20" },
    files: { type: "string", default: "20000" },
    megabytes: { type: "string", default: "500" },
  },
});
const [n, nap, files, megabytes] = [values.n, values.nap, values.files, values.megabytes].map(Number);
/** Of a task: intake, shape, implement, verify. */
const passes = 4;
const dependencies = 20_000;
const walkScript = fileURLToPath(new URL("bench/walk.sed", import.meta.url));
const rows = { jobs: measureJobs, small: measureSmall, large: measureLarge };

requireBundle();
const folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-branch-")));
try {
  for (const name of values.only.split(",")) rows[name](join(folder, name));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measureJobs(at) {
  const walls = Object.fromEntries(
    [1, 4].map((jobs) => {
      const world = makeTasks(join(at, String(jobs)), { workspace: "branch", tasks: 4 });
      const words = [
        "loop",
        "--tasks-root",
        world.tasksRoot,
        "--jobs",
        `${jobs}`,
        "--model",
        "naps",
        "--max-passes",
        "4",
      ];
      return [jobs, timed(world, words, [3]).wallMs];
    }),
  );
  tell(
    "jobs",
    `4 passes of ${nap} s: ${walls[1]} ms with --jobs 1, ${walls[4]} ms with --jobs 4`,
    walls[1] / walls[4],
    ">= 3",
  );
}

function measureSmall(at) {
  const { here, branch } = walkBoth(at, { files: 5 });
  const [ours, theirs] = [branch, here].map((runs) => medianOf(runs.map(({ cpuMs }) => cpuMs)));
  tell("small", `CPU of a pass: ${ours} ms in a clone, ${theirs} ms in the tree`, ours / theirs, "<= 1.5");
}

function measureLarge(at) {
  const { here, branch } = walkBoth(at, { files }, (world) =>
    fillDependencies(world.repo, { dependencies, megabytes }),
  );
  // The first pass of each fills what later ones read.
  const [ours, theirs] = [branch, here].map((runs) => medianOf(runs.slice(1).map(({ wallMs }) => wallMs)));
  tell(
    "large",
    `a pass: ${ours} ms in a clone, ${theirs} ms in the tree; seconds added`,
    (ours - theirs) / 1000,
    "<= 3",
  );
}

/** The same passes of the same tasks in two worlds, in turn. */
function walkBoth(at, options, prepare = () => undefined) {
  const worlds = Object.fromEntries(
    ["here", "branch"].map((workspace) => {
      const world = makeTasks(join(at, workspace), { workspace, tasks: n, ...options });
      prepare(world);
      return [workspace, world];
    }),
  );
  const taken = { here: [], branch: [] };
  for (let task = 1; task <= n; task += 1)
    for (let pass = 0; pass < passes; pass += 1)
      for (const [workspace, world] of Object.entries(worlds))
        taken[workspace].push(timed(world, ["run", "--model", "walk", join(world.tasksRoot, `T-${task}-bench`)]));
  return taken;
}

/** A repo with these tasks in its newest commit, where git ignores node_modules. */
function makeTasks(at, { workspace, tasks, files: count = 5 }) {
  const world = makeWorld(at, { files: count, tasksInRepo: true, proof: false });
  const walk = `exec sed -i -f '${walkScript}' "$TASK_PHASE_TASK_DIR/STATE.md"`;
  const models = Object.entries({ walk, naps: `sleep ${nap}; ${walk}` }).map(
    ([name, script]) => `  - { name: ${name}, adapter: command, command: ${JSON.stringify(["sh", "-c", script])} }\n`,
  );
  const keys = `workspace: ${workspace}\ncheckpoint: commit\ndefaults: { advance: never }\n`;
  writeFileSync(join(world.tasksRoot, "task-phase.yaml"), `${keys}models:\n${models.join("")}`);
  writeFileSync(join(world.repo, ".gitignore"), "node_modules/\n");
  writeClones(readTemplate(world.taskDir), world.tasksRoot, 2, tasks);
  for (const words of [
    ["add", "--all"],
    ["commit", "--quiet", "--message=tasks"],
  ])
    execFileSync("git", words, { cwd: world.repo, env: world.env });
  return world;
}

function timed({ repo, env }, words, codes = [0]) {
  const begin = performance.now();
  const { cpuMs } = runMetered([command, ...words], { cwd: repo, env, codes });
  return { cpuMs, wallMs: Math.round(performance.now() - begin) };
}

function tell(name, what, value, goal) {
  console.log(`${name.padEnd(6)} ${value.toFixed(2)} (goal ${goal})  ${what}`);
}
