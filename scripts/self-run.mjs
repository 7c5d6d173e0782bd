// The project run on itself: a scripted agent makes a small change in a clone of this repository, from intake to done,
// and the repository's own quick tests are the validator. No network is called.
import { appendFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, makeEnvironment, makeScratch, run, runUntilDone } from "./pass-after-pass.mjs";

const print = (line) => console.log(line);

const scratch = makeScratch("self-run");
const env = makeEnvironment(scratch);
const clone = join(scratch, "clone");
run(["git", "-c", "safe.directory=*", "clone", "--quiet", "--no-hardlinks", checkout, clone], scratch, env);
print(`cloned the committed state of this repository to ${clone}`);

// The dependencies are the checkout's own, by a link that git does not see: the pattern in .gitignore is for a folder.
if (!existsSync(join(checkout, "node_modules"))) throw new Error("no node_modules here; run npm ci first");
symlinkSync(join(checkout, "node_modules"), join(clone, "node_modules"));
appendFileSync(join(clone, ".git", "info", "exclude"), "/node_modules\n");
print("linked node_modules of this checkout into the clone");

const root = join(scratch, "tasks");
const taskDir = join(root, "T-001-phase-names");
mkdirSync(root);
const agent = [process.execPath, join(checkout, "scripts", "agents", "self-agent.mjs")];
writeFileSync(
  join(root, "task-phase.yaml"),
  `models:\n  - name: scripted\n    adapter: command\n    command: ${JSON.stringify(agent)}\n`,
);
const init = [process.execPath, join(checkout, "bin", "task-phase-init"), "--task-dir", taskDir, "--id", "T-001"];
const words = ["--title", "List the phase names", "--repo", clone, "--validator", "quick=npm run test:quick"];
run([...init, ...words, "--quiet"], root, env);
appendFileSync(
  join(taskDir, "README.md"),
  "\ndocs/phase-names.md lists the nine phases, and a test holds it to the table.\n",
);
print(`made the task ${taskDir}`);

const done = runUntilDone(taskDir, env, { maxPasses: 8, print });
if (!done) print("the task did not end in done");
process.exitCode = done ? 0 : 1;
