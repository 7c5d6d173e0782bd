import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { makeTaskWorld, type Report, type TaskCase } from "../cli/task-world.ts";

type Files = Readonly<Record<string, string>>;

const check = (command: string, timeout = "20s") =>
  `validators: [{ name: tests, command: ${command}, timeout: ${timeout} }]`;

async function begin(t: TestContext, repo: Files, command: string, timeout?: string): Promise<TaskCase> {
  const world = makeTaskWorld(t);
  return await world.taskAt("one", "implement", { repo, contract: [check(command, timeout)] });
}

const tests = { "test/a.test.mjs": 'import "node:test";\n' };
const npm = (scripts: Files, more: object = {}) => ({
  "package.json": JSON.stringify({ name: "x", scripts, ...more }),
});

for (const [what, repo, command, said, timeout] of [
  ["a program that is not there", tests, '[sh, -c, "eslnt ."]', /eslnt: .*not found/],
  ["a program that may not be run", { ...tests, "run.sh": "exit 0\n" }, '[sh, -c, "./run.sh"]', /Permission denied/],
  [
    "a module of Python that is run and not there",
    tests,
    "[python3, -m, pytest_is_not_here]",
    /No module named pytest_is_not_here/,
  ],
  [
    "a package that requirements.txt names",
    { "requirements.txt": "nothere_lib==1\n", "test_a.py": "import nothere_lib\n" },
    "[python3, test_a.py]",
    /No module named nothere_lib/,
  ],
  [
    "a misspelt script",
    { ...tests, ...npm({ test: "node --test" }) },
    "[npm, run, tset]",
    /no script or target tset; did you mean test\?/,
  ],
  [
    "packages that are not installed",
    { ...npm({ test: "node a.mjs" }, { devDependencies: { "left-pad": "1" } }), "a.mjs": 'import "left-pad";\n' },
    "[npm, test]",
    /left-pad/,
  ],
  [
    "a misspelt target",
    { ...tests, Makefile: "check:\n\ttrue\n" },
    "[make, chekc]",
    /no script or target chekc; did you mean check\?/,
  ],
  [
    "no test found where there are some",
    tests,
    '[sh, -c, "echo No tests found, exiting with code 1; exit 1"]',
    /No tests found/,
  ],
  ["a command that watches", tests, '[sh, -c, "echo Watch Usage; sleep 60"]', /Watch Usage/, "1s"],
  [
    "a service that is not there",
    tests,
    '[sh, -c, "echo connect ECONNREFUSED 127.0.0.1:5432; exit 1"]',
    /ECONNREFUSED 127\.0\.0\.1:5432/,
  ],
  [
    "a port that is taken",
    tests,
    '[sh, -c, "echo listen EADDRINUSE: address already in use :::3000; exit 1"]',
    /EADDRINUSE/,
  ],
] as const) {
  test(`${what} is asked about before a model is paid`, async (t) => {
    const task = await begin(t, repo, command, timeout);
    const report = await task.pass();
    assert.deepEqual([report.exit_name, task.calls()], ["needs_user_decision", 0], report.reason);
    assert.match(report.reason, /tests cannot run here: /);
    assert.match(report.reason, said);
    assert.match(
      task.read("DECISIONS.md"),
      /Is it part of the task that a check cannot run here\?[\s\S]*Is that part of the task\?[\s\S]*Safe default: yes/,
    );
    assert.match(task.state(), /^- Phase: needs\\?_user\\?_decision$/m);
    assert.match(task.read("EVIDENCE.md"), /cannot run here/);
    assert.equal((await task.command("check")).code, 0);
  });
}

for (const [what, repo, command] of [
  ["a test that waits for a module of the work", { "test/a.test.mjs": 'import "../src/a.mjs";\n' }, "[node, --test]"],
  ["a Python test that waits for a module of the work", { "test_a.py": "import round_half\n" }, "[python3, test_a.py]"],
  ["a program that the work is to write", tests, '[sh, -c, "./bin/tool --version"]'],
  ["an assertion", { "check.sh": "test 1 = 2\n" }, "[sh, check.sh]"],
  ["a first script where there is none like it", npm({ build: "true" }), "[npm, run, lint]"],
  ["a first manifest", { "notes.txt": "x\n" }, "[npm, test]"],
  ["a first test", { "src/a.mjs": "export {};\n" }, '[sh, -c, "echo No tests found; exit 1"]'],
] as const) {
  test(`${what} is nothing to ask about`, async (t) => {
    const task = await begin(t, repo, command);
    task.propose({ task: {} });
    const report = await task.pass();
    assert.deepEqual([report.from, task.calls(), task.exists("DECISIONS.md")], ["implement", 1, false], report.reason);
  });
}

