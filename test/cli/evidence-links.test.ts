import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { fieldOf } from "./task-states.ts";
import { makeTaskWorld, type TaskCase, type TaskWorld } from "./task-world.ts";
import { arrange, propose } from "./transition-case.ts";

const served = "https://evidence.example.org/tasks/T-1/artifacts/evidence.html";
const remote = "https://me:hunter2@github.com/o/r.git";
const single = "[artifacts/report.md](artifacts/report.md)";
const onHost = "tasks/T-1/EVIDENCE.md";

/** A task that the next pass takes from implement to verify. */
async function makeCase(world: TaskWorld, config: string): Promise<TaskCase & { git(...args: string[]): string }> {
  const task = await arrange(world, "one", "implement");
  task.propose(propose("implement", "verify"));
  const file = path.relative(world.folder, path.join(task.folder, "tasks", "task-phase.yaml"));
  world.write(file, `${world.read(file)}${config}`);
  return { ...task, git: (...args) => world.git("cases/one", ...args) };
}

/** Task folder and code in one repository, whose remote is somewhere on the network. */
async function makeGitCase(world: TaskWorld, config = "", url = remote): ReturnType<typeof makeCase> {
  const task = await makeCase(world, config);
  task.git("init", "--quiet", "--initial-branch=main");
  task.git("remote", "add", "origin", url);
  commitAll(task);
  return task;
}

function commitAll({ git }: { git(...args: string[]): string }): string {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message=start");
  return git("rev-parse", "HEAD").trim();
}

const evidenceOf = async (task: TaskCase, word: string) => (await task.command(word, "--json")).json().evidence;
const page = (task: TaskCase) => path.join(task.taskDir, "artifacts", "evidence.html");

test("where the page is served, STATE.md and the JSON of each command link it there", async (t) => {
  const world = makeTaskWorld(t);
  const task = await makeCase(world, "evidence: { base_url: https://evidence.example.org/tasks/ }\n");
  assert.deepEqual(await evidenceOf(task, "status"), { path: null, url: null, pushed: null });
  const expected = { path: page(task), url: served, pushed: true };
  const report = (await task.run("--json")).json();
  assert.deepEqual([report.verdict, report.evidence], ["accepted", expected]);
  assert.equal(fieldOf(task.state(), "Evidence link"), `[evidence.html](${served}), ${single}`);
  assert.deepEqual(await evidenceOf(task, "status"), expected);
  assert.deepEqual((await task.command("evidence", "--json")).json().relinked, false);
  assert.equal((await task.command("check")).code, 0);

  const config = "cases/one/tasks/task-phase.yaml";
  world.write(config, world.read(config).replace(/^evidence: .*$/m, ""));
  const rebuilt = (await task.command("evidence", "--json")).json();
  assert.deepEqual([rebuilt.relinked, rebuilt.evidence], [true, { path: page(task), url: null, pushed: null }]);
  assert.equal(fieldOf(task.state(), "Evidence link"), `[EVIDENCE.md](EVIDENCE.md), ${single}`);
  assert.ok(existsSync(path.join(task.taskDir, "EVIDENCE.md")));
});

test("without proof there is no Evidence link, wherever pages are served", async (t) => {
  const task = await makeCase(makeTaskWorld(t), "evidence: { base_url: https://evidence.example.org/tasks }\n");
  task.propose({ task: { ...propose("implement", "implement").task, "artifacts/report.md": "" } });
  assert.equal((await task.run("--json")).json().verdict, "accepted");
  assert.equal(fieldOf(task.state(), "Evidence link"), "");
});

