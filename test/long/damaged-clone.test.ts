import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";

const cache = "home/.cache/task-phase";

/** The one folder of T-1 there. */
function find({ path }: BranchWorld, kind: "clones" | "lost"): string {
  const [key = "none"] = readdirSync(path(cache, kind));
  return path(cache, kind, key, "T-1");
}

/** As a power cut leaves what nobody synced. */
function lose(file: string): void {
  writeFileSync(file, Buffer.alloc(readFileSync(file).length));
}

describe("the working tree of a claimed pass that was cut off", () => {
  for (const file of [".git/HEAD", ".git/config"]) {
    test(`is put aside and the pass is done again if ${file} is lost`, async (t) => {
      const kill = `kill -9 $PPID; sleep 60`;
      const world = makeBranchWorld(t, { "T-1": { plan: [":", kill] } });
      await world.ends(0, "run", "T-1");
      const before = world.mine();
      assert.equal((await world.run("task-phase", ["run", "T-1"], { cwd: "repo" })).signal, "SIGKILL");
      lose(`${find(world, "clones")}/${file}`);
      const { stderr } = await world.ends(0, "run", "T-1");
      assert.match(stderr, /pass 3 cannot be used, as after a power cut.*TP_CLONE_DAMAGED/);
      assert.ok(!stderr.includes(world.path("repo/.git")), "a person's own git is whole");
      assert.equal(readdirSync(find(world, "lost")).length, 1);
      assert.equal(world.mine(), before);
      await world.ends(0, "loop");
      await world.ends(0, "land", "T-1");
      assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
    });
  }

  test("is not waited for if it is gone, as the cache folder is that a person cleared", async (t) => {
    const kill = "kill -9 $PPID; sleep 60";
    const world = makeBranchWorld(t, { "T-1": { plan: [kill] } });
    assert.equal((await world.run("task-phase", ["run", "T-1"], { cwd: "repo" })).signal, "SIGKILL");
    rmSync(world.path(cache), { recursive: true });
    assert.match((await world.ends(0, "run", "T-1")).stderr, /pass 1 was interrupted/);
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
  });

  test("is kept as long as the disk is full, and its verdict is told once it is on the branch", async (t) => {
    const world = makeBranchWorld(t, { "T-1": { plan: [`touch "$1/full"`] } });
    const real = join(world.git("repo", "--exec-path").trim(), "git");
    const full = `case "$*" in *hash-object*|*read-tree*) echo "fatal: write error. Out of diskspace" >&2; exit 128 ;; esac`;
    const when = `if test -f '${world.path("plans/full")}'; then ${full}; fi`;
    chmodSync(world.write("bin/git", `#!/bin/sh\n${when}\nexec "${real}" "$@"\n`), 0o755);
    const env = { PATH: `${world.path("bin")}:${process.env.PATH}` };
    for (const word of ["TP_UNFINISHED", "TP_DISK"]) {
      const { code, stdout, stderr } = await world.run("task-phase", ["run", "T-1"], { cwd: "repo", env });
      assert.equal(code, 1, stderr);
      assert.match(stderr, new RegExp(word));
      assert.doesNotMatch(stdout + stderr, /accepted/);
    }
    rmSync(world.path("plans/full"));
    await world.ends(0, "loop");
    const passes = world.onBranch("T-1", "artifacts/journal.jsonl").match(/"verdict":"\w+"/g);
    assert.deepEqual(passes, Array(3).fill(`"verdict":"accepted"`));
  });

  test("has whole files on the branch, whichever a power cut took or tore that the pass did not touch", async (t) => {
    const kill = "kill -9 $PPID; sleep 60";
    const world = makeBranchWorld(t, { "T-1": { plan: [":", kill] } });
    const big = "line\n".repeat(2000);
    world.write("repo/src/big.txt", big);
    world.write("repo/src/other.txt", "other\n");
    world.git("repo", "add", "src");
    world.git("repo", "commit", "-qm", "more");
    await world.ends(0, "run", "T-1");
    const brief = world.onBranch("T-1", "README.md");
    assert.equal((await world.run("task-phase", ["run", "T-1"], { cwd: "repo" })).signal, "SIGKILL");
    const clone = find(world, "clones");
    writeFileSync(`${clone}/tasks/T-1/README.md`, "");
    lose(`${clone}/tasks/T-1/artifacts/passes/0001/prompt.md`);
    writeFileSync(`${clone}/src/big.txt`, big.slice(0, 4096));
    rmSync(`${clone}/src/other.txt`);
    const [folder = ""] = readdirSync(world.path(cache, "work"));
    const note = world.path(cache, "work", folder, "T-1.json");
    writeFileSync(note, readFileSync(note, "utf8").replace(/"boot":"[^"]*"/, '"boot":"an earlier one"'));
    assert.match((await world.ends(0, "run", "T-1")).stderr, /TP_RECOVERED/);
    assert.equal(world.onBranch("T-1", "README.md"), brief);
    assert.equal(world.git("repo", "show", "task-phase/T-1:src/big.txt"), big);
    assert.equal(world.git("repo", "show", "task-phase/T-1:src/other.txt"), "other\n");
    assert.doesNotMatch(world.onBranch("T-1", "artifacts/passes/0001/prompt.md"), /\0/);
    await world.ends(0, "loop");
    await world.ends(0, "land", "T-1");
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
  });
});