test("yes begins the work, any other word has the checks run once more, and they are not asked about twice in vain", async (t) => {
  const task = await begin(t, { ...tests, "check.sh": "eslnt .\n" }, "[sh, check.sh]");
  await task.pass();
  assert.equal((await task.command("answer", "Q1", "I have installed it")).code, 0);
  const again = await task.pass();
  assert.deepEqual([again.exit_name, task.calls()], ["needs_user_decision", 0]);
  assert.match(task.read("DECISIONS.md"), /## Q2: /);
  assert.equal((await task.command("answer", "Q2", "yes, the agent shall mend it")).code, 0);
  task.propose({ task: {} });
  await task.pass();
  assert.equal(task.calls(), 1);
  await task.pass();
  assert.equal(task.calls(), 2);
  assert.equal((await task.command("check")).code, 0);
});

test("a mended machine goes on without a model in between", async (t) => {
  const task = await begin(t, { ...tests, "check.sh": "eslnt .\n" }, "[sh, check.sh]");
  await task.pass();
  task.write("../../repo/check.sh", "true\n");
  await task.command("answer", "Q1", "done");
  task.propose({ task: {} });
  const report = await task.pass();
  assert.equal(task.calls(), 1, report.reason);
  assert.match(task.state(), /^- Blockers: none$/m);
  const befores = task.events().flatMap((event) => (event.type === "before" ? [event.results[0]?.status] : []));
  assert.deepEqual(befores, ["fail", "pass"]);
});

test("if nobody answers, the work begins after question_wait, and nobody is asked again", async (t) => {
  const world = makeTaskWorld(t);
  const contract = [check('[sh, -c, "eslnt ."]')];
  const task = await world.taskAt("one", "implement", { repo: tests, contract });
  await task.pass();
  task.propose({ task: {} });
  const later = { now: new Date(Date.now() + 11 * 60_000) };
  await world.call("task-phase-run", ["--task-dir", task.taskDir], later);
  assert.equal(task.calls(), 1);
  assert.match(task.state(), /^- Blockers: none$/m);
  assert.match(
    task.read("DECISIONS.md"),
    /- Answer: yes: the work begins as it is \(safe default, taken by task-phase/,
  );
  await world.call("task-phase-run", ["--task-dir", task.taskDir], later);
  assert.equal(task.calls(), 2);
});

test("init and check say it beforehand where the files show it", async (t) => {
  const world = makeTaskWorld(t);
  world.initRepo({ ...npm({ test: "jest --watch" }), Makefile: "check:\n\ttrue\n" });
  const warned = async (command: string, repo = "repo") => {
    const end = await world.call("task-phase", ["init", "A", "--validator", `tests=${command}`, "--json"], {
      cwd: repo,
    });
    const { findings } = end.json() as { findings: { code: string; message: string; fix: string }[] };
    return findings.filter(({ code }) => code === "TP_CHECK_TROUBLE").map(({ message, fix }) => `${message}; ${fix}`);
  };
  assert.match(
    (await warned("npm run tset")).join(),
    /the script tset, which package\.json does not have; .*did you mean test\?/,
  );
  assert.match((await warned("npm test")).join(), /runs `jest --watch`, which watches and does not end/);
  assert.match(
    (await warned("make chekc")).join(),
    /makes chekc, which the makefile does not name; did you mean check\?/,
  );
  assert.match((await warned("cargo test")).join() || "no cargo here", /needs Cargo\.toml|no cargo here/);
  assert.deepEqual(await warned("make check"), []);
  world.initRepo(npm({ test: "node --test" }, { devDependencies: { "left-pad": "1" } }), "other");
  assert.match((await warned("npm test", "other")).join(), /there is no node_modules; run: npm install/);
  const modules = "other/.venv/lib/python3.12/site-packages";
  world.write("other/.venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
  world.write("other/.venv/bin/python", "#!/bin/sh\nexit 1\n");
  chmodSync(world.path("other/.venv/bin/python"), 0o755);
  world.write(`${modules}/pip/__init__.py`, "");
  assert.match(
    (await warned(".venv/bin/python -m pytest -q", "other")).join(),
    /needs pytest, which \S*\/\.venv\/bin\/python does not have; run: \.venv\/bin\/python -m pip install pytest/,
  );
  assert.deepEqual(await warned(".venv/bin/python -m unittest", "other"), []);
  world.write(`${modules}/pytest/__init__.py`, "");
  assert.deepEqual(await warned(".venv/bin/python -m pytest -q", "other"), []);
  const end = await world.call("task-phase", ["check", "--json"], { cwd: "repo" });
  assert.match(end.stdout, /TP_CHECK_TROUBLE/);
});

test("a formatter that only rejects the files of tasks is reported before a model is paid, and init offers the line", async (t) => {
  const world = makeTaskWorld(t);
  const check =
    'grep -rl "Objective" --include=*.md . | sed "s#^./#[warn] #" ; ! grep -rq "Objective" --include=*.md --exclude-dir="$(cat .ignored)" .';
  world.initRepo({ "check.sh": `${check}\n`, ".ignored": "none\n", ".prettierignore": "dist/\n" });
  const say = (bin: string, ...words: string[]) => world.call(bin, words, { cwd: "repo" });
  const made = await say("task-phase", "init", "A", "--validator", "format=sh check.sh", "--json");
  assert.match(made.stdout, /TP_INIT_IGNORE[\s\S]*add this line there: tasks\//);
  world.write(
    "repo/tasks/task-phase.yaml",
    'models: [{ name: none, adapter: command, command: [sh, -c, "exit 1"] }]\n',
  );
  const brief = world.read("repo/tasks/T-1-a/README.md");
  world.write("repo/tasks/T-1-a/README.md", brief.replace("## What I want", "## What I want\n\nA."));
  const asked = await say("task-phase-run", "T-1");
  assert.match(
    asked.stderr,
    /format cannot run here: it dislikes files of the tasks alone, such as tasks\/T-1-a\/STATE\.md: write `tasks\/` into \.prettierignore/,
  );
  assert.equal(asked.code, 22);
  world.write("repo/.ignored", "tasks\n");
  await say("task-phase", "answer", "Q1", "done");
  const next = await say("task-phase-run", "T-1", "--json");
  assert.equal(next.json().from, "implement");
  assert.equal(next.json().exit_name, "unavailable");
});

test("a linter that only rejects an agent's proof is named beside the failing check", async (t) => {
  const world = makeTaskWorld(t);
  world.initRepo({
    "lint.sh":
      'found=$(find "$PWD/tasks" -name "*.js")\nfor file in $found; do echo "$file"; echo "  1:1  error  x is not defined  no-undef"; echo "✖ 1 problem (1 error, 0 warnings)"; done\ntest -z "$found"\n',
  });
  const say = (bin: string, ...words: string[]) => world.call(bin, words, { cwd: "repo" });
  await say("task-phase", "init", "A", "--validator", "lint=sh lint.sh");
  const agent =
    'cd "$TASK_PHASE_TASK_DIR" && echo "x" > artifacts/proof.js && sed -i "s/^- Phase:.*/- Phase: verify/; s/^- Current result:.*/- Current result: made/" STATE.md && echo done';
  world.write(
    "repo/tasks/task-phase.yaml",
    `models: [{ name: one, adapter: command, command: [sh, -c, '${agent}'] }]\n`,
  );
  const brief = world.read("repo/tasks/T-1-a/README.md");
  world.write("repo/tasks/T-1-a/README.md", brief.replace("## What I want", "## What I want\n\nA."));
  const worked = (await say("task-phase-run", "T-1", "--json")).json();
  assert.deepEqual([worked.from, worked.to], ["implement", "verify"], JSON.stringify(worked));
  const checked = (await say("task-phase-run", "T-1", "--json")).json() as unknown as Report;
  const [verify] = checked.moves;
  assert.deepEqual([verify?.pass, verify?.from, verify?.to, checked.from], [2, "verify", "repair", "repair"]);
  assert.match(
    verify?.reason ?? "",
    /dislikes files of the tasks alone, such as tasks\/T-1-a\/artifacts\/proof\.js: write `\{ ignores: \["tasks\/\*\*"\] \},` into eslint\.config\.js/,
  );
});

test("checks that write into the repo each time are reported before a model is paid, with the way out", async (t) => {
  const task = await begin(t, { "check.sh": "date +%s%N > report.xml\n" }, "[sh, check.sh]");
  const report = await task.pass();
  assert.deepEqual([report.exit_name, task.calls()], ["needs_user_decision", 0], report.reason);
  assert.match(report.reason, /the checks change report\.xml each time that they run: put that into \.gitignore/);
  const once = await begin(t, { "check.sh": "echo same > report.xml\n" }, "[sh, check.sh]");
  once.propose({ task: {} });
  await once.pass();
  assert.deepEqual([once.calls(), once.exists("DECISIONS.md")], [1, false]);
});

test("checks whose own leavings make the next run fail are reported before a model is paid", async (t) => {
  const ignored = { ".gitignore": "dev.db\ncache/\n.eslintcache\n" };
  const world = makeTaskWorld(t);
  const at = async (name: string, script: string) => {
    const task = await world.taskAt(name, "implement", {
      repo: { ...ignored, "check.sh": script },
      contract: [check("[sh, check.sh]")],
    });
    execFileSync("git", ["-C", path.join(task.folder, "repo"), "init", "--quiet"], { env: world.env });
    return task;
  };
  const once = await at("one", "echo ran >> $PWD.ran; test ! -e dev.db && touch dev.db\n");
  const report = await once.pass();
  assert.deepEqual([report.exit_name, once.calls()], ["needs_user_decision", 0], report.reason);
  assert.match(
    report.reason,
    /tests passes once and not again: what it leaves in dev\.db, which git ignores, is in the way/,
  );
  const twice = await at("two", "echo ran >> $PWD.ran; touch dev.db; mkdir -p cache; touch cache/a .eslintcache\n");
  twice.propose({ task: {} });
  await twice.pass();
  assert.equal(twice.calls(), 1);
  const ran = readFileSync(path.join(twice.folder, "repo.ran"), "utf8");
  assert.equal(ran.split("\n").length - 1, 2, "once more, since it left a file");
  const cached = await at("three", "echo ran >> $PWD.ran; mkdir -p cache; touch cache/a .eslintcache\n");
  cached.propose({ task: {} });
  await cached.pass();
  assert.equal(readFileSync(path.join(cached.folder, "repo.ran"), "utf8"), "ran\n");
});

test("a check that asks git for changes is warned of, with what it needs", async (t) => {
  const world = makeTaskWorld(t);
  world.initRepo({ "check.sh": "set -e\nsh gen.sh\ngit diff --exit-code\n", "gen.sh": "echo made > out.txt\n" });
  const init = async (command: string, name: string) => {
    const end = await world.call("task-phase", ["init", name, "--validator", `tests=${command}`, "--json"], {
      cwd: "repo",
    });
    const { findings } = end.json() as { findings: { code: string; message: string; fix: string }[] };
    return findings
      .filter(({ code }) => code === "TP_CHECK_TROUBLE")
      .map(({ message, fix }) => `${message}; ${fix}`)
      .join("");
  };
  const commit = "`checkpoint: commit` in task-phase.yaml, which commits a pass before the next one";
  const apart = 'no look at the tasks, as in: git diff --exit-code -- . ":!tasks"';
  assert.equal(
    await init("sh check.sh", "A"),
    `the check tests asks git for changes (\`git diff --exit-code\`), and the work is one until it is committed; it needs ${commit}; and ${apart}`,
  );
  assert.ok((await init("git diff --quiet docs", "B")).endsWith(`it needs ${commit}`));
  world.write("repo/tasks/task-phase.yaml", "checkpoint: commit\nmodels: []\n");
  assert.ok((await init("git status --porcelain", "C")).endsWith(`it needs ${apart}`));
  assert.equal(await init('git diff --exit-code -- . ":!tasks"', "D"), "");
  assert.equal(await init("git diff HEAD", "E"), "");
  const task = await world.taskAt("dirty", "verify", {
    repo: { "check.sh": "git diff --exit-code\n", "a.txt": "a\n" },
    contract: [check("[sh, check.sh]")],
  });
  const repo = path.join(task.folder, "repo");
  const git = (...words: string[]) => execFileSync("git", ["-C", repo, ...words], { env: world.env });
  git("init", "--quiet");
  git("add", ".");
  writeFileSync(path.join(repo, "a.txt"), "b\n");
  task.propose({ task: { "STATE.md": task.state().replace("Phase: verify", "Phase: review") } });
  assert.match(
    (await task.pass()).reason,
    /it asks git for changes \(`git diff --exit-code`\), and the work is one until/,
  );
});
