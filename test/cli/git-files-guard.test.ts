import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { rootExcludes } from "../../lib/task/board-files.ts";
import { makeWorld } from "./arrange.ts";
import { eventsAt, stateFile } from "./task-states.ts";
import { makeTaskWorld, type Proposal, type Report } from "./task-world.ts";

const names = [".gitattributes", ".gitignore"] as const;

/** A task in verify whose repo holds the tasks root. */
async function makeCase(t: TestContext) {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("a", { state: { phase: "verify" }, events: (place) => eventsAt("verify", place) });
  const tasks = join(task.folder, "tasks");
  world.initRepo({ ".gitignore": "/proposals/\n", "good.txt": "good\n" }, "cases/a");
  return {
    ...{ world, task, tasks },
    pass: (): Promise<Report> => task.pass("--repo", task.folder),
    propose: (to: "verify" | "review" | "done", more: Proposal = {}) =>
      task.propose({ ...more, task: { "STATE.md": stateFile({ phase: to }), ...more.task } }),
    init: (title: string) => world.call("task-phase", ["init", title, "--json"], { cwd: "cases/a" }),
    has: (name: string) => existsSync(join(tasks, name)),
    read: (name: string) => world.read(`cases/a/tasks/${name}`),
    write: (name: string, text: string) => world.write(`cases/a/tasks/${name}`, text),
  };
}

test("an init in an old tasks root leaves the tasks there able to finish", async (t) => {
  const { propose, pass, init, has } = await makeCase(t);
  propose("review");
  assert.equal((await pass()).to, "review");
  assert.equal((await init("Another")).code, 0);
  assert.deepEqual(names.map(has), [true, true]);
  propose("done");
  const report = await pass();
  assert.deepEqual([report.verdict, report.to], ["accepted", "done"], report.reason);
});

test("an init while a pass is running is not taken for the agent's work", async (t) => {
  const { propose, pass, init, task, has } = await makeCase(t);
  propose("verify", { task: { "artifacts/more.md": "more proof\n" }, waits: true });
  const running = pass();
  while (task.calls() === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await init("Another")).code, 0);
  task.go();
  const report = await running;
  assert.deepEqual([report.verdict, report.progress], ["accepted", ["evidence_gain"]], report.reason);
  assert.deepEqual(names.map(has), [true, true]);
});

test("a pass that makes or changes them is rejected, and they are as before", async (t) => {
  const { propose, pass, init, has, read } = await makeCase(t);
  const evil = "# task-phase: mine\n* filter=evil\n*.js\n";
  const repo = Object.fromEntries(names.map((name) => [`tasks/${name}`, evil]));
  propose("review", { repo });
  const first = await pass();
  assert.deepEqual([first.verdict, names.map(has)], ["rejected", [false, false]], first.reason);
  assert.match(first.reason, /added tasks\/\.gitattributes.*only task-phase init and people write it/);
  await init("Another");
  const before = names.map(read);
  propose("review", { repo });
  assert.equal((await pass()).verdict, "rejected");
  assert.deepEqual(names.map(read), before);
});

test("a file in which init wrote nothing, a link and a folder hide nothing from the fingerprint", async (t) => {
  const { tasks, task, write, init } = await makeCase(t);
  const excluded = () => rootExcludes(tasks, task.folder).filter((path) => path.includes(".git"));
  assert.deepEqual(
    excluded(),
    names.map((name) => join(tasks, name)),
  );
  write(".gitignore", "*.local\n");
  symlinkSync("../good.txt", join(tasks, ".gitattributes"));
  assert.deepEqual(excluded(), []);
  const end = await init("Another");
  assert.deepEqual(
    (end.json().findings as { code: string; severity: string }[])
      .filter(({ code }) => code === "TP_INIT_GIT_FILE")
      .map(({ severity }) => severity),
    ["warning"],
  );
  assert.deepEqual(excluded(), [join(tasks, ".gitignore")]);
  assert.deepEqual(rootExcludes(tasks, tasks), []);
});

test("they are written once, and a person's own lines, rights and line ends stay", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "tasks/.gitattributes": "*.bin binary\r\n" });
  chmodSync(world.path("repo/tasks/.gitattributes"), 0o444);
  const init = (title: string) => world.call("task-phase", ["init", title], { cwd: "repo" });
  const first = await init("One");
  assert.match(
    first.stderr,
    /\ntasks\/\.gitattributes and tasks\/\.gitignore: pull requests fold the runner's files\n/,
  );
  const read = () => names.map((name) => readFileSync(world.path("repo/tasks", name), "utf8"));
  const [attributes = "", ignore] = read();
  assert.match(
    attributes,
    /^\*\.bin binary\r\n# task-phase: [^\n]*\r\n\* -text\r\n\*\/artifacts\/\*\* linguist-generated -diff\r\n/,
  );
  assert.equal(
    ignore,
    "# task-phase: locks; cooldowns, changelogs and reports of loops beside them may be committed.\n/.task-phase/locks/\n/.cron.lock\n",
  );
  const second = await init("Two");
  assert.doesNotMatch(second.stderr, /gitattributes/);
  assert.deepEqual(read(), [attributes, ignore]);
  world.git("repo", "add", "--all");
  assert.doesNotMatch(world.git("repo", "ls-files"), /\.task-phase/);
  const diff = world.git("repo", "diff", "--cached", "--stat", "--", "tasks/T-1-one/STATE.md", "tasks/T-1-one/log.txt");
  assert.match(diff, /STATE\.md \| +\d+ \+/);
});

