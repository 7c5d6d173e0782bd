import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { describe, test } from "node:test";
import { makeBranchWorld } from "../cli/branch-world.ts";

describe("workspace: branch, when people and agents change files and branches", () => {
  test("a clone has no remote, and what an agent does to branches and tags ends with it", async (t) => {
    const spoil =
      "cd $TASK_PHASE_REPO; git remote -v > $plans/remotes; git branch stray; git tag v1; git push -q . HEAD:refs/heads/other; git branch -D main || true";
    const world = makeBranchWorld(t, { "T-1": { plan: [spoil] } });
    const before = world.mine();
    await world.ends(0, "loop");
    assert.equal(world.read("plans/remotes"), "");
    assert.equal(world.mine(), before);
  });

  test("takes along what a person changed in the working tree since, and nothing twice", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    const brief = world.read("repo/tasks/T-1/README.md").replace("What the title says", "What the whole title says");
    world.write("repo/tasks/T-1/README.md", brief);
    // Nothing answers the edit yet, which the runner asks for.
    const { stderr } = await world.ends(20, "run", "T-1");
    assert.match(stderr, /taken along from your working tree: README\.md/);
    assert.match(world.onBranch("T-1", "README.md"), /the whole title/);
    assert.doesNotMatch((await world.ends(20, "run", "T-1")).stderr, /taken along/);
  });

  test("an edit here and another one of the same lines there is refused, and both stay", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    const brief = world.read("repo/tasks/T-1/README.md");
    world.git("repo", "worktree", "add", "-q", "../other", "task-phase/T-1");
    world.write("other/tasks/T-1/README.md", brief.replace("What the title says", "What THERE says"));
    world.git("other", "commit", "-qam", "there");
    world.git("repo", "worktree", "remove", "../other");
    world.write("repo/tasks/T-1/README.md", brief.replace("What the title says", "What HERE says"));
    const { stderr } = await world.ends(65, "run", "T-1");
    assert.match(stderr, /README\.md was changed here and on the branch of the task/);
    assert.match(world.read("repo/tasks/T-1/README.md"), /What HERE/);
    assert.match(world.onBranch("T-1", "README.md"), /What THERE/);
    assert.match(stderr, /git show task-phase\/T-1:tasks\/T-1\/README\.md shows the other/);
    const { stdout } = await world.ends(0, "status");
    assert.match(
      stdout,
      /^T-1 +verify +refused +README\.md was changed here and on the branch of the task, in the same/m,
    );
    assert.match(stdout, /^next: task-phase run T-1$/m);
    for (const look of ["status", "show"])
      assert.match((await world.ends(0, look, "T-1")).stdout, /^standing: refused, README\.md was changed here/m);
    assert.equal((await world.ends(65, "run", "T-1")).stderr, stderr);
    world.write("repo/tasks/T-1/README.md", brief.replace("What the title says", "What BOTH say"));
    assert.match((await world.ends(20, "run", "T-1")).stderr, /taken along from your working tree: README\.md/);
    assert.match(world.onBranch("T-1", "README.md"), /What BOTH say/);
  });

  test("a branch that a person sets back is named, with the commands that put it back or begin anew", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    const tip = world.git("repo", "rev-parse", "task-phase/T-1").trim();
    world.git("repo", "branch", "-f", "task-phase/T-1", "task-phase/T-1~1");
    const { stderr } = await world.ends(65, "run", "T-1");
    const [, back = ""] =
      /fix: git (branch -f task-phase\/T-1 [0-9a-f]{40}) puts it back; git branch -D task-phase\/T-1 /.exec(stderr) ??
      [];
    world.git("repo", ...back.split(" "));
    assert.equal(world.git("repo", "rev-parse", "task-phase/T-1").trim(), tip);
    await world.ends(0, "run", "T-1");
  });

  test("a linked working tree that a person removes during a pass takes nothing of it", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    world.git("repo", "add", "--all");
    world.git("repo", "commit", "-qm", "tasks");
    world.git("repo", "worktree", "add", "-q", "-b", "linked", "../linked");
    world.write("plans/T-1.plan", `git -C ${world.path("repo")} worktree remove --force ../linked`);
    const { code, stderr } = await world.call("task-phase", ["run", "T-1"], { cwd: "linked" });
    assert.deepEqual([code, await world.phaseOf("T-1")], [0, "verify"], stderr);
  });

  test("a branch that somebody has checked out is left alone, with the words to leave it", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    world.git("repo", "worktree", "add", "-q", "../other", "task-phase/T-1");
    const { stderr } = await world.ends(75, "run", "T-1");
    assert.match(stderr, /task-phase\/T-1 is checked out.*other/s);
  });

  test("dependencies that git ignores are carried, and what is done to them stays in the clone", async (t) => {
    const spoil =
      "cat $TASK_PHASE_REPO/node_modules/dep/index.js > $plans/seen; echo broken > $TASK_PHASE_REPO/node_modules/dep/index.js";
    const world = makeBranchWorld(t, { "T-1": { plan: [spoil] } });
    world.write("repo/.gitignore", "node_modules/\n");
    world.git("repo", "commit", "-qam", "ignore");
    world.write("repo/node_modules/dep/index.js", "the dependency\n");
    await world.ends(0, "loop");
    assert.equal(world.read("plans/seen"), "the dependency\n");
    assert.equal(world.read("repo/node_modules/dep/index.js"), "the dependency\n");
  });

  test("leaves no clone behind, and says where none can be made", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    await world.ends(0, "loop", "T-1");
    const clones = world.path("home", ".cache", "task-phase", "clones");
    assert.deepEqual(
      readdirSync(clones).flatMap((key) => readdirSync(`${clones}/${key}`)),
      [],
    );
    world.git("repo", "symbolic-ref", "HEAD", "refs/heads/task-phase/T-1");
    assert.match((await world.ends(78, "run")).stderr, /with workspace: branch the branch of a task is checked out/);
  });

  test("a branch that a person deletes is not run against: the task begins anew, and the way back is named", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    world.git("repo", "branch", "-D", "task-phase/T-1");
    assert.equal(await world.phaseOf("T-1"), "intake");
    const { stderr } = await world.ends(0, "run", "T-1");
    const back = /git (branch task-phase\/T-1 [0-9a-f]{40}) brings the branch back/.exec(stderr)?.[1] ?? "";
    assert.notEqual(back, "", stderr);
    assert.match(world.git("repo", "log", "-1", "--format=%s", back.split(" ")[2] ?? ""), /pass 1/);
  });

  test("a branch that is deleted during its pass: the loop says what came of the pass", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    world.write("plans/T-1.plan", `git -C ${world.path("repo")} branch -qD task-phase/T-1`);
    const { stderr } = await world.ends(75, "loop");
    const gone = /pass 1 does not count: task-phase\/T-1 of \S+ was deleted since it was claimed/.source;
    const kept = /the work is kept as (refs\/task-phase\/lost\/T-1\/\S+)/.exec(stderr)?.[1] ?? "";
    assert.match(stderr, new RegExp(`^warning: ${gone}.*^stopped after 0 passes: nothing is runnable; ${gone}$`, "ms"));
    assert.match(stderr, /cost not known/);
    assert.equal(world.git("repo", "show", `${kept}:T-1.txt`), "work of T-1\n");
  });

  test("a loop on the id of a task whose folder is on its branch alone goes on there", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    rmSync(world.path("repo/tasks/T-1"), { recursive: true });
    const words = ["--max-passes", "1"];
    assert.match((await world.ends(0, "loop", "T-1", ...words)).stderr, /verify → review {2}accepted/);
    assert.match((await world.ends(64, "loop", "T-2", ...words)).stderr, /no task .*T-2/);
  });

  test("a task is run by its id where its folder is on its branch alone, and one that forked is told of", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    rmSync(world.path("repo/tasks/T-1"), { recursive: true });
    assert.match((await world.ends(0, "run", "T-1")).stderr, /verify → review {2}accepted/);
    world.write("repo/tasks/T-1/README.md", world.onBranch("T-1", "README.md"));
    world.write("repo/tasks/T-1/STATE.md", world.onBranch("T-1", "STATE.md"));
    world.write("repo/tasks/T-1/artifacts/journal.jsonl", "{}\n");
    const folder = world.path("repo/tasks/T-1");
    const { stderr } = await world.ends(65, "status");
    assert.ok(
      stderr.includes(`git checkout task-phase/T-1 -- ${folder} takes the branch's, and git branch -D task-phase/T-1`),
    );
    assert.match((await world.ends(65, "pr", "T-1")).stderr, /TP_TASK_FORKED/);
    assert.match(
      (await world.ends(20, "land", "T-1")).stderr,
      /T-1 {2}not done {2}the task went on here and on task-phase/,
    );
    world.git("repo", "checkout", "task-phase/T-1", "--", folder);
    assert.match((await world.ends(0, "status")).stdout, /T-1 {2}done/);
  });

  test("a task that builds on one that is done on its branch starts from there, whatever the settings say", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": { contract: ["depends_on: [T-1]"] } });
    await world.ends(0, "loop", "T-1");
    world.write(
      "repo/tasks/task-phase.yaml",
      world.read("repo/tasks/task-phase.yaml").replace("workspace: branch\n", ""),
    );
    assert.match((await world.ends(0, "status")).stdout, /^T-2 .*runnable.*^next: task-phase run T-2$/ms);
    assert.match((await world.ends(0, "show", "T-2")).stdout, /^standing: runnable/m);
    await world.ends(0, "run", "T-2", "--dry-run");
    const before = world.mine();
    await world.ends(0, "run", "T-2");
    await world.ends(0, "run", "T-2");
    assert.deepEqual([world.mine(), await world.phaseOf("T-2")], [before, "done"]);
    assert.equal(world.git("repo", "show", "task-phase/T-2:T-1.txt"), "work of T-1\n");
    await world.ends(0, "land", "--all");
  });

  test("a task that has begun in the working tree waits for what has not landed", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    await world.ends(0, "loop", "T-1");
    const change = (file: string, from: string, to: string) =>
      world.write(`repo/tasks/${file}`, world.read(`repo/tasks/${file}`).replace(from, to));
    change("task-phase.yaml", "workspace: branch\n", "");
    await world.ends(0, "run", "T-2");
    change("T-2/README.md", "advance: auto\n", "advance: auto\ndepends_on: [T-1]\n");
    assert.match((await world.ends(21, "run", "T-2")).stderr, /waits for T-1, which is done but not merged/);
    assert.deepEqual(world.branches(), ["main", "task-phase/T-1"]);
  });
});
