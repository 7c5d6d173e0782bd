import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../lib/text/sha256.ts";
import { stateFile } from "./task-states.ts";
import { makeTaskWorld } from "./task-world.ts";

test("a person's git that holds the index, and a runner killed between branch and index, lose no work of a pass", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("a", "verify", {
    contract: ["validators: [{ name: tests, command: [test, -f, repo/good.txt], timeout: 30s }]"],
  });
  const root = "cases/a";
  world.write(`${root}/tasks/task-phase.yaml`, `${world.read(`${root}/tasks/task-phase.yaml`)}checkpoint: commit\n`);
  world.write(`${root}/mine.txt`, "1\n");
  world.initRepo({ ".gitignore": "/proposals/\n.task-phase/\n" }, root);
  world.write(`${root}/mine.txt`, "2\n");
  world.git(root, "add", "mine.txt");
  const gitDir = world.path(root, ".git");
  const lock = join(gitDir, "index.lock");
  const run = (onStart: () => void = () => undefined) =>
    world.run("task-phase-run", ["--task-dir", task.taskDir, "--repo", world.path(root), "--json"], { onStart });
  const files = (commit: string) => world.git(root, "ls-tree", "-r", "--name-only", commit).trim().split("\n");
  const status = () => world.git(root, "status", "--porcelain").split("\n").slice(0, -1);

  // Another git has the index from before the pass until after the verdict.
  world.write(`${root}/.git/index.lock`, "");
  task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) }, repo: { "new.txt": "new\n" } });
  const journal = join(task.taskDir, "artifacts", "journal.jsonl");
  const letGo = setInterval(() => {
    if (readFileSync(journal, "utf8").includes('"new.txt"')) rmSync(lock, { force: true });
  }, 20);
  t.after(() => clearInterval(letGo));
  const first = await run();
  assert.deepEqual([first.code, first.json().findings], [0, []], first.stdout);
  assert.ok(files("HEAD").includes("new.txt"));
  assert.deepEqual(status(), ["M  mine.txt"]);

  // What a kill leaves after the branch has moved.
  const commit = world.git(root, "rev-parse", "HEAD").trim();
  world.git(root, "read-tree", "HEAD^");
  world.git(root, "add", "mine.txt");
  const record = world.path("state/task-phase/repos", `${sha256(gitDir).slice(0, 32)}.json`);
  world.write(record.slice(world.folder.length + 1), JSON.stringify({ version: 1, top: world.path(root), commit }));
  world.write(`${root}/.git/index.lock`, `task-phase ${commit}\n`);
  assert.throws(() => world.git(root, "commit", "-q", "-m", "mine"), /index\.lock/);
  task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
  const second = await run();
  const told = (second.json().findings as { code: string; message: string }[]).map(
    ({ code, message }) => `${code} ${message}`,
  );
  assert.deepEqual(told, [
    `TP_GIT_INDEX git's index was behind the commit ${commit.slice(0, 12)} of a pass that was cut off; it is renewed`,
  ]);
  assert.deepEqual([existsSync(record), existsSync(lock), status()], [false, false, ["M  mine.txt"]]);
  world.git(root, "commit", "-q", "-m", "mine");
  assert.ok(files("HEAD").includes("new.txt"));
  assert.equal(world.git(root, "show", "--name-status", "--format=", "HEAD").trim(), "M\tmine.txt");
});