test("outside git, and where the tasks root is the repo, none are written", async (t) => {
  const world = makeWorld(t);
  await world.call("task-phase", ["init", "One"]);
  assert.deepEqual(
    names.map((name) => world.exists(`tasks/${name}`)),
    [false, false],
  );
  mkdirSync(world.path("root"));
  world.initRepo({}, "root");
  await world.call("task-phase", ["init", "--task-dir", "root/T-1"]);
  assert.deepEqual(
    names.map((name) => world.exists(`root/${name}`)),
    [false, false],
  );
});

test("a hook that the agent leaves, which no diff shows, is named to the person", async (t) => {
  const { propose, task } = await makeCase(t);
  propose("verify", { repo: { ".git/hooks/pre-push": "#!/bin/sh\nexit 1\n" } });
  const named =
    /warning: settings or hooks of git changed since the pass began: \.git\/hooks\/pre-push \[TP_GIT_SETTINGS\]/;
  assert.match((await task.run("--repo", task.folder)).stderr, named);
  assert.doesNotMatch((await task.run("--repo", task.folder)).stderr, /TP_GIT_SETTINGS/);
  const listed = /^- \[Pass 1\]\S+: settings or hooks of git changed since the pass began: \.git\/hooks\/pre-push$/gm;
  assert.equal(task.read("EVIDENCE.md").match(listed)?.length, 1);
});

test("commits that the branch lost in a pass are named, in EVIDENCE.md too", async (t) => {
  const { propose, task, world } = await makeCase(t);
  const head = world.git("cases/a", "symbolic-ref", "HEAD").trim();
  const first = world.git("cases/a", "rev-parse", "HEAD");
  world.git("cases/a", "commit", "-q", "--allow-empty", "-m", "<b>Mine</b>");
  propose("verify", { repo: { [`.git/${head}`]: first } });
  assert.match(
    (await task.run("--repo", task.folder)).stderr,
    /has lost 1 commit: \w+ <b>Mine<\/b> \[TP_COMMITS_LOST\]/,
  );
  const listed = /^- \[Pass 1\]\S+: since the pass began, \w+ has lost 1 commit: `\w+` &lt;b&gt;Mine&lt;\/b&gt;$/m;
  assert.match(task.read("EVIDENCE.md"), listed);
});

test("hooks that git ignores are named, those in the diff and secrets in a setting's name are not", async (t) => {
  const { propose, task, world } = await makeCase(t);
  world.write("cases/a/.husky/_/.gitignore", "*\n");
  world.git("cases/a", "config", "core.hooksPath", ".husky/_");
  const hooks = { ".husky/_/pre-commit": "exit 1\n", ".husky/_/.gitignore": "*\n" };
  propose("verify", { repo: hooks });
  const run = async () => (await task.run("--repo", task.folder)).stderr;
  assert.match(await run(), /changed since the pass began: \.\/\.husky\/_\/pre-commit \[TP_GIT_SETTINGS\]/);
  world.git("cases/a", "config", "core.hooksPath", "hooks");
  propose("verify", { repo: { "hooks/pre-commit": "exit 1\n" } });
  assert.doesNotMatch(await run(), /TP_GIT_SETTINGS/);
  const token = `ghp_${"a1B2c3D4".repeat(5)}`.slice(0, 40);
  const config = world.read("cases/a/.git/config");
  propose("verify", {
    repo: { ".git/config": `${config}[url "https://x:${token}@github.com/"]\n\tinsteadOf = gh:\n` },
  });
  const said = await run();
  assert.match(said, /url\.https:\/\/x:\[redacted:[\w-]+\]@github\.com\/\.insteadof \[TP_GIT_SETTINGS\]/);
  assert.ok(!said.includes(token));
});

test("a hook that is left before the first commit is named too", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("b", { state: { phase: "verify" }, events: (place) => eventsAt("verify", place) });
  world.git("cases/b", "init", "-q");
  task.propose({ task: { "STATE.md": stateFile({ phase: "verify" }) }, repo: { ".git/hooks/pre-push": "exit 1\n" } });
  assert.match((await task.run("--repo", task.folder)).stderr, /: \.git\/hooks\/pre-push \[TP_GIT_SETTINGS\]/);
});
