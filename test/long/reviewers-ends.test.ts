import assert from "node:assert/strict";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runPass } from "../../lib/pass/run-pass.ts";
import { anchorFolder } from "../../lib/task/records/anchor.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { said } from "../cli/models-world.ts";
import { makeReviewWorld, none, proposes, report } from "../cli/review-world.ts";
import { goodRepo, type Report } from "../cli/task-world.ts";
import { noSandbox } from "../process/can-sandbox.ts";

test("a signal ends the reviewers, what they reported stands, and no model is called", async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "review", ["security", "tests"]);
  // Once the other one has ended.
  task.does("tests", "echo $$ > $reviews/pid; cat $reviews/tests.md");
  const ended = "test -f $reviews/pid && ! kill -0 $(cat $reviews/pid) 2>/dev/null";
  task.does("security", `until ${ended}; do sleep 0.05; done; sleep 0.3; touch $reviews/began; exec sleep 30`);
  const stop = new AbortController();
  const request = { taskDir: task.taskDir, repo: null, model: null, models: null, timeoutMs: null, config: null };
  const pass = runPass(
    { ...request, dryRun: false, run: null },
    {
      env: world.env,
      home: world.path("home"),
      cwd: world.folder,
      now: () => new Date(),
      redactor: createRedactor({}),
      signal: stop.signal,
      tell: () => undefined,
    },
  );
  while (!world.exists(task.prepared("began"))) await sleep(10);
  stop.abort("SIGTERM");
  const stopped = await pass;
  assert.deepEqual([stopped.exit_name, stopped.verdict, task.calls()], ["sigterm", null, 0]);
  assert.deepEqual(
    task.reviews().map(({ role, problem, end }) => [role, problem, end.kind]),
    [
      ["security", "the run was stopped", "interrupted"],
      ["tests", null, "exited"],
    ],
  );
  task.does("security", "cat $reviews/security.md");
  task.propose(proposes("done"));
  assert.equal((await task.pass()).to, "done");
  assert.deepEqual(task.asked(), ["security review 2", "security review 2", "tests review 2"]);
});

test("reviewers of a run that was killed are charged at their estimate, and asked again", async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "review", ["security"], { model: ", estimate_usd: 0.5" });
  // What a killed run leaves: the files as they are while a reviewer works.
  const parts = ["cases/case/tasks", "state"];
  const snap = parts.map((part, index) => `cp -R ${world.path(part)} ${world.path(`snap${index}`)}`);
  task.does("security", [...snap, "cat $reviews/security.md"].join("\n"));
  task.propose(proposes("done"));
  assert.equal((await task.pass()).to, "done");
  for (const [index, part] of parts.entries()) {
    rmSync(world.path(part), { recursive: true });
    cpSync(world.path(`snap${index}`), world.path(part), { recursive: true });
  }
  assert.ok(existsSync(path.join(anchorFolder(task.taskDir, { env: world.env, home: "" }), "review-2")));
  task.does("security", "cat $reviews/security.md");
  assert.equal((await task.pass()).to, "done");
  assert.deepEqual(
    task.reviews().map(({ problem, end, estimate_usd }) => [problem, end.kind, estimate_usd]),
    [
      ["the run was cut off", "interrupted", 0.5],
      [null, "exited", 0.5],
    ],
  );
  assert.equal(existsSync(path.join(anchorFolder(task.taskDir, { env: world.env, home: "" }), "review-2")), false);
});

test("a reviewer that meets a limit starts the cooldown: the pass is unavailable and costs nothing", async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "review", ["security", "tests"]);
  world.write(
    "bin/claude",
    `#!/bin/sh\ntest "$TASK_PHASE_ROLE" = tests && cat ${world.path("good")} || cat ${world.path("bad")}\n`,
  );
  chmodSync(world.path("bin/claude"), 0o755);
  world.write("good", said.claude.done.replace("Wrote the line.", "## Findings\\n\\nnone"));
  world.write("bad", said.claude.limit);
  world.write("cases/case/tasks/task-phase.yaml", "models: [{ name: claude, adapter: claude }]\n");
  const env = { PATH: `${world.path("bin")}:${world.env.PATH}` };
  const end = await world.call("task-phase-run", ["--task-dir", task.taskDir, "--json"], { env });
  const told = end.json() as unknown as Report;
  assert.deepEqual([end.code, told.verdict, told.to], [24, "unavailable", "review"]);
  assert.match(told.reason, /^reviewer security: claude: API Error/);
  assert.match(world.read("cases/case/tasks/.task-phase/cooldowns.json"), /"claude": \{\n {4}"cooldown_until"/);
  assert.deepEqual(
    task.reviews().map(({ role, problem, cost_usd }) => [role, problem === null, cost_usd]),
    [
      ["security", false, null],
      ["tests", true, 0.25],
    ],
  );
  const verdict = task.events().findLast((event) => event.type === "verdict");
  assert.deepEqual(verdict?.type === "verdict" && [verdict.cost_usd, verdict.end.kind], [null, "limited"]);
});