test("on a git host the evidence is linked on its branch before it is pushed, and at its commit after that", async (t) => {
  const task = await makeGitCase(makeTaskWorld(t));
  const start = task.git("rev-parse", "HEAD").trim();
  const end = await task.run();
  assert.match(
    end.stderr,
    /^ {2}evidence: \S+artifacts\/evidence\.html {2}https:\/\/github\.com\/o\/r\/blob\/main\/tasks\/T-1\/EVIDENCE\.md \(not pushed yet\)$/m,
  );
  const later = { path: page(task), url: `https://github.com/o/r/blob/main/${onHost}`, pushed: false };
  assert.deepEqual(await evidenceOf(task, "status"), later);
  const { code } = task.events().find((event): event is VerdictEvent => event.type === "verdict") ?? {};
  assert.deepEqual(code, {
    commit: start,
    branch: "main",
    dirty: false,
    web: "https://github.com/o/r",
    kind: "github",
    pushed: false,
  });
  const blob = "https://github.com/o/r/blob/main/tasks/T-1";
  const behind = (path: string) => `[${path}](${path}) ([on github.com](${blob}/${path}))`;
  const linked = `${behind("EVIDENCE.md")}, ${behind("artifacts/report.md")}`;
  assert.equal(fieldOf(task.state(), "Evidence link"), linked);
  assert.deepEqual((await task.command("evidence", "--json")).json().relinked, false);
  const commit = commitAll(task);
  task.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const url = `https://github.com/o/r/blob/${commit}/${onHost}`;
  assert.deepEqual(await evidenceOf(task, "status"), { path: page(task), url, pushed: true });
  assert.match((await task.command("status")).stdout, new RegExp(`^evidence: \\S+evidence\\.html {2}${url}$`, "m"));
  assert.match((await task.command("evidence")).stdout, new RegExp(`\n${url}\n$`));
  assert.doesNotMatch(end.stderr + task.read("artifacts/journal.jsonl") + task.read("EVIDENCE.md"), /hunter2/);
});

