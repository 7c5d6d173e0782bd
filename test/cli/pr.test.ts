import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";
import { lives, pidIn } from "../process/arrange.ts";
import type { RunEnd } from "./arrange.ts";
import { makeBranchWorld } from "./branch-world.ts";
import { makeGitHost } from "./host-world.ts";
import { assertAccepted, makeMatrixWorld, origin, solved } from "./matrix-world.ts";
import { makeTaskWorld } from "./task-world.ts";
import { until } from "./until.ts";

const github = "git@github.com:acme/app.git";

function codes(end: RunEnd): unknown[] {
  const report = end.json() as { exit_name: string; findings: { code: string }[] };
  return [report.exit_name, ...report.findings.map(({ code }) => code)];
}

test("a task that is done gets a pull request for exactly what was proven, and nothing else is pushed", async (t) => {
  const world = makeMatrixWorld(t);
  const task = await world.begin("done");
  const host = makeGitHost(world);
  host.connect(task.repo, github);
  assertAccepted(await task.finish(solved), "done");
  const pr = (...args: readonly string[]) =>
    world.call("task-phase", ["pr", "--task-dir", task.taskDir, ...args], { env: host.env });
  const branch = "task-phase/T-1";

  // The work is in the working tree alone, first on the default branch and then on its own.
  const onMain = await pr();
  assert.deepEqual([onMain.code, onMain.stdout], [64, ""]);
  assert.match(onMain.stderr, /TP_PR_DEFAULT.*\n(?:.*\n)*.*git switch -c task-phase\/T-1/);
  world.git(task.repo, "switch", "--quiet", "--create", branch);
  const open = await pr();
  assert.equal(open.code, 1);
  assert.match(open.stderr, /not hold what was proven for T-1 \(moved since: 1 path\)[\s\S]*git add -A && git commit/);
  assert.deepEqual([host.tip(branch), host.state().pulls], ["", []]);

  world.git(task.repo, "commit", "--quiet", "--all", "--message=Answer");
  const commit = world.git(task.repo, "rev-parse", "HEAD").trim();
  const dry = await pr("--dry-run");
  assert.deepEqual([dry.code, host.tip(branch), host.state().pulls], [0, "", []], dry.stderr);
  assert.match(
    dry.stderr,
    /would have pushed task-phase\/T-1 \([0-9a-f]{12}\) to git@github\.com:acme\/app\.git\nwould have created a pull request into main/,
  );
  assert.match(dry.stdout, /^# T-1: Export the answer\n/);

  host.calls();
  const made = await pr("--json");
  const url = "https://github.com/acme/app/pull/1";
  const said = { task: "T-1", branch, commit, base: "main", draft: false, number: 1, url };
  assert.deepEqual(
    { ...made.json(), findings: [] },
    { command: "pr", exit_code: 0, exit_name: "ok", findings: [], action: "created", ...said },
  );
  assert.equal(host.tip(branch), commit);
  const [{ title, body, base, head }] = host.state().pulls as [Record<string, unknown>];
  const shown = (await task.command("show", "--pr")).stdout;
  assert.deepEqual(
    [title, base, head, body],
    ["Export the answer", { ref: "main" }, { ref: branch, sha: null }, shown],
  );
  // No text is an argument, and no setting of the repo is read.
  for (const call of host.calls()) {
    assert.deepEqual([call.words.join(" ").includes("Export"), call.cwd], [false, world.path("home")]);
  }
  assert.match(
    world.git(task.repo, "status", "--branch", "--porcelain"),
    /^## task-phase\/T-1\.\.\.origin\/task-phase\/T-1\n/,
  );

  const again = await pr("--base", "release");
  assert.match(again.stderr, /^updated #1 into release: Export the answer$/m);
  const third = await pr();
  assert.deepEqual([third.code, third.stdout, host.state().pulls.length], [0, `${url}\n`, 1]);
  assert.match(third.stderr, /^updated #1 into release: Export the answer$/m);

  // A commit after the proof.
  world.write(`${task.repo}/src/answer.sh`, "echo 41; echo 42 >&2\n");
  world.git(task.repo, "commit", "--quiet", "--all", "--message=Later");
  const later = await pr("--json");
  assert.deepEqual(codes(later), ["failure", "TP_GIT_UNCHECKED"]);
  assert.equal(host.tip(branch), commit);
  world.git(task.repo, "reset", "--quiet", "--hard", commit);

  // Somebody else pushed to the branch.
  const [tree, parent] = [world.git(task.repo, "rev-parse", "HEAD^{tree}"), commit];
  const theirs = world.git(task.repo, "commit-tree", "-p", parent, "-m", "theirs", tree.trim()).trim();
  world.git(task.repo, "push", "--quiet", world.path("remote.git"), `${theirs}:refs/heads/${branch}`);
  assert.deepEqual(codes(await pr("--json")), ["failure", "TP_PUSH_BEHIND"]);
  assert.equal(host.tip(branch), theirs);
  world.git("remote.git", "update-ref", `refs/heads/${branch}`, commit);

  // What became of the request.
  host.change(({ pulls: [pull] }) => Object.assign(pull ?? {}, { state: "closed" }));
  const closed = await pr("--json");
  assert.deepEqual(codes(closed), ["needs_user_decision", "TP_PR_CLOSED"]);
  host.change(({ pulls: [pull] }) =>
    Object.assign(pull ?? {}, { merged_at: "2026-01-01T00:00:00Z", head: { ref: branch, sha: commit } }),
  );
  host.calls();
  const merged = await pr();
  assert.deepEqual([merged.code, merged.stdout], [0, `${url}\n`]);
  assert.match(merged.stderr, /^#1 was merged with exactly task-phase\/T-1 \([0-9a-f]{12}\); nothing to do$/m);
  assert.deepEqual(
    host.calls().map(({ words, input }) => [words[words.indexOf("--method") + 1], input]),
    [
      ["GET", null],
      ["GET", null],
    ],
  );
});

test("the branch is compared as a clone has it: in a folder of a larger repository, with the line endings of git", async (t) => {
  const world = makeMatrixWorld(t);
  const app = { "test/check.sh": origin["test/check.sh"], "src/answer.sh": "echo 0\n", "src/other.sh": "echo 1\n" };
  const files = Object.entries(app).map(([name, text]) => [`app/${name}`, text]);
  const repo = { ...Object.fromEntries(files), ".gitattributes": "*.sh text eol=lf\n", "lib/a.txt": "a\n" };
  const task = await world.begin("inside", { repo, inside: "app" });
  const host = makeGitHost(world);
  host.connect(task.repo, github);
  world.git(task.repo, "switch", "--quiet", "--create", "work");
  // A draft of a person is in the working tree, and not handed over.
  world.write(`${task.repo}/app/src/other.sh`, "draft\n");
  assertAccepted(await task.finish({ "src/answer.sh": "#\r\necho 42\n" }), "done");
  world.git(task.repo, "commit", "--quiet", "--message=Answer", "app/src/answer.sh");
  const pr = () => world.call("task-phase", ["pr", "--task-dir", task.taskDir], { env: host.env });
  const made = await pr();
  assert.deepEqual([made.code, made.stdout], [0, "https://github.com/acme/app/pull/1\n"], made.stderr);
  // What nobody's task is about may be on the branch; a test of the repo may not.
  world.git(task.repo, "commit", "--quiet", "--message=Draft", "app/src/other.sh");
  assert.equal((await pr()).code, 0);
  world.write(`${task.repo}/app/test/more.test.sh`, "true\n");
  world.git(task.repo, "add", "--all");
  world.git(task.repo, "commit", "--quiet", "--message=Test");
  assert.equal((await pr()).code, 1);
});

test("a task that is not done gets a draft, on GitLab too, and a draft stays one", async (t) => {
  const world = makeTaskWorld(t);
  const host = makeGitHost(world);
  const task = await world.taskAt("open", "implement");
  world.initRepo({}, "cases/open/repo");
  host.connect("cases/open/repo", "git@gitlab.com:group/sub/app.git");
  world.git("cases/open/repo", "switch", "--quiet", "--create", "work");
  world.git("cases/open/repo", "commit", "--quiet", "--allow-empty", "--message=Begin");
  const pr = (...args: readonly string[]) =>
    world.call("task-phase", ["pr", "--task-dir", task.taskDir, ...args], { env: { ...host.env, GITLAB_TOKEN: "x" } });
  world.write("cases/open/repo/work.txt", "not committed\n");
  const first = await pr("--json");
  assert.deepEqual(codes(first), ["ok", "TP_PR_UNCOMMITTED"]);
  const made = first.json();
  assert.deepEqual([made.action, made.draft, made.branch, made.number], ["created", true, "work", 1]);
  const [{ title, description, source_branch, target_branch }] = host.state().pulls as [Record<string, unknown>];
  assert.deepEqual([title, source_branch, target_branch], ["Draft: Export the answer", "work", "main"]);
  assert.match(String(description), /\*\*This task is not done\.\*\*/);
  const again = (await pr("--json", "--base", "main")).json();
  assert.deepEqual([again.action, again.draft, host.state().pulls[0]?.title], ["updated", true, title]);
  assert.deepEqual([...new Set(host.calls().map(({ tool, tokens }) => `${tool} ${tokens}`))], ["glab GITLAB_TOKEN"]);
});

test("says what is missing, and what to type", async (t) => {
  const world = makeTaskWorld(t);
  const host = makeGitHost(world);
  const task = await world.taskAt("bad", "implement");
  const repo = "cases/bad/repo";
  const pr = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    world.call("task-phase", ["pr", "--json", "--task-dir", task.taskDir, ...args], { env: { ...host.env, ...env } });
  const told = async (...args: Parameters<typeof pr>) => {
    const end = await pr(...args);
    const { findings } = end.json() as { findings: { code: string; fix: string | null }[] };
    return [end.code, findings[0]?.code, findings[0]?.fix];
  };
  assert.deepEqual(await told(), [78, "TP_PR_GIT", "git init there, and commit"]);
  world.initRepo({}, repo);
  assert.deepEqual(await told(), [78, "TP_PUSH_REMOTE", "git remote add origin URL"]);
  world.git(repo, "checkout", "--quiet", "--detach");
  assert.deepEqual(await told(), [78, "TP_PR_BRANCH", "git switch -c task-phase/T-1"]);
  world.git(repo, "switch", "--quiet", "--create", "work");
  host.connect(repo, "git@code.example:acme/app.git");
  assert.deepEqual((await told()).slice(0, 2), [78, "TP_HOST_UNKNOWN"]);
  world.git(repo, "remote", "set-url", "origin", world.path("remote.git"));
  assert.match(String((await told(["--with", "gh"]))[2]), /^task-phase show TASK --pr/);
  world.git(repo, "remote", "set-url", "origin", "git@bitbucket.org:acme/app.git");
  assert.match(String((await told())[2]), /^task-phase show TASK --pr/);
  world.git(repo, "remote", "set-url", "origin", "git@code.example:acme/app.git");
  assert.deepEqual((await told(["--with", "hub"])).slice(0, 2), [64, "TP_USAGE_BAD_VALUE"]);
  // A host that nobody named gets no token, and gh is asked whether it knows it.
  host.calls();
  const tokens = { GH_ENTERPRISE_TOKEN: "x", GITLAB_TOKEN: "x" };
  assert.deepEqual(await told(["--with", "glab"], tokens).then((row) => row.slice(0, 2)), [78, "TP_HOST_LOGIN"]);
  host.change((state) => void state.logins.push("code.example"));
  host.change((state) => Object.assign(state, { refuses: "No commits between main and work" }));
  const refused = (await pr([], tokens)).json().findings as { message: string }[];
  assert.match(refused[0]?.message ?? "", /Validation Failed \(HTTP 422\); No commits between main and work$/);
  host.change((state) => delete state.refuses);
  assert.equal((await pr([], tokens)).json().exit_name, "ok");
  const sent = host.calls().map((call) => `${call.tool} ${call.tokens}`);
  assert.deepEqual([...new Set(sent)], ["glab ", "gh "]);
  await pr([], { ...tokens, GH_HOST: "code.example" });
  assert.deepEqual(host.calls().at(-1)?.tokens, ["GH_ENTERPRISE_TOKEN", "GITLAB_TOKEN"]);

  world.git(repo, "remote", "set-url", "origin", "https://github.com/acme/gone.git");
  assert.deepEqual((await told()).slice(0, 2), [1, "TP_HOST_FAILED"]);
  host.change((state) => void state.logins.splice(0));
  const login = await told();
  assert.deepEqual(login.slice(0, 2), [78, "TP_HOST_LOGIN"]);
  assert.match(String(login[2]), /^gh auth login --hostname github\.com$/);
  const missing = await told([], { PATH: world.env.PATH ?? "" });
  assert.deepEqual(missing, [78, "TP_HOST_TOOL", "install it, then: gh auth login --hostname github.com"]);
});

test("a task that is newest on its branch is told of from there, and pushed from the person's repository", async (t) => {
  const world = makeBranchWorld(t, { "T-1": {} });
  await world.ends(0, "loop");
  const pr = (...args: readonly string[]) =>
    world.call("task-phase", ["pr", "T-1", ...args], { cwd: "repo", env: host.env });
  const host = makeGitHost(world);
  for (const name of ["upstream", "fork"]) world.git("repo", "remote", "add", name, github);
  const unsure = (await pr("--json")).json() as { findings: { code: string; message: string; fix: string }[] };
  const [{ code, message, fix }] = unsure.findings as [{ code: string; message: string; fix: string }];
  assert.deepEqual([code, fix], ["TP_PUSH_REMOTE", "git config remote.pushDefault upstream"]);
  assert.match(message, /no other is chosen: upstream, fork$/);
  host.connect("repo", github);
  rmSync(world.path("repo/tasks/T-1"), { recursive: true });
  const mine = world.git("repo", "status", "--porcelain");
  const made = await pr("--draft");
  assert.deepEqual([made.code, made.stdout], [0, "https://github.com/acme/app/pull/1\n"], made.stderr);
  assert.match(made.stderr, /^created #1 into main, a draft \(gh pr ready .*\): Do T-1$/m);
  const commit = world.git("repo", "rev-parse", "task-phase/T-1").trim();
  assert.equal(host.tip("task-phase/T-1"), commit);
  assert.match(String(host.state().pulls[0]?.body), new RegExp(`/acme/app/blob/${commit}/tasks/T-1/EVIDENCE\\.md\\)`));
  assert.equal(world.git("repo", "status", "--porcelain"), mine);
  assert.match((await pr()).stderr, /^updated #1 into main, still a draft/m);
});

test("the branch of the task comes before the one that is checked out, unless it has another state of the task", async (t) => {
  const world = makeTaskWorld(t);
  const host = makeGitHost(world);
  const task = await world.taskAt("own", "implement");
  const top = "cases/own";
  task.write("README.md", task.read("README.md").replace("repo: ../../repo", "repo: ../.."));
  world.initRepo({}, top);
  host.connect(top, github);
  world.git(top, "branch", "task-phase/T-1");
  const pr = () => world.call("task-phase", ["pr", "--json", "--task-dir", task.taskDir], { env: host.env });
  assert.deepEqual([(await pr()).json().branch, host.tip("task-phase/T-1") === ""], ["task-phase/T-1", false]);
  world.git(top, "switch", "--quiet", "task-phase/T-1");
  world.write(`${top}/tasks/T-1/artifacts/journal.jsonl`, "");
  world.git(top, "commit", "--quiet", "--all", "--message=Other");
  world.git(top, "switch", "--quiet", "main");
  assert.deepEqual(codes(await pr()), ["usage", "TP_PR_OTHER"]);
  world.git(top, "branch", "--quiet", "--force", "task-phase/T-1", "main");
  world.git(top, "worktree", "add", "--quiet", world.path("beside"), "task-phase/T-1");
  const beside = ["pr", "--json", "--task-dir", world.path("beside/tasks/T-1")];
  assert.equal((await world.call("task-phase", beside, { env: host.env })).json().branch, "task-phase/T-1");
});

test("a signal ends gh too, and the next call makes one pull request", async (t) => {
  const world = makeTaskWorld(t);
  const host = makeGitHost(world);
  const task = await world.taskAt("cut", "implement");
  world.initRepo({}, "cases/cut/repo");
  host.connect("cases/cut/repo", github);
  world.git("cases/cut/repo", "switch", "--quiet", "--create", "work");
  const hangs = world.write("hangs", "");
  const pid = world.path("pid");
  const [first = "", ...rest] = world.read("host-bin/gh").split("\n");
  const hang = `case "$*" in *POST*) test -f '${hangs}' && echo $$ > '${pid}' && exec sleep 60 ;; esac`;
  world.write("host-bin/gh", [first, hang, ...rest].join("\n"));
  const args = ["pr", "--json", "--task-dir", task.taskDir];
  const end = await world.run("task-phase", args, {
    env: host.env,
    onStart: (child) => void until(() => existsSync(pid) && pidIn(pid) > 0).then(() => child.kill("SIGINT")),
  });
  assert.deepEqual([end.code, codes(end)], [130, ["sigint", "TP_STOPPED"]]);
  assert.equal(lives(pidIn(pid)), false);
  rmSync(hangs);
  const made = await world.call("task-phase", args, { env: host.env });
  assert.deepEqual([made.json().action, host.state().pulls.length], ["created", 1]);
});
