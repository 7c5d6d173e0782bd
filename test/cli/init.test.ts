import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { adapters } from "../../lib/agents/adapters/adapters.ts";
import { commandTable } from "../../lib/cli/command-table.ts";
import { readBrief } from "../../lib/documents/brief.ts";
import { type CliName, cliNames } from "../../lib/documents/config/adapter-names.ts";
import { loadConfig } from "../../lib/documents/config/load-config.ts";
import { readState } from "../../lib/documents/state.ts";
import { writePrograms } from "../agents/programs.ts";
import { makeWorld, type World } from "./arrange.ts";

const taskFiles = ["EVIDENCE.md", "README.md", "STATE.md", "artifacts", "last_error.txt", "log.txt", "progress.txt"];

test("a task folder is made whole, from its name alone", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  // Whatever agent CLIs this machine has: node alone is on this PATH.
  const env = { PATH: nodeAlone(world) };
  const end = await world.run("task-phase-init", ["--task-dir", "repo/tasks/T-7-stream-csv"], { env });
  const taskDir = world.path("repo/tasks/T-7-stream-csv");
  assert.deepEqual([end.code, end.stdout], [0, `${taskDir}\n`]);
  assert.deepEqual(end.stderr.split("\n"), [
    `${taskDir}/README.md: warning: the contract has no required validator, so nothing could show that the work is done [TP_NO_CHECK]`,
    "  fix: name the command that tests the repo in the front matter, for example: `validators: [{ name: tests, command: [npm, test] }]`",
    "made repo/tasks/T-7-stream-csv",
    "made repo/tasks/task-phase.yaml without a model: no agent CLI is on PATH",
    "repo/tasks/.gitattributes and repo/tasks/.gitignore: pull requests fold the runner's files",
    "tests: none found (looked from here to the top of the repo for package.json, pyproject.toml, go.mod, Cargo.toml, Gradle, Maven, deno.json, mise.toml, a justfile or a Makefile)",
    "next: say in repo/tasks/T-7-stream-csv/README.md what T-7 is about and which command checks it, and name a model in repo/tasks/task-phase.yaml; then: task-phase run repo/tasks/T-7-stream-csv",
    "",
  ]);
  assert.deepEqual(readdirSync(taskDir).sort(), taskFiles);
  assert.deepEqual(readdirSync(path.dirname(taskDir)).sort(), [
    ".gitattributes",
    ".gitignore",
    ".task-phase",
    "T-7-stream-csv",
    "task-phase.yaml",
  ]);
  const contract = contractOf(world, "repo/tasks/T-7-stream-csv");
  assert.deepEqual([contract.id, contract.title, contract.repo], ["T-7", "Stream csv", null]);
  assert.equal(world.read("repo/tasks/T-7-stream-csv/README.md").split("\n")[0], "---");
});

