// Plays tasks.example from intake to done, in a copy outside the checkout. No agent and no network is called.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { checkout, makeEnvironment, makeScratch, run, runUntilDone } from "./pass-after-pass.mjs";

const print = (line) => console.log(line);

const scratch = makeScratch("example");
const env = makeEnvironment(scratch);
const copy = join(scratch, "example");
cpSync(join(checkout, "tasks.example"), copy, { recursive: true });
run(["git", "-c", "init.defaultBranch=main", "init", "--quiet"], copy, env);
run(["git", "add", "--all"], copy, env);
run(["git", "commit", "--quiet", "--message", "The repo before the task"], copy, env);

print(`copied tasks.example to ${copy}`);
print("the model is a rehearsal: it plays recordings, one a pass; the validators are run for real");
const done = runUntilDone(join(copy, "tasks", "T-001-stream-csv"), env, { maxPasses: 10, print });
process.exitCode = done ? 0 : 1;
