import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execaSync } from "execa";
import { command } from "./checkout.mjs";

const sed = (name) => fileURLToPath(new URL(`${name}.sed`, import.meta.url));

/**
 * A folder with a home of its own, a repo of `files` files, and a tasks root with the task T-1 as `init` leaves it.
 * The root is beside the repo, or in it if `tasksInRepo`; without `proof` its brief turns the proof off. Its
 * models: `walk` proposes the next phase, `stay` the same, `loud` prints 300 MB before it walks, `looks` writes the size
 * of the runner's current.json to the file `looked`. The check is `true`.
 */
export function makeWorld(folder, { files = 5, tasksInRepo = false, proof = true } = {}) {
  const repo = join(folder, "repo");
  const tasksRoot = join(tasksInRepo ? repo : folder, "tasks");
  const taskDir = join(tasksRoot, "T-1-bench");
  const world = { folder, repo, tasksRoot, taskDir, env: makeEnvironment(folder) };
  mkdirSync(join(folder, "home"), { recursive: true });
  fillRepo(world, files);
  mkdirSync(tasksRoot, { recursive: true });
  writeFileSync(join(tasksRoot, "task-phase.yaml"), modelsFile(world));
  const task = ["--task-dir", taskDir, "--title", "Bench", "--repo", repo];
  callCommand(world, ["init", ...task, "--validator", "tests=true", "--brief", "-"], "Make every file right.\n");
  addKeys(join(taskDir, "README.md"), [
    "budget: { passes: 100000, repairs: 5 }",
    ...(proof ? [] : ["proof: { without: off, clean: off }"]),
  ]);
  mkdirSync(join(taskDir, "artifacts"), { recursive: true });
  writeFileSync(join(taskDir, "artifacts", "report.md"), "# Report\n\nEvery file is right.\n");
  return world;
}

/** Passes until the task has reached the phase. */
export function walkTo(world, phase) {
  for (let passes = 0; phaseOf(world) !== phase; passes += 1) {
    if (passes === 10) throw new Error(`the task does not get to ${phase}: it is in ${phaseOf(world)}`);
    pass(world);
  }
}

/** One pass of the model. */
export function pass(world, model = "walk") {
  callCommand(world, ["run", "--model", model, world.taskDir]);
}

export function phaseOf({ taskDir }) {
  return /^- Phase: (\w+)$/m.exec(readFileSync(join(taskDir, "STATE.md"), "utf8"))?.[1];
}

/** Calls task-phase and returns its standard output; throws with what it said if its exit code is not 0. */
export function callCommand({ folder, env }, words, input = "") {
  return execaSync(command, words, { cwd: folder, env, extendEnv: false, input, stripFinalNewline: false }).stdout;
}

/** The words of an agent that edits STATE.md by one of the sed scripts of this folder: one process and no shell. */
export function agentArgv(taskDir, name = "walk") {
  return ["sed", "-i", "-f", sed(name), join(taskDir, "STATE.md")];
}

/**
 * Nothing of the person's own settings. NODE_EXTRA_CA_CERTS, which doubles the start of Node 20, and NODE_OPTIONS are
 * not in it.
 */
function makeEnvironment(folder) {
  const home = join(folder, "home");
  return {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    TZ: "UTC",
    HOME: home,
    TASK_PHASE_TRUST: "1",
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "bench",
    GIT_AUTHOR_EMAIL: "bench@example.invalid",
    GIT_COMMITTER_NAME: "bench",
    GIT_COMMITTER_EMAIL: "bench@example.invalid",
  };
}

function fillRepo({ repo, env }, count) {
  const text = "export const value = 1;\n".repeat(60);
  for (let index = 0; index < count; index += 1) {
    const file = join(repo, "src", `part-${index % 200}`, `file-${index}.js`);
    if (index < 200) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `// ${index}\n${text}`);
  }
  for (const words of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    ["commit", "--quiet", "--message=start"],
  ]) {
    execaSync("git", words, { cwd: repo, env, extendEnv: false });
  }
}

function modelsFile({ folder, taskDir, env }) {
  const walk = agentArgv(taskDir);
  const first = (what) => ["sh", "-c", `${what}; exec ${walk.join(" ")}`];
  const models = {
    walk,
    stay: agentArgv(taskDir, "stay"),
    loud: first("yes 0123456789 | head -c 300000000"),
    looks: first(`find ${env.XDG_STATE_HOME} -name current.json -printf '%s\\n' > ${join(folder, "looked")}`),
  };
  const lines = Object.entries(models).map(
    ([name, words]) => `  - { name: ${name}, adapter: command, command: ${JSON.stringify(words)} }\n`,
  );
  // A pass is measured in every phase.
  return `models:\n${lines.join("")}defaults: { advance: never }\n`;
}

function addKeys(readme, lines) {
  const text = readFileSync(readme, "utf8");
  writeFileSync(readme, text.replace("---\n", `---\n${lines.join("\n")}\n`));
}
