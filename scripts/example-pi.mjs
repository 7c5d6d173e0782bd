// A whole task from intake to done by a real agent CLI, pi or another: npm run example:pi [-- claude]
//
// The CLI is installed from the npm registry into .models/ of the checkout. It talks to a scripted server on this
// machine, which answers as a provider would, with calls of the CLI's own tools; no provider is called and no key is
// needed. The task, its repo and the CLI's home are scratch folders outside the checkout.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { writeCliSettings } from "../dist/test/models-real/cli-settings.js";
import { demoTask } from "../dist/test/scripted-server/demo-task.js";
import { installCli } from "./install-cli.mjs";
import { modelClis } from "./model-clis.mjs";
import { checkout, makeEnvironment, makeScratch, run, runUntilDone } from "./pass-after-pass.mjs";

const print = (line) => console.log(line);
const [name = "pi"] = process.argv.slice(2);

if (!Object.hasOwn(modelClis, name)) {
  console.error(`no such CLI: ${name}; there are ${Object.keys(modelClis).join(", ")}`);
  process.exitCode = 64;
} else {
  const cli = installCli(name, print);
  if (cli.problem !== undefined) console.error(`${name}: not run: ${cli.problem}`);
  process.exitCode = cli.problem === undefined && (await playTask(cli)) ? 0 : 1;
}

async function playTask({ version, path }) {
  // Not below the folder for temporary files, where codex starts no sandboxed command.
  const scratch = makeScratch(`example-${name}`, existsSync("/var/tmp") ? "/var/tmp" : undefined);
  const env = makeEnvironment(scratch);
  env.TMPDIR = join(scratch, "tmp");
  mkdirSync(env.TMPDIR);
  env.PATH = [...path, dirname(process.execPath), env.PATH].join(delimiter);
  const repo = join(scratch, "repo");
  makeRepo(repo, env);

  const { server, url } = await startServer();
  try {
    const settings = writeCliSettings[name]({ home: env.HOME, url });
    const taskDir = makeTask(scratch, repo, env, settings);
    print(`made a repo and a task in ${scratch}`);
    print(`the agent is ${name} ${version}; the model behind it is a script at ${url}; the validator is run for real`);
    return runUntilDone(taskDir, { ...env, ...settings.env }, { maxPasses: 10, print });
  } finally {
    server.kill();
  }
}

function makeRepo(repo, env) {
  for (const [file, text] of Object.entries(demoTask.repo)) {
    mkdirSync(dirname(join(repo, file)), { recursive: true });
    writeFileSync(join(repo, file), text);
  }
  run(["git", "-c", "init.defaultBranch=main", "init", "--quiet"], repo, env);
  run(["git", "add", "--all"], repo, env);
  run(["git", "commit", "--quiet", "--message", "The repo before the task"], repo, env);
}

function makeTask(scratch, repo, env, settings) {
  const root = join(scratch, "tasks");
  const taskDir = join(root, "T-001-slug");
  mkdirSync(root);
  const model = { name, adapter: name, args: settings.args, env: Object.keys(settings.env) };
  writeFileSync(join(root, "task-phase.yaml"), `models:\n  - ${JSON.stringify(model)}\n`);
  const init = [process.execPath, join(checkout, "bin", "task-phase-init"), "--task-dir", taskDir, "--id", "T-001"];
  const words = ["--title", demoTask.title, "--repo", repo, "--validator", `tests=${demoTask.validator}`, "--quiet"];
  run([...init, ...words], root, env);
  appendFileSync(join(taskDir, "README.md"), `\n${demoTask.wish}\n`);
  return taskDir;
}

/** In a process of its own, since the passes are waited for here. */
async function startServer() {
  const main = join(checkout, "dist", "test", "scripted-server", "main.js");
  const server = spawn(process.execPath, [main, "task"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface({ input: server.stdout })) return { server, url };
  throw new Error("the scripted server did not start");
}
