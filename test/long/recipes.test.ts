import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { makeWorld, projectRoot, type World } from "../cli/arrange.ts";
import { briefFile } from "../cli/brief-file.ts";
import { stateFile } from "../cli/task-states.ts";
import { agentPath } from "../fake-agents/agent-path.ts";

/** The recipes of docs/unattended.md and docs/recipes, each run as what it stands for would run it. */
const text = readFileSync(path.join(projectRoot, "docs", "unattended.md"), "utf8");

function recipe(name: string): string {
  return readFileSync(path.join(projectRoot, "docs", "recipes", name), "utf8");
}

function blockUnder(heading: string, language: string): string {
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(section);
  return block?.[1] ?? assert.fail(`${heading} has no ${language} block`);
}

/** A repo in its own home as app/, with a tasks root in it and programs on a PATH, and a bare remote. */
function makeApp(t: TestContext): { world: World; env: Record<string, string>; app: string } {
  const world = makeWorld(t);
  const app = world.initRepo(
    {
      "work.txt": "first\n",
      ".gitignore": "node_modules/\n",
      "tasks/.gitignore": "/.task-phase/locks/\n/.cron.lock\n",
      "tasks/task-phase.yaml": `models:\n  - { name: walker, adapter: command, command: [/bin/sh, ${agentPath("walks.sh")}, ${world.path("plans")}] }\n`,
      "tasks/T-1/README.md": briefFile(
        ["id: T-1", "title: Add a line", "validators: [{ name: tests, command: [test, -s, work.txt] }]"],
        "Add",
      ),
      "tasks/T-1/STATE.md": stateFile({ phase: "intake" }),
    },
    "home/app",
  );
  world.write("plans/.keep", "");
  mkdirSync(world.path("bin"));
  const loop = path.join(projectRoot, "bin", "task-phase-loop");
  for (const [name, script] of [
    ["task-phase-loop", `exec '${process.execPath}' '${loop}' "$@"`],
    ["npx", 'exec "$@"'],
    ["npm", "exit 0"],
  ])
    chmodSync(world.write(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", world.path("remote.git")], {
    env: world.env,
  });
  world.git("home/app", "remote", "add", "origin", world.path("remote.git"));
  world.git("home/app", "push", "--quiet", "--set-upstream", "origin", "main");
  const env = { ...world.env, HOME: world.path("home"), PATH: `${world.path("bin")}:${world.env.PATH}` };
  return { world, env, app };
}

/** Someone else pushed in the meantime. */
function pushMeanwhile(world: World): void {
  world.git(".", "clone", "--quiet", world.path("remote.git"), "other");
  world.write("other/theirs.txt", "theirs\n");
  world.git("other", "add", "--all");
  world.git("other", "commit", "--quiet", "--message=theirs");
  world.git("other", "push", "--quiet");
}

function remoteState(world: World): string {
  return world.git("remote.git", "show", "main:tasks/T-1/STATE.md");
}

test("each recipe is linked from a page, and what it is written in can read it", () => {
  const folder = path.join(projectRoot, "docs", "recipes");
  const pages = readdirSync(path.join(projectRoot, "docs")).filter((name) => name.endsWith(".md"));
  const text = pages.map((name) => readFileSync(path.join(projectRoot, "docs", name), "utf8")).join("\n");
  for (const name of readdirSync(folder)) {
    assert.ok(text.includes(`](recipes/${name})`), name);
    if (name.endsWith(".yml")) assert.equal(typeof parse(recipe(name)), "object", name);
    if (!name.endsWith(".sh")) continue;
    const end = spawnSync("sh", ["-n"], { input: recipe(name), encoding: "utf8" });
    assert.deepEqual([end.status, end.stderr], [0, ""], name);
  }
});

