// How long `check --history` takes on honest repositories: node scripts/bench-history.mjs, after npm run build.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkHistory } from "../dist/lib/history/check-history.js";
import { parseTaskJournal } from "../dist/lib/task/records/task-journal.js";
import { fillGitRepo, gitEnv } from "../dist/test/history/git-maker.js";
import { honestTask } from "../dist/test/history/honest-task.js";

const way = ["shape", "implement", "implement", "verify", "review", "done"];

/** Each pass of many tasks is a commit. */
function* manyTasks(commits) {
  for (let made = 0, number = 1; made < commits; number++) {
    const task = honestTask();
    for (const to of way) {
      if (made++ >= commits) return;
      yield { files: inFolder(`T-${number}`, task.pass(to)) };
    }
  }
}

/** Each pass of one task is a commit, so its journal grows to several megabytes. */
function* oneTask(commits) {
  const task = honestTask();
  task.pass("shape");
  yield { files: inFolder("T-1", task.pass("implement")) };
  for (let made = 1; made < commits; made++) {
    const all = Object.entries(task.pass("implement"));
    // All records are in the tree already but the newest.
    yield { files: inFolder("T-1", Object.fromEntries([...all.slice(0, 2), ...all.slice(-1)])) };
  }
}

/** Each commit is a line that a person adds below the fields; a state that no journal has. */
function* notes(commits) {
  const task = honestTask();
  task.pass("shape");
  const files = task.pass("implement");
  yield { files: inFolder("T-1", files) };
  let state = files["STATE.md"];
  for (let made = 1; made < commits; made++) {
    state += `- line ${made} of what was looked at and found in this step\n`;
    yield { files: inFolder("T-1", { "STATE.md": state }) };
  }
}

function inFolder(name, files) {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`tasks/${name}/${file}`, text]));
}

if (process.argv[2] === "--judge") {
  const from = process.hrtime.bigint();
  const all = { task: null, since: null, standing: [], env: gitEnv, parseJournal: parseTaskJournal };
  const report = await checkHistory({ ...all, tasksRoot: process.argv[3] });
  const seconds = (Number(process.hrtime.bigint() - from) / 1e9).toFixed(2);
  const cpu = (process.cpuUsage().user / 1e6).toFixed(2);
  const mb = Math.round(process.memoryUsage().rss / 1e6);
  console.log(
    `${report.commits} commits, ${report.events} events: ${seconds} s, ${cpu} s of CPU, ${mb} MB, ${report.findings.length} findings`,
  );
  process.exitCode = report.findings.length === 0 ? 0 : 1;
} else {
  for (const [name, make, commits] of [
    ["many tasks", manyTasks, 500],
    ["many tasks", manyTasks, 2000],
    ["one task", oneTask, 500],
    ["growing notes", notes, 500],
  ]) {
    const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-bench-")));
    try {
      fillGitRepo(folder, make(commits));
      mkdirSync(path.join(folder, "tasks"));
      // In a process of its own, so that what made the repository does not count.
      const argv = [fileURLToPath(import.meta.url), "--judge", path.join(folder, "tasks")];
      process.stdout.write(`${name}: ${execFileSync(process.execPath, argv, { encoding: "utf8" })}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