test("a reviewer is given all that the task changed, from where it began", async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "intake", ["tests"], {
    at: "[shape]",
    repo: { ".gitignore": "*.log\n", ...goodRepo },
  });
  world.git("cases/case/repo", "init", "--quiet");
  world.git("cases/case/repo", "add", "--all");
  world.git("cases/case/repo", "commit", "--quiet", "--message=start");
  const head = world.git("cases/case/repo", "rev-parse", "HEAD").trim();
  task.propose({ ...proposes("shape"), repo: { "new.txt": "new\n" } });
  await task.pass();
  const started = task.events().find((event) => event.type === "pass_started");
  assert.equal(started?.type === "pass_started" && started.head_commit, head);
  world.git("cases/case/repo", "add", "--all");
  world.git("cases/case/repo", "commit", "--quiet", "--message=work");
  task.does(
    "tests",
    "cat ../diff.patch > $reviews/seen; cat > $reviews/prompt; ls -A > $reviews/files; cat $reviews/tests.md",
  );
  task.propose(proposes("implement"));
  assert.equal((await task.pass()).to, "implement");
  assert.match(world.read(task.prepared("seen")), /^diff --git a\/new\.txt b\/new\.txt\nnew file mode/);
  assert.equal(world.read(task.prepared("files")), ".gitignore\ngood.txt\nnew.txt\n");
  assert.match(
    world.read(task.prepared("prompt")),
    new RegExp(`against commit ${head.slice(0, 12)}, where the task began; whole`),
  );
  assert.match(world.read(task.prepared("prompt")), /- Phase: shape/);
});

test("a reviewer that removes the repo's .git is tampering", async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "review", ["tests"]);
  world.git("cases/case/repo", "init", "--quiet");
  task.does("tests", `rm -rf ${world.path("cases/case/repo/.git")}; cat $reviews/tests.md`);
  const told = await task.pass();
  assert.deepEqual([told.verdict, task.calls()], ["rejected", 0]);
  assert.match(
    told.reason,
    /^a reviewer removed \.git, which it must not \(the repo's \.git is gone\); it could not be restored$/,
  );
});

test("recorded reviews are replayed; one that was not recorded is missing", async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "review", ["security", "tests"]);
  const recordings = "cases/case/tasks/recordings";
  world.write(
    "cases/case/tasks/task-phase.yaml",
    "models: [{ name: played, adapter: replay, recordings: recordings }]\n",
  );
  world.write(`${recordings}/0001/task/STATE.md`, proposes("done").task["STATE.md"] ?? "");
  world.write(`${recordings}/0001/output.txt`, "<promise>COMPLETE</promise>\n");
  world.write(`${recordings}/0001/reviews/security.md`, report("[major] slow"));
  const refused = await task.pass();
  assert.deepEqual([refused.verdict, refused.to], ["rejected", "review"]);
  assert.match(refused.reason, /^reviewer tests has no readable report on the current state: it is empty/);
  cpSync(world.path(recordings, "0001"), world.path(recordings, "0002"), { recursive: true });
  world.write(`${recordings}/0002/reviews/tests.md`, none);
  assert.equal((await task.pass()).to, "done");
  assert.deepEqual(
    task.reviews().map(({ role, pass, findings }) => [role, pass, findings.length]),
    [
      ["security", 2, 1],
      ["tests", 2, 0],
      ["tests", 3, 0],
    ],
  );
});

test("in a sandbox a reviewer can write to its own copy and nowhere else", { skip: noSandbox }, async (t) => {
  const world = makeReviewWorld(t);
  const task = await world.reviewed("case", "review", ["security"]);
  const config = "cases/case/tasks/task-phase.yaml";
  world.write(config, `sandbox: bwrap\n${world.read(config)}`);
  const tries = [
    `${world.path("cases/case/repo")}/x`,
    `${task.taskDir}/x`,
    `${task.taskDir}/artifacts/journal.jsonl`,
    "$TASK_PHASE_REPO/x",
    "$TASK_PHASE_TASK_DIR/x",
  ];
  task.does(
    "security",
    `printf '## Findings\\n\\n'\nfor at in ${tries.join(" ")}; do (echo x >> $at) 2>/dev/null && echo "- [note] wrote" || echo "- [minor] could not"; done`,
  );
  await task.pass();
  assert.deepEqual(
    task.reviews().map(({ problem, findings }) => [problem, findings.map(({ text }) => text)]),
    [[null, ["could not", "could not", "could not", "wrote", "wrote"]]],
  );
});
