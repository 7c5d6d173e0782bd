import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { journalPath, pass, phase, repo, taskDir, workHonestly } from "./honest.mjs";

/**
 * An agent that tries to write where it must not, says what each try came to, and then does its work honestly.
 *
 * AGENT_WORLD   the folder that holds the runner's state folder
 * AGENT_RUNNER  the number of the runner's process
 */
const world = process.env.AGENT_WORLD ?? "/nowhere";

const tries = {
  brief: () => appendFileSync(join(taskDir, "README.md"), "x"),
  settings: () => appendFileSync(join(taskDir, "../task-phase.yaml"), "x"),
  ".task-phase": () => writeFileSync(join(taskDir, "../.task-phase/cooldowns.json"), "{}"),
  journal: () => appendFileSync(journalPath, "{}\n"),
  "journal, put aside": () => renameSync(journalPath, `${journalPath}.old`),
  "journal, removed": () => rmSync(journalPath),
  "artifacts, put aside": () => renameSync(join(taskDir, "artifacts"), join(taskDir, "old")),
  "task folder, put aside": () => renameSync(taskDir, `${taskDir}-old`),
  "earlier pass": () => writeFileSync(join(taskDir, "artifacts/passes/0001/pass.json"), "{}"),
  "this pass": () => writeFileSync(join(taskDir, `artifacts/passes/000${pass}/prompt.md`), "x"),
  // From the second pass on: what does not exist yet could be made, and is found out afterwards.
  evidence: () => writeFileSync(join(taskDir, "artifacts/evidence.html"), "x", { flag: "r+" }),
  ledger: () => writeFileSync(join(taskDir, "log.txt"), "x", { flag: "r+" }),
  "protected file": () => writeFileSync(join(repo, "test/acceptance/answer.test.mjs"), ""),
  "protected folder, added to": () => writeFileSync(join(repo, "test/acceptance/more.mjs"), ""),
  "folder above it, put aside": () => renameSync(join(repo, "test"), join(repo, "old")),
  "protected file that git ignores": () => appendFileSync(join(repo, "local/settings.txt"), "x"),
  ".git, put aside": () => renameSync(join(repo, ".git"), join(repo, "git")),
  "other task": () => appendFileSync(join(taskDir, "../T-2/STATE.md"), "x"),
  home: () => writeFileSync(join(process.env.HOME, ".profile"), "x"),
  system: () => writeFileSync("/etc/task-phase-test", "x"),
  anchor: () => writeFileSync(join(world, "state/task-phase/tasks/x"), "x"),
  "anchor's contents": () => {
    if (readdirSync(join(world, "state/task-phase")).length === 0) throw Object.assign(new Error(), { code: "EMPTY" });
  },
  runner: () => process.kill(Number(process.env.AGENT_RUNNER), 0),
};

for (const [name, attempt] of Object.entries(tries)) {
  try {
    attempt();
    console.log(`${name}: done`);
  } catch (error) {
    console.log(`${name}: ${error.code}`);
  }
}

// It outlives the agent, wherever nothing stops that, and writes when everything is judged.
const late = `sleep 1; echo late > ${JSON.stringify(join(taskDir, "late.md"))}`;
spawn("setsid", ["env", "-i", process.execPath, "-e", `require("child_process").execSync(${JSON.stringify(late)})`], {
  detached: true,
  stdio: "ignore",
}).unref();
if (phase === "implement") {
  writeFileSync(join(repo, "committed.txt"), "committed\n");
  const identity = ["-c", "user.name=Agent", "-c", "user.email=agent@example.invalid"];
  spawnSync("git", ["add", "committed.txt"], { cwd: repo });
  spawnSync("git", [...identity, "commit", "--quiet", "--message=work"], { cwd: repo });
}
workHonestly();
