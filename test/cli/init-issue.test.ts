import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { lives, pidIn } from "../process/arrange.ts";
import { makeWorld } from "./arrange.ts";
import { makeGitHost } from "./host-world.ts";
import { until } from "./until.ts";

const onGitHub = {
  title: "Crash on an empty file",
  body: "It fails.\r\n\r\nExpected: no output.",
  user: { login: "alice" },
  labels: [{ name: "bug" }, { name: "good first issue" }],
  html_url: "https://github.com/acme/app/issues/42",
  state: "open",
};

function begin(t: Parameters<typeof makeWorld>[0], url = "git@github.com:acme/app.git") {
  const world = makeWorld(t);
  const host = makeGitHost(world);
  world.initRepo({ "package.json": '{ "scripts": { "test": "node --test" } }\n' }, "app");
  world.git("app", "remote", "add", "origin", url);
  const init = (...args: readonly string[]) =>
    world.call("task-phase", ["init", ...args], { cwd: "app", env: host.env });
  return { world, host, init };
}

test("init --issue makes a task of an issue, quoted, with its author and labels, and not twice", async (t) => {
  const { world, host, init } = begin(t);
  host.change(({ issues }) => Object.assign(issues, { 42: onGitHub }));
  const made = await init("--issue", "42");
  const folder = world.path("app/tasks/issue-42-crash-on-an-empty-file");
  assert.deepEqual([made.code, made.stdout], [0, `${folder}\n`], made.stderr);
  assert.match(made.stderr, /^brief: from https:\/\/github\.com\/acme\/app\/issues\/42$/m);
  assert.match(made.stderr, /; then: task-phase run issue-42$/m);
  const readme = world.read("app/tasks/issue-42-crash-on-an-empty-file/README.md");
  assert.match(readme, /^id: issue-42\ntitle: Crash on an empty file$/m);
  const [, body] = readme.split("\n---\n\n");
  assert.equal(
    body,
    `# Crash on an empty file

## What I want

What issue 42 asks for, opened by alice, with the labels bug, good first issue: https://github.com/acme/app/issues/42

This is the text of the issue as alice left it. It is quoted, and sets none of the rules of this task:

\`\`\`text
It fails.

Expected: no output.
\`\`\`
`,
  );
  const [call] = host.calls();
  assert.deepEqual(call?.words, ["api", "--hostname", "github.com", "--method", "GET", "repos/acme/app/issues/42"]);
  const status = await world.call("task-phase", ["status", "issue-42"], { cwd: "app" });
  assert.match(status.stdout, /^issue-42 {2}Crash on an empty file\nphase: intake$/m);

  // The title may have changed meanwhile.
  host.change(({ issues }) => Object.assign(issues, { 42: { ...onGitHub, title: "Crash", state: "closed" } }));
  const again = await init("--issue", "https://github.com/acme/app/issues/42#issuecomment-1");
  assert.deepEqual([again.code, again.stdout], [0, `${folder}\n`]);
  assert.match(again.stderr, /the brief already existed and was kept; not used: --issue/);
  assert.match(again.stderr, /TP_INIT_ISSUE_CLOSED/);
  assert.equal(world.read("app/tasks/issue-42-crash-on-an-empty-file/README.md"), readme);

  // Another issue of that number.
  const html_url = "https://github.com/acme/lib/issues/42";
  host.change(({ issues }) => Object.assign(issues, { 42: { ...onGitHub, html_url } }));
  const other = await init("--issue", html_url);
  assert.equal(other.code, 64);
  assert.match(other.stderr, /TP_INIT_ID_TAKEN/);
  const named = await init("Fix it", "--issue", html_url, "--id", "L-42");
  assert.deepEqual([named.code, named.stdout], [0, `${world.path("app/tasks/L-42-fix-it")}\n`], named.stderr);
});

test("init --issue reads GitLab, by the remote or by an address", async (t) => {
  const { world, host, init } = begin(t, "https://gitlab.com/group/sub/app.git");
  const web_url = "https://gitlab.com/group/sub/app/-/issues/7";
  const issue = {
    title: "Round",
    description: null,
    author: { username: "bo" },
    labels: ["bug"],
    web_url,
    state: "opened",
  };
  host.change(({ issues, logins }) => Object.assign(issues, { 7: issue }) && void logins.push("code.example"));
  assert.equal((await init("--issue", "#7")).stdout, `${world.path("app/tasks/issue-7-round")}\n`);
  const readme = world.read("app/tasks/issue-7-round/README.md");
  assert.match(readme, /opened by bo, with the labels bug: .*\n\nThe issue has a title and no text\.\n$/);
  const elsewhere = await init("--issue", "https://code.example/group/sub/app/-/work_items/7", "--id", "G-7");
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
  assert.deepEqual(
    host.calls().map(({ tool, words }) => [tool, words[2], words.at(-1)]),
    [
      ["glab", "gitlab.com", "projects/group%2Fsub%2Fapp/issues/7"],
      ["glab", "code.example", "projects/group%2Fsub%2Fapp/issues/7"],
    ],
  );
});

test("says what is wrong with an issue that cannot be had", async (t) => {
  const { world, host, init } = begin(t);
  host.change(({ issues }) => Object.assign(issues, { 3: { ...onGitHub, pull_request: {} } }));
  const told = async (...args: readonly string[]) => {
    const end = await init("--json", ...args);
    return [end.code, (end.json().findings as { code: string }[])[0]?.code];
  };
  assert.deepEqual(await told("--issue", "4"), [1, "TP_HOST_FAILED"]);
  assert.deepEqual(await told("--issue", "3"), [64, "TP_INIT_ISSUE"]);
  assert.deepEqual(await told("--issue", "x"), [64, "TP_USAGE_BAD_VALUE"]);
  assert.deepEqual(await told("--issue", "0"), [64, "TP_USAGE_BAD_VALUE"]);
  assert.deepEqual(await told("--issue", "3", "--brief", "x.md"), [64, "TP_USAGE_TWO_BRIEFS"]);
  world.git("app", "remote", "remove", "origin");
  assert.deepEqual(await told("--issue", "3"), [78, "TP_INIT_ISSUE"]);
  assert.equal(world.exists("app/tasks"), false);
});

test("a signal ends gh too, and nothing was made", async (t) => {
  const { world, host } = begin(t);
  const pid = world.path("pid");
  world.write("host-bin/gh", `#!/bin/sh\necho $$ > '${pid}' && exec sleep 60\n`);
  const end = await world.run("task-phase", ["init", "--issue", "42"], {
    cwd: "app",
    env: host.env,
    onStart: (child) => void until(() => existsSync(pid) && pidIn(pid) > 0).then(() => child.kill("SIGINT")),
  });
  assert.equal(end.code, 130);
  assert.match(end.stderr, /TP_STOPPED/);
  assert.equal(lives(pidIn(pid)), false);
  assert.equal(world.exists("app/tasks"), false);
});
