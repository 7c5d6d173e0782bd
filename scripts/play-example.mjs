import { cpSync } from "node:fs";
import { join } from "node:path";
import { checkout, run, runUntilDone } from "./pass-after-pass.mjs";

/** Copies tasks.example into a folder as the repo that it was before its task. Returns the task's folder. */
export function copyExample(folder, env) {
  cpSync(join(checkout, "tasks.example"), folder, { recursive: true });
  run(["git", "-c", "init.defaultBranch=main", "init", "--quiet"], folder, env);
  run(["git", "add", "--all"], folder, env);
  run(["git", "commit", "--quiet", "--message", "The repo before the task"], folder, env);
  run([process.execPath, join(checkout, "bin", "task-phase"), "trust", join(folder, "tasks"), "--quiet"], folder, env);
  return join(folder, "tasks", "T-001-stream-csv");
}

/** Plays it from intake to done; the model is a rehearsal, the validators are run for real. True if it is done. */
export function playExample(taskDir, env, print) {
  return runUntilDone(taskDir, env, { maxPasses: 10, print });
}