test("the full address goes where git ignores the folder, and follows the branch after a merge", async (t) => {
  const task = await makeGitCase(makeTaskWorld(t));
  const link = () => fieldOf(task.state(), "Evidence link") ?? "";
  task.git("switch", "--quiet", "--create", "work/night");
  await task.run();
  assert.match(link(), /blob\/work\/night\//);
  commitAll(task);
  task.git("switch", "--quiet", "main");
  task.git("merge", "--quiet", "work/night");
  assert.deepEqual((await task.command("check", "--json")).json().findings, [], "the branch is still there");
  task.git("branch", "--quiet", "--delete", "work/night");
  const told = (await task.command("check", "--json")).json().findings as {
    code: string;
    message: string;
    fix: string;
  }[];
  assert.equal(told[0]?.message, "the Evidence link leads to the branch work/night, which is gone");
  assert.match(told[0]?.fix ?? "", /^task-phase evidence T-1 /);
  assert.equal((await task.command("evidence", "--json")).json().relinked, true);
  assert.match(link(), /^\[EVIDENCE\.md\]\(EVIDENCE\.md\) .*blob\/main\//);
  assert.deepEqual((await task.command("check", "--json")).json().findings, []);
  task.git("rm", "--quiet", "-r", "--cached", "tasks");
  task.write("../../.gitignore", "/tasks/\n");
  assert.equal((await task.command("evidence", "--json")).json().relinked, true);
  assert.equal(link(), `[EVIDENCE.md](EVIDENCE.md), ${single}`);
});

test("checkpoint: push links the commit that was just pushed", async (t) => {
  const world = makeTaskWorld(t);
  const task = await makeGitCase(world, "checkpoint: push\n", "git@codeberg.org:o/r.git");
  world.git("cases", "init", "--quiet", "--bare", "remote.git");
  const bare = world.path("cases", "remote.git");
  // In the place of ssh, so that nothing leaves this machine.
  const ssh = world.write("ssh.sh", `#!/bin/sh\n[ "$1" = -G ] && exit 1\nexec git receive-pack '${bare}'\n`);
  chmodSync(ssh, 0o755);
  const end = await world.call("task-phase-run", ["--task-dir", task.taskDir, "--json"], {
    env: { GIT_SSH_COMMAND: ssh },
  });
  const head = task.git("rev-parse", "HEAD").trim();
  assert.equal(world.git("cases/remote.git", "rev-parse", "main").trim(), head);
  const url = `https://codeberg.org/o/r/src/commit/${head}/${onHost}`;
  const { verdict, findings, evidence } = end.json();
  assert.deepEqual([verdict, findings, evidence], ["accepted", [], { path: page(task), url, pushed: true }]);
});

test("a task folder in a repository of its own is linked there, and the code where the code is", async (t) => {
  const world = makeTaskWorld(t);
  const task = await makeCase(world, "");
  for (const [folder, url] of [
    ["repo", "https://gitlab.com/group/team/app.git"],
    ["tasks", "git@github.com:o/tasks.git"],
  ] as const) {
    const git = (...args: string[]) => world.git(`cases/one/${folder}`, ...args);
    git("init", "--quiet", "--initial-branch=main");
    git("remote", "add", "origin", url);
    commitAll({ git });
  }
  const report = (await task.run("--json")).json();
  assert.deepEqual(report.evidence, {
    path: page(task),
    url: "https://github.com/o/tasks/blob/main/T-1/EVIDENCE.md",
    pushed: false,
  });
  const { code } = task.events().find((event): event is VerdictEvent => event.type === "verdict") ?? {};
  assert.deepEqual([code?.web, code?.kind], ["https://gitlab.com/group/team/app", "gitlab"]);
});

test("an unknown host has no link, and evidence says what to write", async (t) => {
  const world = makeTaskWorld(t);
  const task = await makeGitCase(world, "", "https://git.example.org/o/r.git");
  assert.deepEqual((await task.run("--json")).json().evidence, { path: page(task), url: null, pushed: null });
  const [finding] = (await task.command("evidence", "--json")).json().findings as { code: string; fix: string }[];
  assert.equal(finding?.code, "TP_HOST_UNKNOWN");
  assert.match(finding?.fix ?? "", /how git\.example\.org writes addresses: evidence: \{ host_kind: gitlab \}/);
  const config = "cases/one/tasks/task-phase.yaml";
  world.write(config, `${world.read(config)}evidence: { host_kind: gitea }\n`);
  const told = (await task.command("evidence", "--json")).json();
  assert.deepEqual(
    [told.findings, (told.evidence as { url: string }).url],
    [[], `https://git.example.org/o/r/src/branch/main/${onHost}`],
  );
});

test("status over a root asks git twice, however many tasks there are", async (t) => {
  const world = makeTaskWorld(t);
  const task = await makeGitCase(world);
  await task.run();
  for (const id of ["T-2", "T-3"]) {
    for (const file of ["STATE.md", "EVIDENCE.md", "artifacts/evidence.html", "artifacts/journal.jsonl"]) {
      world.write(`cases/one/tasks/${id}/${file}`, task.read(file));
    }
    world.write(`cases/one/tasks/${id}/README.md`, task.read("README.md").replace("id: T-1", `id: ${id}`));
  }
  const commit = commitAll(task);
  task.git("update-ref", "refs/remotes/origin/main", "HEAD");
  world.write("cases/one/tasks/T-3/EVIDENCE.md", "changed since\n");
  const counter = world.write(
    "bin/git",
    `#!/bin/sh\necho x >> '${world.path("calls")}'\nPATH='${world.env.PATH}' exec git "$@"\n`,
  );
  chmodSync(counter, 0o755);
  const end = await world.call("task-phase", ["status", "--tasks-root", path.dirname(task.taskDir), "--json"], {
    env: { PATH: `${world.path("bin")}:${world.env.PATH}` },
  });
  const tasks = end.json().tasks as { task: string; evidence: { url: string; pushed: boolean } }[];
  const at = (id: string) => `https://github.com/o/r/blob/${commit}/tasks/${id}/EVIDENCE.md`;
  assert.deepEqual(
    tasks.map(({ task: id, evidence }) => [id, evidence.url, evidence.pushed]),
    [
      ["T-1", at("T-1"), true],
      ["T-2", at("T-2"), true],
      ["T-3", at("T-3").replace(commit, "main"), false],
    ],
  );
  assert.equal(world.read("calls").split("\n").length - 1, 2);
});