test("the line for cron works with what cron gives it, and says nothing when the tasks are done", (t) => {
  const { world, env, app } = makeApp(t);
  const [settings = "", line = ""] = blockUnder("cron", "crontab").trimEnd().split("\n");
  assert.match(settings, /^PATH=/);
  assert.match(line, /^\*\/10 \* \* \* \* /);
  const command = line.split(" ").slice(5).join(" ");
  assert.doesNotMatch(command, /%/, "cron takes a percent sign for the end of the line");
  const given = { ...env, SHELL: "/bin/sh", LOGNAME: "somebody" };
  const first = spawnSync("/bin/sh", ["-c", command], { cwd: world.path("home"), env: given, encoding: "utf8" });
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, /T-1 {2}pass 5 {2}review → done {2}accepted/);
  const second = spawnSync("/bin/sh", ["-c", command], { cwd: world.path("home"), env: given, encoding: "utf8" });
  assert.deepEqual([second.status, second.stdout, second.stderr], [0, "", ""]);
  assert.match(readFileSync(path.join(app, "tasks/T-1/STATE.md"), "utf8"), /^- Phase: done$/m);
  assert.doesNotMatch(world.git("home/app", "status", "--porcelain"), /cron\.lock/);
});

test("the units for systemd are what it takes, and start the loop", (t) => {
  const { world, env } = makeApp(t);
  const service = recipe("task-phase.service");
  const timer = recipe("task-phase.timer");
  const start = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? "";
  const end = spawnSync("/bin/sh", ["-c", `exec ${start}`], { cwd: world.path("home/app"), env, encoding: "utf8" });
  assert.equal(end.status, 0, end.stderr);
  const files = [world.write("units/task-phase.service", service), world.write("units/task-phase.timer", timer)];
  const verified = spawnSync("systemd-analyze", ["--man=no", "verify", ...files], { env, encoding: "utf8" });
  if ((verified.error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") {
    t.diagnostic("systemd-analyze is not here: the units were not verified");
    return;
  }
  const said = verified.stderr.split("\n").filter((line) => line.includes("task-phase."));
  assert.deepEqual([verified.status, said], [0, []]);
});

test("the steps for GitHub Actions leave STATE.md at done in the remote, with what was pushed meanwhile", (t) => {
  const { world, env, app } = makeApp(t);
  const workflow = parse(recipe("github-actions.yml")) as {
    on: { schedule: { cron: string }[] };
    jobs: { loop: { steps: { run?: string }[] } };
  };
  assert.match(workflow.on.schedule[0]?.cron ?? "", /^\S+ \S+ \S+ \S+ \S+$/);
  pushMeanwhile(world);
  for (const { run } of workflow.jobs.loop.steps) {
    if (run === undefined) continue;
    // As the runner calls it.
    const end = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: app,
      env,
      encoding: "utf8",
    });
    assert.equal(end.status, 0, `${run}\n${end.stderr}`);
  }
  assert.match(remoteState(world), /^- Phase: done$/m);
  assert.equal(world.git("remote.git", "show", "main:theirs.txt"), "theirs\n");
  assert.equal(world.git("home/app", "status", "--porcelain"), "");
  const kept = world.git("remote.git", "ls-tree", "-r", "--name-only", "main", "tasks/.task-phase/");
  assert.match(kept, /^tasks\/\.task-phase\/runs\//m, "what the next machine needs to know is committed");
  assert.doesNotMatch(kept, /locks\//);
});

test("the script for GitLab does the same from a detached checkout", (t) => {
  const { world, env, app } = makeApp(t);
  const job = (parse(recipe("gitlab-ci.yml")) as Record<string, { script: string[] }>)["task-phase"];
  pushMeanwhile(world);
  world.git("home/app", "checkout", "--quiet", "--detach");
  // One shell for the whole script, as the runner does it; the remote stands in for the server's address.
  const script = (job?.script ?? []).map((line) =>
    line.startsWith("git remote set-url") ? `git remote set-url --push origin '${world.path("remote.git")}'` : line,
  );
  const end = spawnSync("bash", ["-eo", "pipefail", "-c", script.join("\n")], {
    cwd: app,
    env: { ...env, CI_COMMIT_BRANCH: "main", CI_COMMIT_SHA: world.git("home/app", "rev-parse", "HEAD").trim() },
    encoding: "utf8",
  });
  assert.equal(end.status, 0, end.stderr);
  assert.match(remoteState(world), /^- Phase: done$/m);
  assert.equal(world.git("remote.git", "show", "main:theirs.txt"), "theirs\n");
});

test("an end that a person must look at is no failure of the job, and a wrong configuration is one", (t) => {
  const { world, env, app } = makeApp(t);
  const workflow = parse(recipe("github-actions.yml")) as { jobs: { loop: { steps: { run?: string }[] } } };
  const run = workflow.jobs.loop.steps.find((step) => step.run?.includes("task-phase-loop"))?.run ?? "";
  const ends = [0, 1, 2, 3, 20, 21, 22, 23, 24, 25, 64, 65, 75, 78, 130, 143];
  const codes = ends.map((code) => {
    chmodSync(world.write("bin/task-phase-loop", `#!/bin/sh\nexit ${code}\n`), 0o755);
    return [code, spawnSync("bash", ["-eo", "pipefail", "-c", run], { cwd: app, env }).status];
  });
  const kept = [1, 64, 65, 78, 130, 143];
  assert.deepEqual(
    codes,
    ends.map((code) => [code, kept.includes(code) ? code : 0]),
  );
});

test("the result of a CI run is a check: done once the host's CI passed on each pushed commit", (t) => {
  const { world, env, app } = makeApp(t);
  // Says of a commit what a host would: nothing before it is pushed, then queued, then a success.
  const gh = [
    "sha=$4",
    `git --git-dir '${world.path("remote.git")}' cat-file -e "$sha" 2> /dev/null || exit 0`,
    `echo "$sha" >> '${world.path("asked")}'`,
    `test "$(grep -c "$sha" '${world.path("asked")}')" -gt 1 || { echo "queued "; exit 0; }`,
    `if git --git-dir '${world.path("remote.git")}' show "$sha:bad.txt" > /dev/null 2>&1; then echo "completed failure"; fi`,
    'echo "completed success"',
  ];
  for (const [name, script] of [
    ["gh", gh.join("\n")],
    ["sleep", "exit 0"],
  ])
    chmodSync(world.write(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  world.write("home/app/ci/passed.sh", recipe("passed.sh"));
  const brief = world.read("home/app/tasks/T-1/README.md");
  const validators = blockUnder("The result of a CI run", "yaml").replace("[npm, test]", "[test, -s, work.txt]");
  world.write("home/app/tasks/T-1/README.md", brief.replace(/^validators:.*\n/m, validators));
  const config = world.read("home/app/tasks/task-phase.yaml");
  world.write("home/app/tasks/task-phase.yaml", `${config}checkpoint: push\n`);
  world.git("home/app", "add", "--all");
  world.git("home/app", "commit", "--quiet", "--message=The check");
  world.git("home/app", "push", "--quiet");
  const given = { ...env, TASK_PHASE_TRUST: "1" };
  const check = () => spawnSync("sh", ["ci/passed.sh"], { cwd: app, env: given, encoding: "utf8" });
  assert.equal(check().status, 0);
  world.write("home/app/bad.txt", "bad\n");
  world.git("home/app", "add", "bad.txt");
  assert.match(check().stdout, /CI has not seen/);
  world.git("home/app", "commit", "--quiet", "--message=bad");
  world.git("home/app", "push", "--quiet");
  assert.match(check().stdout, /completed failure\nCI did not pass on/);
  world.git("home/app", "rm", "--quiet", "bad.txt");
  world.git("home/app", "commit", "--quiet", "--message=good");
  world.git("home/app", "push", "--quiet");

  const loop = spawnSync(path.join(world.path("bin"), "task-phase-loop"), ["--tasks-root", "tasks"], {
    ...{ cwd: app, env: given, encoding: "utf8" },
  });
  assert.equal(loop.status, 0, loop.stderr);
  assert.match(loop.stderr, /review → done {2}accepted/);
  const implemented = world.git("home/app", "log", "--format=%H", "--grep=implement → verify").trim();
  assert.match(implemented, /^[0-9a-f]{40}$/);
  assert.ok(world.read("asked").includes(implemented));
});
