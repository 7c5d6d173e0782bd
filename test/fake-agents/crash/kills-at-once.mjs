// Leaves processes behind, edits what it must not, and kills the runner before it did any work.
// AGENT_HOW: what it does before: nothing, `journal` cuts the journal, `state` removes STATE.md, `forges` forges what
// the runner writes after a pass, `deletes` removes the task folder, `hook` adds a hook to git.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { journalPath, pass, setFields, statePath, taskDir } from "../honest.mjs";

const script = 'trap "" TERM HUP INT; while :; do sleep 1; done';
spawn("setsid", ["env", "-i", `PATH=${process.env.PATH}`, "sh", "-c", script, taskDir], { stdio: "ignore" }).unref();
spawn("sh", ["-c", script, taskDir], { stdio: "ignore", detached: true }).unref();
if (process.env.AGENT_HOW === "journal") truncateSync(journalPath, 10);
if (process.env.AGENT_HOW === "forges") {
  const folder = join(taskDir, "artifacts", "passes", String(pass).padStart(4, "0"));
  mkdirSync(join(folder, "validators"), { recursive: true });
  writeFileSync(join(folder, "validators", "tests.log"), "all passed\n");
  writeFileSync(join(folder, "pass.json"), "{}\n");
  writeFileSync(join(taskDir, "SUMMARY.md"), "# Done\n");
  setFields({ Phase: "done" });
}
if (process.env.AGENT_HOW === "state") rmSync(statePath);
if (process.env.AGENT_HOW === "deletes") rmSync(taskDir, { recursive: true });
if (process.env.AGENT_HOW === "hook") writeFileSync(join(".git", "hooks", "pre-push"), "#!/bin/sh\n");
process.kill(process.ppid, "SIGKILL");
