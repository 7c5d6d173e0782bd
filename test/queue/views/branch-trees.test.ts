import assert from "node:assert/strict";
import { test } from "node:test";
import { isFile } from "../../../lib/git/list-tree.ts";
import { findGitPlace } from "../../../lib/git/place.ts";
import { type Folders, findPrefix, isTaskFolder, readTrees } from "../../../lib/queue/views/branch-trees.ts";
import { gitEnv } from "../../git/git-repo.ts";
import { makeGitRepo } from "../../history/git-maker.ts";

const entry = (mode = "100644") => ({ mode, oid: "1".repeat(40) });
const named = (...paths: string[]) => paths.map((path) => ({ path, entry: entry() }));

test("a regular file is one that may be executable, and no link, folder or submodule", () => {
  assert.deepEqual(
    ["100644", "100755", "120000", "160000", "040000"].map((mode) => isFile(entry(mode))),
    [true, true, false, false, false],
  );
});

test("a task folder has a STATE.md or a journal", () => {
  const has = (name: string) => isTaskFolder(new Map([[name, entry()]]));
  assert.deepEqual(["STATE.md", "artifacts/journal.jsonl", "README.md"].map(has), [true, true, false]);
});

test("the tasks are at the top if task folders or a task-phase.yaml are there, else in tasks, else nowhere", () => {
  assert.equal(findPrefix(named("T-1/README.md", "T-1/STATE.md", "tasks/T-2/README.md", "tasks/T-2/STATE.md")), "");
  assert.equal(findPrefix(named("tasks/T-2/README.md", "tasks/T-2/STATE.md")), "tasks/");
  assert.equal(findPrefix(named("tasks/task-phase.yaml")), "tasks/");
  assert.equal(findPrefix(named("task-phase.yaml", "tasks/T-2/README.md", "tasks/T-2/STATE.md")), "");
  for (const paths of [
    ["tasks/T-2/STATE.md"],
    [".hidden/README.md", ".hidden/STATE.md"],
    ["a/T/README.md", "a/T/STATE.md"],
  ])
    assert.equal(findPrefix(named(...paths)), null, paths.join());
  const link = { path: "task-phase.yaml", entry: entry("120000") };
  assert.equal(findPrefix([link, { path: "tasks/task-phase.yaml", entry: null }]), null);
});

test("of the branches only the folders that differ are listed, whole, and of each folder only what a list shows", async (t) => {
  const repo = makeGitRepo(t, [
    {
      files: {
        ...{ "a.txt": "x", "tasks/one/README.md": "1", "tasks/one/STATE.md": "1", "tasks/one/notes.md": "1" },
        ...{ "tasks/two/README.md": "2", "tasks/two/artifacts/passes": ["120000", "x"], "tasks/.no/README.md": "3" },
      },
    },
    { files: { "tasks/one/STATE.md": null, "tasks/one/TASKS.md": "1", "tasks/two/notes.md": "2" } },
  ]);
  const place = findGitPlace(repo.folder) ?? assert.fail("no repository");
  const [base = "", branch = ""] = repo.commits;
  const own = { id: "T-1", ref: "refs/heads/task-phase/T-1", commit: branch };
  const shown = (folders: Folders | undefined) =>
    [...(folders ?? [])].map(([name, files]) => `${name}: ${[...files.keys()].sort().join(" ")}`).sort();
  const trees = await readTrees(place, "tasks/", { ref: "refs/heads/main", commit: base }, [own], gitEnv);
  assert.deepEqual(shown(trees.base), ["one: README.md STATE.md", "two: README.md artifacts/passes"]);
  assert.equal(trees.inherited, trees.base);
  assert.deepEqual([...trees.changed.keys()], [branch]);
  assert.deepEqual(shown(trees.changed.get(branch)), ["one: README.md TASKS.md"]);
  const alone = await readTrees(place, "tasks/", null, [own], gitEnv);
  assert.deepEqual([shown(alone.base), shown(alone.inherited)[0]], [[], "one: README.md TASKS.md"]);
  assert.deepEqual(await readTrees(place, "tasks/", null, [], gitEnv), {
    ...{ base: new Map(), changed: new Map(), inherited: new Map() },
  });
});

test("a folder whose name has signs of a pattern is taken as it is written", async (t) => {
  const repo = makeGitRepo(t, [
    { files: { "ä[1]*/T/STATE.md": "1", "ä1x/T/STATE.md": "2" } },
    { files: { "ä[1]*/T/STATE.md": "3", "ä1x/T/STATE.md": "4" } },
  ]);
  const place = findGitPlace(repo.folder) ?? assert.fail("no repository");
  const [base = "", commit = ""] = repo.commits;
  const prefix = Buffer.from("ä[1]*/").toString("latin1");
  const trees = await readTrees(place, prefix, { ref: "x", commit: base }, [{ id: "T", ref: "y", commit }], gitEnv);
  assert.deepEqual([[...trees.base.keys()], [...(trees.changed.get(commit)?.keys() ?? [])]], [["T"], ["T"]]);
});
