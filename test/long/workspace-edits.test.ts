import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeBranchWorld } from "../cli/branch-world.ts";

const pause = "# Control\n\n- [ ] PAUSE\n";

describe("a person's acts in the working tree while a pass works on the branch", () => {
  test("a PAUSE written while the clone is prepared is obeyed", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const act = `printf '# Control\\n\\n- [ ] PAUSE\\n' > '${world.path("repo/tasks/T-1/CONTROL.md")}'`;
    const config = world.read("repo/tasks/task-phase.yaml");
    world.write("repo/tasks/task-phase.yaml", `${config}fleet: { prepare: [[sh, -c, ${JSON.stringify(act)}]] }\n`);
    await world.ends(25, "run", "T-1");
    assert.match(world.onBranch("T-1", "CONTROL.md"), /PAUSE/);
  });

  test("a PAUSE written while the verdict is pushed is obeyed by the next pass", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const { PATH = "" } = world.env;
    const control = world.path("repo/tasks/T-1/CONTROL.md");
    world.write("pause", pause);
    const shim = `#!/bin/sh
PATH='${PATH}'
case "$*" in *"update-ref -m task-phase --stdin") ;; *) exec git "$@" ;; esac
cat > '${world.path("updates")}'
commit=$(sed -n 's|^update refs/heads/task-phase/T-1 \\([^ ]*\\).*|\\1|p' '${world.path("updates")}')
if git log -1 --format=%s "$commit" | grep -q 'implement → verify'; then cp '${world.path("pause")}' '${control}'; sleep 1; fi
exec git "$@" < '${world.path("updates")}'
`;
    chmodSync(world.write("shim/git", shim), 0o755);
    const env = { PATH: `${world.path("shim")}:${PATH}` };
    await world.call("task-phase", ["run", "T-1"], { cwd: "repo", env });
    assert.equal(world.exists("repo/tasks/T-1/CONTROL.md"), true);
    await world.ends(25, "run", "T-1");
  });

  test("a task folder that is stashed away for the time of a pass is no edit when it is back", async (t) => {
    const world = makeBranchWorld(t, { "T-1": { plan: ["", "exit 0"] } });
    await world.ends(0, "run", "T-1");
    renameSync(world.path("repo/tasks/T-1"), world.path("away"));
    await world.call("task-phase", ["run"], { cwd: "repo" });
    assert.equal(await world.phaseOf("T-1"), "review");
    renameSync(world.path("away"), world.path("repo/tasks/T-1"));
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
  });

  test("a CONTROL.md that is removed pauses no more", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "run", "T-1");
    world.write("repo/tasks/T-1/CONTROL.md", pause);
    await world.ends(25, "run", "T-1");
    rmSync(world.path("repo/tasks/T-1/CONTROL.md"));
    await world.ends(0, "run", "T-1");
  });

  for (const end of ["emptied", "removed", "ticked"] as const)
    test(`the loop goes on with a task whose branch has the PAUSE, once CONTROL.md is ${end}`, async (t) => {
      const world = makeBranchWorld(t, { "T-1": {} });
      const control = "repo/tasks/T-1/CONTROL.md";
      await world.ends(0, "run", "T-1");
      world.write(control, pause);
      assert.match((await world.ends(0, "status")).stdout, /T-1 +verify +paused +line 3 of CONTROL.md says PAUSE/);
      await world.ends(25, "loop");
      await world.ends(25, "run", "T-1");
      if (end === "removed") rmSync(world.path(control));
      else world.write(control, end === "emptied" ? "# Control\n" : pause.replace("[ ]", "[x]"));
      assert.match(world.onBranch("T-1", "CONTROL.md"), /\[ \] PAUSE/);
      assert.match((await world.ends(0, "status")).stdout, /T-1 +verify +runnable/);
      await world.ends(0, "loop");
      assert.equal(await world.phaseOf("T-1"), "done");
    });

  test("a RETRY in CONTROL.md has the loop go on with a task that stopped on its branch", async (t) => {
    const world = makeBranchWorld(t, {
      "T-1": { plan: ["set_field Blockers 'no key'; set_field Phase blocked; exit 0", "set_field Blockers none"] },
    });
    await world.ends(21, "loop");
    world.write("repo/tasks/T-1/CONTROL.md", "# Control\n\n- [ ] RETRY\n");
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
  });

  test("a PAUSE that is taken back after a kill pauses no more, though CONTROL.md is as it was long ago", async (t) => {
    const world = makeBranchWorld(t, { "T-1": { plan: [] } });
    const control = world.write("repo/tasks/T-1/CONTROL.md", "# Control\n");
    world.write("pause", pause);
    const copied = `until grep -q PAUSE "$TASK_PHASE_TASK_DIR/CONTROL.md"; do sleep 0.05; done`;
    const act = `cp '${world.path("pause")}' '${control}'; ${copied}; touch '${world.path("copied")}'; sleep 60`;
    world.write("plans/T-1.plan", act);
    let child: ChildProcess | null = null;
    const run = world.run("task-phase", ["loop"], { cwd: "repo", onStart: (own) => (child = own) });
    while (!world.exists("copied")) await sleep(50);
    (child as ChildProcess | null)?.kill("SIGKILL");
    await run;
    world.write("repo/tasks/T-1/CONTROL.md", "# Control\n");
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
  });

  test("a branch that is checked out during its pass waits until it is left, and no work is lost", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const act = `git -C '${world.path("repo")}' worktree add -q '${world.path("other")}' task-phase/T-1`;
    world.write("plans/T-1.plan", act);
    const { stderr } = await world.ends(75, "run", "T-1");
    assert.match(stderr, /task-phase\/T-1 is checked out, so no pass can move it \[TP_CHECKED_OUT\]/);
    assert.match(stderr, /switch to another branch there/);
    world.git("repo", "worktree", "remove", "--force", "../other");
    await world.ends(0, "loop");
    assert.equal(world.read("plans/calls").split("\n").length, 3, "two calls of a model");
  });

  test("an edit of task-phase.yaml during a pass stays, and is no fault of the pass", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const config = world.path("repo/tasks/task-phase.yaml");
    world.write("plans/T-1.plan", `echo '# mine' >> '${config}'`);
    await world.ends(0, "run", "T-1");
    assert.match(world.read("repo/tasks/task-phase.yaml"), /# mine/);
  });

  test("a cache folder inside the repository does not show in `git status`", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const before = world.mine();
    await world.call("task-phase", ["loop"], { cwd: "repo", env: { XDG_CACHE_HOME: world.path("repo/.cache") } });
    assert.equal(world.mine(), before);
    assert.equal(await world.phaseOf("T-1"), "done");
  });
});
