import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { makeBranchWorld } from "./branch-world.ts";
import { until } from "./until.ts";

describe("workspace: branch", () => {
  test("does each task in a clone on its own branch, and nothing of a person's changes", async (t) => {
    const afterOther = `until grep -q '^T-2 .* review' "$1/calls"; do sleep 0.02; done`;
    const world = makeBranchWorld(t, { "T-1": { plan: [afterOther] }, "T-2": {} });
    world.write("repo/work.txt", "a person's own edit\n");
    world.git("repo", "add", "work.txt");
    world.write("repo/draft.txt", "unfinished\n");
    const before = world.mine();
    const { stderr } = await world.ends(0, "loop", "--jobs", "2");
    assert.match(stderr, /^done without proof: T-1 .*T-2/m, "in the order in which they began");
    assert.equal(world.mine(), before);
    assert.deepEqual(world.branches(), ["main", "task-phase/T-1", "task-phase/T-2"]);
    assert.match(stderr, /T-1 .*the brief is in no commit yet: it is taken along to task-phase\/T-1/s);
    assert.equal(world.git("repo", "show", "task-phase/T-1:T-1.txt"), "work of T-1\n");
    assert.equal(world.git("repo", "show", "task-phase/T-1:work.txt"), "first\n");
    assert.doesNotMatch(world.git("repo", "ls-tree", "-r", "--name-only", "task-phase/T-1"), /draft|T-2/);
    assert.doesNotMatch(world.read("plans/calls"), /\/repo$/m);
  });

  for (const config of ["workspace: branch\n", "checkpoint: commit\n"]) {
    test(`commits what an agent forced into the index, and proves it (${config.trim()})`, async (t) => {
      const force = "mkdir -p ignored; echo x > ignored/forced.txt; git add -f ignored/forced.txt";
      const world = makeBranchWorld(t, { "T-1": { plan: [force] } }, config);
      const brief = "repo/tasks/T-1/README.md";
      world.write(brief, world.read(brief).replace(/^proof: .*$/m, "proof: { without: off, wrong: off }"));
      world.write(brief, world.read(brief).replace("test ! -f broken-T-1", "test -f ignored/forced.txt"));
      await world.ends(0, "loop", "T-1");
      const ref = config.startsWith("workspace") ? "task-phase/T-1" : "HEAD";
      assert.equal(world.git("repo", "show", `${ref}:ignored/forced.txt`), "x\n");
      assert.equal(await world.phaseOf("T-1"), "done");
    });
  }

  for (const config of ["workspace: branch\n", "checkpoint: commit\n"]) {
    test(`leaves a file of secrets that an agent forced into the index, and says so (${config.trim()})`, async (t) => {
      const force = "echo KEY=1 > .env; git add -f .env";
      const world = makeBranchWorld(t, { "T-1": { plan: [force] } }, config);
      world.write("repo/.gitignore", ".env\n");
      world.git("repo", "commit", "-qam", "ignore");
      const { stderr } = await world.ends(0, "run", "T-1");
      assert.match(stderr, /warning: not committed: \.env.*TP_GIT_LEFT_OUT/);
      assert.doesNotMatch(stderr, /error:/);
      const ref = config.startsWith("workspace") ? "task-phase/T-1" : "HEAD";
      assert.doesNotMatch(world.git("repo", "ls-tree", "-r", "--name-only", ref), /\.env/);
    });
  }

  test("is shown where it is newest: status, the list, show, check, board", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    await world.ends(0, "loop", "T-1");
    assert.equal(await world.phaseOf("T-1"), "done");
    assert.equal(await world.phaseOf("T-2"), "intake");
    assert.match((await world.ends(0, "show", "T-1")).stdout, /phase: done/);
    assert.match((await world.ends(0, "check", "T-1")).stdout, /nothing is wrong/);
    const all = "T-1: nothing is wrong, 3 verdicts decided again\nT-2: nothing is wrong, 0 verdicts decided again\n";
    assert.equal((await world.ends(0, "check")).stdout, all);
    await world.ends(0, "board");
    assert.match(world.read("repo/tasks/BOARD.md"), /1 done/);
    assert.match(world.read("repo/tasks/T-1/STATE.md"), /Phase: intake/);
  });

  test("`run` does the next pass where the last one ended", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    assert.equal(await world.phaseOf("T-1"), "verify");
    for (const command of ["run", "loop"]) {
      const { stdout, stderr } = await world.ends(0, command, "T-1", "--dry-run");
      assert.match(stderr, /dry run: .*(?:review|verify)/);
      assert.doesNotMatch(stdout, /the phase `implement`/);
    }
    await world.ends(0, "run");
    assert.equal(await world.phaseOf("T-1"), "done");
    const { stdout, stderr } = await world.ends(0, "run", "T-1");
    assert.match(stdout + stderr, /the task is done.*task-phase resume T-1 --to intake/s);
  });

  test("counts what tasks used on their branches against the budget of the day, in the working tree as well", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    await world.ends(0, "loop", "T-1");
    const file = "repo/tasks/task-phase.yaml";
    world.write(file, world.read(file).replace("workspace: branch", "budget: { day: { passes: 2 } }"));
    const day = /2 passes of 2 passes are spent, all of `budget.day.passes`/;
    assert.match((await world.ends(0, "status")).stdout, day);
    assert.match((await world.ends(0, "status", "T-2")).stdout, day);
    assert.match((await world.ends(2, "run", "T-2")).stderr, day);
  });

  test("counts what other jobs have claimed since a check ran against the budget of the day", async (t) => {
    const slow = { contract: ["validators: [{ name: tests, command: [sleep, '1'] }]"], plan: [":", "sleep 2"] };
    const world = makeBranchWorld(t, { "T-1": slow, "T-2": slow });
    const file = "repo/tasks/task-phase.yaml";
    world.write(file, world.read(file).replace("workspace: branch", "budget: { day: { passes: 3 } }"));
    const { stderr } = await world.ends(2, "loop", "--jobs", "2");
    assert.match(stderr, /3 passes of 3 passes are spent, all of `budget.day.passes`/);
    const phases = [await world.phaseOf("T-1"), await world.phaseOf("T-2")];
    assert.deepEqual(phases.sort(), ["done", "review"]);
  });

  test("jobs that begin together exceed no budget of the run, and one waits for what another leaves of it", async (t) => {
    const half = `echo '{"cost_usd": 0.5}' > "$TASK_PHASE_USAGE_FILE"; sleep 1`;
    const slow = { plan: [half, half, half] };
    const world = makeBranchWorld(t, { "T-1": slow, "T-2": slow, "T-3": slow, "T-4": slow });
    const file = "repo/tasks/task-phase.yaml";
    const config = world.read(file).replace("timeout: 60s", "timeout: 60s, estimate_usd: 1");
    world.write(file, config.replace("workspace: branch", "budget: { run: { money_usd: 2 } }"));
    const { stderr } = await world.ends(2, "loop", "--jobs", "4");
    assert.match(stderr, /1\.50 USD of 2\.00 USD are spent, and the next pass, by walker, is estimated at 1\.00 USD/);
  });

  test("a job without room begins as soon as another has given back what it claimed", async (t) => {
    const asks = ["validators: [{ name: tests, command: [sh, -c, 'sleep 3; no-such-program'] }]"];
    const afterThird = `until grep -q '^T-3 ' "$1/calls"; do sleep 0.1; done`;
    const config = "budget: { run: { money_usd: 2 } }\nworkspace: branch\n";
    const world = makeBranchWorld(t, { "T-1": { plan: [afterThird] }, "T-2": { contract: asks }, "T-3": {} }, config);
    const file = "repo/tasks/task-phase.yaml";
    world.write(file, world.read(file).replace("timeout: 60s", "timeout: 30s, estimate_usd: 1"));
    const { stderr } = await world.ends(2, "loop", "--jobs", "3");
    assert.match(stderr, /^T-1 +pass 1 +implement → verify +accepted/m);
  });

  test("a pass does not count its own claim, made for its reviewers, against the budgets of run and day", async (t) => {
    const contract = ["review: { reviewers: [tests] }"];
    const budget = "budget: { day: { passes: 2 }, run: { money_usd: 3 } }\n";
    const world = makeBranchWorld(t, { "T-1": { contract } }, `${budget}workspace: branch\n`);
    const file = "repo/tasks/task-phase.yaml";
    const reports = `[sh, -c, 'test -z "$TASK_PHASE_ROLE" || exec echo none; exec "$@"', sh, "/bin/sh"`;
    const config = world.read(file).replace("timeout: 60s", "timeout: 60s, estimate_usd: 1");
    world.write(file, config.replace('["/bin/sh"', reports));
    await world.ends(0, "loop", "T-1");
    assert.equal(await world.phaseOf("T-1"), "done");
  });

  for (const budget of ["", "budget: { day: { passes: 9 } }\n"])
    test(`counts no check without a model as one of --max-passes ${budget.trim()}`.trim(), async (t) => {
      const world = makeBranchWorld(t, { "T-1": {} }, `${budget}workspace: branch\n`);
      const { stderr } = await world.ends(0, "loop", "--task-dir", "tasks/T-1", "--max-passes", "2");
      assert.match(stderr, /stopped after 2 passes/);
      assert.equal(await world.phaseOf("T-1"), "done");
    });

  test("counts the working tree's passes of a task that forked from its branch", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    const file = "repo/tasks/task-phase.yaml";
    world.write(file, world.read(file).replace("workspace: branch", "budget: { day: { passes: 2 } }"));
    await world.ends(0, "run", "T-1");
    await world.ends(0, "run", "T-1");
    world.git("repo", "clone", "--quiet", ".", world.path("other"));
    cpSync(world.path("repo/tasks"), world.path("other/tasks"), { recursive: true });
    world.write("other/tasks/T-1/artifacts/journal.jsonl", "{}\n");
    world.git("other", "checkout", "--quiet", "-b", "task-phase/T-1");
    world.git("other", "add", "--force", "tasks/T-1");
    world.git("other", "commit", "--quiet", "--message=other");
    world.git("repo", "fetch", "--quiet", world.path("other"), "task-phase/T-1:task-phase/T-1");
    assert.match((await world.ends(65, "status")).stderr, /neither continues the other/);
    assert.match((await world.ends(2, "run", "T-2")).stderr, /all of `budget.day.passes`/);
  });

  test("answer, resume and cancel change the task on its branch, each as a commit", async (t) => {
    const ask = `printf '## Q1: Which encoding?\\n\\n- Question: Which?\\n- Answer:\\n' > "$TASK_PHASE_TASK_DIR/DECISIONS.md"; exit 0`;
    const world = makeBranchWorld(t, { "T-1": { plan: [ask] } });
    const before = world.mine();
    assert.match((await world.ends(22, "run", "T-1")).stderr, /answer: task-phase answer T-1 Q1 TEXT\n(?! {2}or edit)/);
    // The file with the question is on the branch alone.
    for (const { stdout, stderr } of [
      await world.ends(0, "status"),
      await world.ends(0, "status", "T-1"),
      await world.ends(22, "loop", "-v"),
    ])
      assert.match(stdout + stderr, /answer: task-phase answer T-1 Q1 TEXT\n(?! {2}or edit)/);
    await world.ends(0, "answer", "T-1", "Q1", "UTF-8");
    assert.match(world.onBranch("T-1", "DECISIONS.md"), /Answer: UTF-8/);
    await world.ends(0, "cancel", "T-1");
    assert.match((await world.ends(0, "status")).stdout, /cancelled/);
    await world.ends(0, "resume", "T-1", "--to", "implement", "--reason", "go on");
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
    assert.equal(world.mine(), before);
  });

  test("a task that was reopened after its branch was merged goes on as the message says", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "tasks");
    await world.ends(0, "loop");
    await world.ends(0, "land", "T-1", "--keep");
    world.git("repo", "merge", "-q", "--squash", "task-phase/T-2");
    world.git("repo", "commit", "-qm", "squashed");
    for (const [task, also] of [
      ["T-1", ""],
      ["T-2", " and delete the branch: git branch -D task-phase/T-2"],
    ] as const) {
      await world.ends(0, "resume", task, "--to", "intake", "--reason", "more");
      const { stderr } = await world.ends(78, "run", task);
      assert.match(stderr, /the task went on in your working tree after its branch was merged \[TP_WORKSPACE\]/);
      assert.equal(/fix: commit the task folder with its code(.*)/.exec(stderr)?.[1], also);
      world.git("repo", "commit", "-qm", "reopened", "--", `tasks/${task}`);
      if (also !== "") {
        await world.ends(78, "run", task);
        world.git("repo", "branch", "-D", `task-phase/${task}`);
      }
      // The pass begins, and its model does nothing in intake.
      const next = await world.ends(23, "run", task);
      assert.doesNotMatch(next.stderr, /not merged/);
      assert.equal(await world.phaseOf(task), "intake");
    }
  });

  test("beside a running pass `evidence` says nothing of its end, and `run` waits", async (t) => {
    const wait = `touch "$1/began"; until test -f "$1/go"; do sleep 0.02; done`;
    const world = makeBranchWorld(t, { "T-1": { plan: [wait] } });
    const running = world.run("task-phase", ["run", "T-1"], { cwd: "repo" });
    await until(() => world.exists("plans/began"));
    const { stdout, stderr } = await world.ends(0, "evidence", "T-1");
    assert.doesNotMatch(stdout + stderr, /interrupted/);
    assert.equal((await world.ends(0, "check", "T-1")).stdout, "T-1: nothing is wrong, 0 verdicts decided again\n");
    for (const args of [
      ["run", "T-1"],
      ["run", "T-1", "--dry-run"],
    ])
      await world.ends(75, ...args);
    world.write("plans/go", "");
    assert.equal((await running).code, 0);
    assert.equal(await world.phaseOf("T-1"), "verify");
  });

  test("a pass that runs in another working tree is waited for, also with another cache folder", async (t) => {
    const wait = `touch "$1/began"; until test -f "$1/go"; do sleep 0.02; done`;
    const world = makeBranchWorld(t, { "T-1": { plan: [wait] } });
    world.git("repo", "add", "--all");
    world.git("repo", "commit", "-qm", "the task");
    world.git("repo", "worktree", "add", "-q", "-b", "other", world.path("other"));
    const running = world.run("task-phase", ["run", "T-1"], { cwd: "repo" });
    await until(() => world.exists("plans/began"));
    const env = { XDG_CACHE_HOME: world.path("cache") };
    const { code, stderr } = await world.call("task-phase", ["run", "T-1"], { cwd: "other", env });
    assert.deepEqual([code, /TP_CLAIMED/.test(stderr)], [75, true]);
    world.write("plans/go", "");
    assert.equal((await running).code, 0);
    assert.equal(world.read("plans/calls").split("\n").length, 2);
  });

  test("asks a limited model again as soon as a person takes its cooldown out of the file that the warning names", async (t) => {
    const limit = `[ -f "$1/limited" ] || { touch "$1/limited"; echo '{"limited": true}' > "$TASK_PHASE_RESULT_FILE"; exit 1; }`;
    const world = makeBranchWorld(t, { "T-1": { plan: [limit] } });
    let at = Date.now();
    let slices = 0;
    const end = await world.call("task-phase", ["loop", "T-1", "--max-passes", "1"], {
      cwd: "repo",
      now: () => new Date(at),
      sleep: async (ms) => {
        at += ms;
        slices += 1;
        if (slices !== 2) return;
        const status = await world.call("task-phase", ["run", "T-1"], { cwd: "repo", now: new Date(at) });
        const [, file = ""] = /delete its entry in (\S+) to end it now/.exec(status.stderr + status.stdout) ?? [];
        writeFileSync(file, "{}\n");
      },
    });
    assert.deepEqual([end.code, slices], [3, 2], end.stderr);
  });

  test("a flag about the working tree is refused", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    assert.match(
      (await world.ends(64, "loop", "--jobs", "2", "--branch", "x")).stderr,
      /--branch is about the working tree/,
    );
  });
});