test("the brief holds the values of the flags", async (t) => {
  const world = makeWorld(t);
  world.initRepo({}, "app");
  for (const id of ["T-1", "T-2"]) await world.call("task-phase", ["init", "--task-dir", `tasks/${id}`]);
  const end = await world.run(
    "task-phase",
    [
      ...["init", "--task-dir", "tasks/x", "--id=T-9", "--title", "A: title # with 'marks'", "--repo", "app"],
      ...[
        "--priority=-5",
        "--depends-on",
        "T-1",
        "--depends-on=T-2",
        "--depends-on=T-1",
        "--user-facing",
        "--with-tasks",
      ],
      ...["--validator", "tests=node --test", "--validator", "lint=node -e 'process.exit(0)'", "--json"],
    ],
    { env: { PATH: nodeAlone(world) } },
  );
  assert.equal(end.code, 0);
  assert.deepEqual(end.json(), {
    command: "init",
    exit_code: 0,
    exit_name: "ok",
    findings: [],
    task: "T-9",
    task_dir: world.path("tasks/x"),
    made: ["README.md", "EVIDENCE.md", "TASKS.md", "log.txt", "progress.txt", "last_error.txt", "STATE.md"],
    kept: [],
    config: { path: world.path("tasks/task-phase.yaml"), made: false, models: [] },
    checks: [],
    next: "next: say in tasks/x/README.md what T-9 is about, and name a model in tasks/task-phase.yaml; then: task-phase run T-1, since T-9 waits for it",
  });
  const contract = contractOf(world, "tasks/x");
  assert.deepEqual(
    [contract.id, contract.title, contract.repo, contract.priority, contract.dependsOn, contract.userFacing],
    ["T-9", "A: title # with 'marks'", "../../app", -5, ["T-1", "T-2"], true],
  );
  assert.deepEqual(
    contract.validators.map(({ name, command }) => [name, command]),
    [
      ["tests", ["node", "--test"]],
      ["lint", ["node", "-e", "process.exit(0)"]],
    ],
  );
  assert.match(world.read("tasks/x/STATE.md"), /\n## Visible features\n/);
});

test("a file that is there is never changed, and each is reported", async (t) => {
  const world = makeWorld(t);
  await world.call("task-phase-init", ["--task-dir", "tasks/T-1"]);
  const readme = world.read("tasks/T-1/README.md").replace("title: T-1", "title: Mine");
  world.write("tasks/T-1/README.md", readme);
  world.write("tasks/task-phase.yaml", "models: [] # mine\n");
  const end = await world.call("task-phase-init", [
    "--task-dir",
    "tasks/T-1",
    "--title",
    "Other",
    "--with-tasks",
    "--json",
  ]);
  const { made, kept, findings, config } = end.json() as {
    made: string[];
    kept: string[];
    findings: { code: string }[];
    config: unknown;
  };
  assert.equal(end.code, 0);
  assert.deepEqual(made, ["TASKS.md"]);
  assert.deepEqual(kept, ["README.md", "EVIDENCE.md", "log.txt", "progress.txt", "last_error.txt", "STATE.md"]);
  assert.deepEqual(
    findings.map((one) => one.code),
    ["TP_INIT_FLAGS_NOT_USED", "TP_NO_CHECK"],
  );
  assert.deepEqual(config, { path: world.path("tasks/task-phase.yaml"), made: false, models: [] });
  assert.equal(world.read("tasks/T-1/README.md"), readme);
  assert.equal(world.read("tasks/task-phase.yaml"), "models: [] # mine\n");
});

const refused: readonly (readonly [string, readonly string[], string])[] = [
  ["an id with a slash", ["--id", "a/b"], "TP_INIT_BAD_ID"],
  ["a task that depends on itself", ["--depends-on", "T-1"], "TP_INIT_OWN_DEPENDENCY"],
  ["a validator without a name", ["--validator", "npm test"], "TP_INIT_BAD_VALIDATOR"],
  ["a dependency that is no task", ["--depends-on", "T-0"], "TP_INIT_DEPENDENCY"],
  ["a validator whose program is not there", ["--validator", "tests=no-such-program"], "TP_CHECK_MISSING"],
  ["a brief that does not exist", ["--brief", "nowhere.md"], "TP_INIT_BRIEF"],
  ["an editor without a terminal", ["--edit"], "TP_INIT_EDIT"],
  ["a repo that does not exist", ["--repo", "nowhere"], "TP_INIT_NO_REPO"],
  ["a repo below a file", ["--repo", "file/below"], "TP_INIT_NO_REPO"],
];

test("a validator that cannot start comes back as it has to be written", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const bin = writePrograms(world.path("bin"), { npm: "", node: "" });
  const init = (line: string) =>
    world.call("task-phase", ["init", "One", "--validator", line, "--json"], { cwd: "repo", env: { PATH: bin } });
  for (const [line, fix] of [
    ["tests=CI=1 npm test", "write --validator 'tests=env CI=1 npm test'"],
    ["tests=nmp test", "did you mean npm? Else install it, or write another command; it is looked for on PATH"],
    ["tests=npm test '&&' npm x", "write --validator \"tests=sh -c 'npm test && npm x'\""],
    ["tests=node 'test/*.js'", "write --validator \"tests=sh -c 'node test/*.js'\""],
    ["tests=node '$A'", "write --validator 'tests=sh -c '\\''node $A'\\'''"],
  ] as const) {
    const end = await init(line);
    const [finding] = end.json().findings as { message: string; fix: string }[];
    assert.deepEqual([end.code, finding?.fix], [64, fix], line);
    assert.match(finding?.message ?? "", /^--validator: the command of tests /);
  }
  const [glob] = (await init("tests=node test/*.js")).json().findings as { message: string }[];
  assert.match(
    glob?.message ?? "",
    /column 11: `\*` means something to a shell, and no shell is used: name the files, or quote it/,
  );
  assert.deepEqual(readdirSync(world.path("repo")), [".git"]);
});

