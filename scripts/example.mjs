// Plays tasks.example from intake to done, in a copy outside the checkout. No agent and no network is called.
import { join } from "node:path";
import { makeEnvironment, makeScratch } from "./pass-after-pass.mjs";
import { copyExample, playExample } from "./play-example.mjs";

const print = (line) => console.log(line);

const scratch = makeScratch("example");
const env = makeEnvironment(scratch);
const copy = join(scratch, "example");
const taskDir = copyExample(copy, env);

print(`copied tasks.example to ${copy}`);
print("the model is a rehearsal: it plays recordings, one a pass; the validators are run for real");
process.exitCode = playExample(taskDir, env, print) ? 0 : 1;