for (const [title, args, code] of refused) {
  test(`${title} writes nothing`, async (t) => {
    const world = makeWorld(t);
    world.write("file", "");
    const end = await world.call("task-phase-init", ["--task-dir", "tasks/T-1", ...args, "--json"]);
    assert.equal(end.code, args[0] === "--brief" ? 65 : 64);
    assert.deepEqual(
      (end.json().findings as { code: string }[]).map((one) => one.code),
      [code],
    );
    assert.deepEqual(readdirSync(world.folder).sort(), ["file", "home"]);
  });
}

test("a file in place of the folder, and the root, are refused", async (t) => {
  const world = makeWorld(t);
  world.write("file", "mine");
  for (const [taskDir, message] of [
    ["file/T-1", "there is a file here"],
    ["/", "cannot be the root of the file system"],
  ] as const) {
    const end = await world.call("task-phase-init", ["--task-dir", taskDir, "--id=T-1"]);
    assert.equal(end.code, 64, taskDir);
    assert(end.stderr.includes(message), end.stderr);
  }
  assert.equal(world.read("file"), "mine");
});

test("a link in place of a task file is refused before anything is written", async (t) => {
  const world = makeWorld(t);
  world.write("elsewhere", "secret");
  mkdirSync(world.path("tasks/T-1"), { recursive: true });
  symlinkSync(world.path("elsewhere"), world.path("tasks/T-1/STATE.md"));
  const end = await world.call("task-phase-init", ["--task-dir", "tasks/T-1"]);
  assert.equal(end.code, 65);
  assert.match(end.stderr, /\[TP_INIT_ODD_FILE\]/);
  assert.deepEqual(
    [readdirSync(world.path("tasks/T-1")), world.exists("tasks/task-phase.yaml")],
    [["STATE.md"], false],
  );
});

test("task-phase.yaml is made only where none is found", async (t) => {
  const world = makeWorld(t);
  world.write("task-phase.yaml", "models: []\n");
  assert.equal((await world.call("task-phase-init", ["--task-dir", "tasks/T-1"])).code, 0);
  assert.equal(world.exists("tasks/task-phase.yaml"), false);

  world.write("other/mine.yaml", "models: []\n");
  const env = { TASK_PHASE_CONFIG: world.path("other/mine.yaml") };
  const end = await world.call("task-phase-init", ["--task-dir", "other/T-1", "--json"], { env });
  assert.deepEqual(end.json().config, { path: world.path("other/mine.yaml"), made: false, models: [] });
});

test("a new task-phase.yaml has the agent CLIs on PATH, and names their variables that are set", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const touch = `touch ${world.path("started")}`;
  const bin = writePrograms(world.path("bin"), { gemini: touch, claude: touch });
  const env = { PATH: bin, ANTHROPIC_API_KEY: "never-written", GEMINI_API_KEY: "" };
  const end = await world.call("task-phase", ["init", "--task-dir", "repo/tasks/T-1"], { env });
  assert.equal(end.code, 0);
  assert.deepEqual(end.stderr.split("\n").slice(-5), [
    "made repo/tasks/task-phase.yaml with the agent CLIs on PATH: claude, gemini (task-phase probe checks whether they answer)",
    "repo/tasks/.gitattributes and repo/tasks/.gitignore: pull requests fold the runner's files",
    "tests: none found (looked from here to the top of the repo for package.json, pyproject.toml, go.mod, Cargo.toml, Gradle, Maven, deno.json, mise.toml, a justfile or a Makefile)",
    "next: say in repo/tasks/T-1/README.md what T-1 is about and which command checks it; then: task-phase run repo/tasks/T-1",
    "",
  ]);
  const models = modelsOf(world, "repo/tasks/T-1");
  assert.deepEqual(
    models.map(({ name, adapter, env: names }) => [name, adapter, names]),
    [
      ["claude", "claude", ["ANTHROPIC_API_KEY"]],
      ["gemini", "gemini", []],
    ],
  );
  assert.doesNotMatch(world.read("repo/tasks/task-phase.yaml"), /never-written/);
  assert.equal(world.exists("started"), false);

  const other = await world.call("task-phase", ["init", "--task-dir", "other/T-2", "--json"], { env });
  assert.deepEqual(other.json().config, {
    path: world.path("other/task-phase.yaml"),
    made: true,
    models: ["claude", "gemini"],
  });
});

test("a new task-phase.yaml loads with any programs on PATH and any variables, and so does each key that it shows", async (t) => {
  const world = makeWorld(t);
  const sets = [[], ["pi"], ["codex", "opencode"], [...cliNames]];
  for (const [index, names] of sets.entries()) {
    const bin = writePrograms(world.path(`bin-${index}`), Object.fromEntries(names.map((name) => [name, ""])));
    const known = index === 2 ? [] : names.flatMap((name) => adapters[name as CliName].knownEnv);
    const env = { PATH: bin, ...Object.fromEntries(known.map((name) => [name, "x"])) };
    await world.call("task-phase", ["init", "--task-dir", `tasks-${index}/T-1`, "--quiet"], { env });
    const models = modelsOf(world, `tasks-${index}/T-1`);
    assert.deepEqual(
      models.map((model) => model.name),
      cliNames.filter((name) => names.includes(name)),
    );
    const file = `tasks-${index}/task-phase.yaml`;
    const live = world
      .read(file)
      .replace("models: []", "models:")
      .replace(/^# (?= {2}- name| {4}\w+:| {2}\w+:|\w+:(?: |$))/gm, "");
    world.write(file, live);
    assert.equal(modelsOf(world, `tasks-${index}/T-1`).length, names.length + 3);
  }
});

test("a task-phase.yaml that was named must be there", async (t) => {
  const world = makeWorld(t);
  const end = await world.call("task-phase-init", ["--task-dir", "T-1", "--config", "nowhere.yaml"]);
  assert.equal(end.code, 78);
  assert.match(end.stderr, /nowhere\.yaml: error: --config names a file that does not exist \[TP_CONFIG_FILE\]/);
  const env = { TASK_PHASE_CONFIG: "nowhere.yaml" };
  assert.equal((await world.call("task-phase-init", ["--task-dir", "T-1"], { env })).code, 78);
  assert.equal(world.exists("T-1"), false);
});

test("two inits of one folder at once give one whole folder, each file made once", async (t) => {
  const world = makeWorld(t);
  const ends = await Promise.all(
    ["A", "B", "C"].map((title) =>
      world.run("task-phase-init", ["--task-dir", "tasks/T-1", "--title", title, "--json"]),
    ),
  );
  assert.deepEqual(
    ends.map((end) => end.code),
    [0, 0, 0],
  );
  const made = ends.flatMap((end) => end.json().made as string[]);
  assert.deepEqual(made.sort(), ["EVIDENCE.md", "README.md", "STATE.md", "last_error.txt", "log.txt", "progress.txt"]);
  assert.deepEqual(readdirSync(world.path("tasks/T-1")).sort(), taskFiles);
  assert.match(contractOf(world, "tasks/T-1").title, /^[ABC]$/);
});

test("outside git and without --repo it says what a run will need", async (t) => {
  const end = await makeWorld(t).run("task-phase-init", ["--task-dir", "T-1"]);
  assert.equal(end.code, 0);
  assert.match(end.stderr, /info: the task folder is in no git repo, and no --repo was given \[TP_INIT_NO_GIT\]/);
});

test("outside git the folder with the tasks is the repo, if it names a test command", async (t) => {
  const world = makeWorld(t);
  world.write("app/package.json", JSON.stringify({ scripts: { test: "node --test" } }));
  const end = await world.call("task-phase", ["init", "Round half up"], { cwd: "app" });
  assert.match(
    end.stderr,
    /in no git repo, and the brief names the folder around its tasks, .*\/app \[TP_INIT_NO_GIT\]/,
  );
  assert.match(end.stderr, /^tests: npm test \(package\.json has a test script\)$/m);
  assert.match(world.read("app/tasks/T-1-round-half-up/README.md"), /^repo: "\.\.\/\.\."/m);
});

function modelsOf(world: World, taskDir: string) {
  return loadConfig({ configFlag: null, env: {}, home: world.path("home"), taskDir: world.path(taskDir) }).models;
}

/** A folder for PATH that leads to node, which starts the program, and to nothing else. */
function nodeAlone(world: World): string {
  mkdirSync(world.path("node-alone"));
  symlinkSync(process.execPath, world.path("node-alone/node"));
  return world.path("node-alone");
}

function contractOf(world: World, taskDir: string) {
  const brief = readBrief(readFileSync(world.path(taskDir, "README.md")), "README.md");
  const state = readState(readFileSync(world.path(taskDir, "STATE.md")), "STATE.md");
  assert.equal(state.kind, "state");
  assert(brief.kind === "brief", JSON.stringify(brief));
  return brief.contract;
}

describe("init --skill", () => {
  const skill = ".claude/skills/task-phase/SKILL.md";

  test("makes the skill at the top of the repo, once, and no task", async (t) => {
    const world = makeWorld(t);
    world.initRepo({ "src/a.js": "a\n" });
    const first = await world.call("task-phase-init", ["--skill"], { cwd: "repo/src" });
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /^made .*SKILL\.md\n.*Codex reads \.agents\/skills/m);
    const text = world.read(`repo/${skill}`);
    assert.match(text, /^---\nname: task-phase\ndescription: [^\n]{40,1024}\n---\n/);
    assert.equal(world.exists("repo/tasks"), false);
    assert.equal(world.exists("repo/src/task-phase.yaml"), false);

    world.write(`repo/${skill}`, "mine\n");
    const second = await world.call("task-phase-init", ["--skill", "--json"], { cwd: "repo" });
    assert.deepEqual([second.code, second.json().made, second.json().kept], [0, [], [skill]]);
    assert.equal(world.read(`repo/${skill}`), "mine\n");
  });

  test("each command that the skill names is there", async (t) => {
    const world = makeWorld(t);
    mkdirSync(world.path("plain"));
    const end = await world.call("task-phase-init", ["--skill"], { cwd: "plain" });
    assert.equal(end.code, 0, end.stderr);
    const text = world.read(`plain/${skill}`);
    const named = new Set([...text.matchAll(/`task-phase (\w+)/g)].map(([, name]) => name));
    assert(named.size >= 6);
    for (const { name } of commandTable) named.delete(name);
    assert.deepEqual([...named], []);
  });

  test("takes nothing beside it, and writes through no link", async (t) => {
    const world = makeWorld(t);
    const other = await world.call("task-phase-init", ["--skill", "--task-dir", "tasks/T-1"]);
    assert.deepEqual([other.code, world.exists("tasks")], [64, false]);
    world.initRepo({});
    mkdirSync(world.path(`repo/${skill}`), { recursive: true });
    assert.equal((await world.call("task-phase-init", ["--skill"], { cwd: "repo" })).code, 65);
  });
});

test("an id that cannot be a branch is warned of, with what an id may contain", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const warned = async (id: string) => {
    const words = ["init", "--json", "--task-dir", `repo/tasks/${id.length}`, "--id", id, "--validator", "tests=true"];
    const end = await world.call("task-phase", words);
    const findings = end.json().findings as { code: string; severity: string; message: string; fix: string }[];
    return [end.code, ...findings.filter(({ code }) => code === "TP_TASK_REF")];
  };
  assert.deepEqual(await warned("T-1"), [0]);
  const [code, finding] = (await warned("bad id")) as [number, { severity: string; message: string; fix: string }];
  assert.deepEqual([code, finding.severity], [0, "warning"]);
  assert.match(finding.message, /^the id bad id cannot be a branch \(task-phase\/bad id\): it contains a space/);
  assert.match(finding.fix, /letters, digits, hyphens and underscores/);
});

test("the next step of init works: a missing check, a missing model and what the task waits for come first", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": '{ "scripts": { "test": "true" } }' }, "app");
  const init = async (title: string, ...flags: string[]) => {
    const input = "round(2.5) must be 3.";
    const end = await world.run("task-phase", ["init", title, "--json", ...flags], { cwd: "app", input });
    return end.json().next;
  };
  await init("One");
  const config = "app/tasks/task-phase.yaml";
  world.write(config, "models: []\n");
  const model = "next: name a model in tasks/task-phase.yaml; then: task-phase run";
  assert.equal(await init("Two", "--depends-on", "T-1"), `${model} T-1, since T-2 waits for it`);
  world.write(config, "models: [{ name: a, adapter: command, command: ['true'] }]\n");
  assert.equal(await init("Three", "--depends-on", "T-2"), "next: task-phase run T-1, since T-3 waits for it");
  assert.equal(
    await init("Four", "--no-validator"),
    "next: say in tasks/T-4-four/README.md which command checks it; then: task-phase run T-4",
  );
});
