import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { commandTable } from "../../lib/cli/command-table.ts";
import { parseFlags } from "../../lib/cli/flag-values.ts";
import { chooseTarget, chooseTask } from "../../lib/cli/target.ts";
import { makeWorld, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";

const spec = commandTable.find(({ name }) => name === "run");
const given = (cwd: string, ...argv: string[]) => ({
  cwd,
  flags: parseFlags(argv, spec?.flags ?? [], "", ["task-dir"]),
});

function addTask(world: World, folder: string, id: string): string {
  world.write(`${folder}/README.md`, briefFile([`id: ${id}`, "title: T", "validators: []"], "T"));
  world.write(`${folder}/STATE.md`, "# T\n\n- Phase: intake\n");
  return world.path(folder);
}

test("a task folder or a tasks root is taken relative to the present folder", () => {
  assert.deepEqual(chooseTarget(given("/w", "--task-dir", "a/")), { kind: "task", taskDir: "/w/a" });
  assert.deepEqual(chooseTarget(given("/w", "--tasks-root", "../b")), { kind: "root", tasksRoot: "/b" });
});

test("both at once are refused", () => {
  assert.throws(() => chooseTarget(given("/w", "--task-dir=a", "--tasks-root=b")), /cannot be combined/);
});

test("without either, the present folder is the task where it holds STATE.md, and else there is nothing to find", (t) => {
  const world = makeWorld(t);
  assert.throws(() => chooseTarget(given(world.folder)), /no task was named, and there is no tasks root here or above/);
  world.write("STATE.md", "");
  assert.deepEqual(chooseTarget(given(world.folder)), { kind: "task", taskDir: world.folder });
  assert.equal(chooseTask(given(world.folder)), world.folder);
});

test("the tasks root is found from the repo's top, from inside of it, and from a task's own folders", (t) => {
  const world = makeWorld(t);
  const task = addTask(world, "repo/tasks/T-1-x", "T-1");
  world.write("repo/src/deep/a.js", "");
  const root = { kind: "root", tasksRoot: world.path("repo/tasks") };
  for (const folder of ["repo", "repo/src/deep", "repo/tasks"])
    assert.deepEqual(chooseTarget(given(world.path(folder))), root, folder);
  world.write("repo/tasks/T-1-x/artifacts/journal.jsonl", "");
  assert.deepEqual(chooseTarget(given(world.path("repo/tasks/T-1-x/artifacts"))), { kind: "task", taskDir: task });
  // A repo with a STATE.md of its own is no task.
  world.write("repo/STATE.md", "ours\n");
  assert.deepEqual(chooseTarget(given(world.path("repo/src"))), root);
});

test("a task is named by path, by folder or by id, with and without --task-dir", (t) => {
  const world = makeWorld(t);
  const one = addTask(world, "repo/tasks/T-1-x", "T-1");
  addTask(world, "repo/tasks/T-2-y", "T-2");
  const cwd = world.path("repo");
  for (const words of [["T-1"], ["T-1-x"], ["tasks/T-1-x"], ["--task-dir", "T-1"], [one]])
    assert.equal(chooseTask(given(cwd, ...words)), one, words.join(" "));
  // A folder of that name in the present one is a path.
  mkdirSync(world.path("repo/T-1"));
  assert.equal(chooseTask(given(cwd, "T-1")), world.path("repo/T-1"));
});

test("an id that is not there gets the nearest, one that two tasks have gets both folders", (t) => {
  const world = makeWorld(t);
  addTask(world, "tasks/T-12-x", "T-12");
  addTask(world, "tasks/T-40-y", "T-40");
  const fixOf = (...words: string[]): string | null => {
    try {
      chooseTask(given(world.folder, ...words));
    } catch (error) {
      const { findings } = error as { findings: { message: string; fix: string }[] };
      return `${findings[0]?.message}; ${findings[0]?.fix}`;
    }
    return null;
  };
  assert.equal(fixOf("T-13"), "there is no task T-13 in this tasks root; did you mean T-12?");
  assert.equal(fixOf("banana"), "there is no task banana in this tasks root; its tasks are T-12, T-40");
  assert.equal(fixOf(), "no task was named, and there are several here; name one of T-12, T-40");
  assert.equal(fixOf("T-40-why-not"), "there is no task T-40-why-not in this tasks root; did you mean T-40?");
  for (const word of ["tasks/T-40", "tsks/T-40-y", "T-40/"]) {
    const problem = `there is no task folder ${word}; did you mean tasks/T-40-y?`;
    assert.equal(fixOf(word), problem);
  }
  assert.equal(fixOf("tasks/T-41"), null);
  addTask(world, "tasks/T-12-z", "T-12");
  assert.equal(fixOf("T-12"), "2 tasks have the id T-12; name one by its folder: tasks/T-12-x, tasks/T-12-z");
});

test("a symbolic link in the tasks root is named as one, and no other task is offered", (t) => {
  const world = makeWorld(t);
  addTask(world, "tasks/T-1-x", "T-1");
  addTask(world, "away/T-2-y", "T-2");
  symlinkSync("../away/T-2-y", world.path("tasks/T-2-y"));
  for (const word of ["T-2", "T-2-y"])
    assert.throws(
      () => chooseTask(given(world.folder, word)),
      (error) => {
        const { findings } = error as { findings: { file: string; message: string; fix: string }[] };
        const [{ file, message, fix } = { file: "", message: "", fix: "" }] = findings;
        assert.deepEqual(
          [file, message, fix],
          [
            world.path("tasks/T-2-y"),
            "this is a symbolic link to ../away/T-2-y; a task of this tasks root must be a folder in it",
            "put the folder itself there, or name the task by the path of its folder",
          ],
        );
        return true;
      },
      word,
    );
});

test("an id whose brief cannot be read names the folder, so that the brief's own error is shown", async (t) => {
  const world = makeWorld(t);
  const broken = addTask(world, "tasks/T-1-x", "T-1");
  addTask(world, "tasks/T-2-y", "T-2");
  world.write("tasks/T-1-x/README.md", "---\nid: T-1\nprioritty: 3\n---\n# X\n");
  assert.equal(chooseTask(given(world.folder, "T-1")), broken);
  const end = await world.call("task-phase", ["run", "T-1"]);
  assert.equal(end.code, 78);
  assert.match(end.stderr, /README\.md:3:1: .*prioritty/);
  // T-1-x could be T-1, and no other task.
  assert.throws(() => chooseTask(given(world.folder, "T-0")), /there is no task T-0 in/);
  const readable = addTask(world, "tasks/other", "T-1");
  assert.equal(chooseTask(given(world.folder, "T-1")), readable);
});

test("an id that two unreadable folders could have gets both folders", (t) => {
  const world = makeWorld(t);
  for (const name of ["T-1-x", "T-1-z"]) {
    addTask(world, `tasks/${name}`, "T-1");
    world.write(`tasks/${name}/README.md`, "---\nid: [\n---\n");
  }
  assert.throws(() => chooseTask(given(world.folder, "T-1")), /2 task folders cannot be read and could be T-1/);
});

test("a command on one task takes the only one there is", (t) => {
  const world = makeWorld(t);
  const only = addTask(world, "tasks/T-1-x", "T-1");
  assert.equal(chooseTask(given(world.folder)), only);
});

test("a tasks root that is mistyped, or lies one folder deeper, is named", (t) => {
  const world = makeWorld(t);
  addTask(world, "repo/tasks/T-1-x", "T-1");
  mkdirSync(world.path("repo/empty"));
  const cwd = world.path("repo");
  const root = (word: string) => chooseTarget(given(cwd, "--tasks-root", word));
  assert.throws(() => root("task"), /does not exist/);
  assert.throws(() => root("."), /this folder has no task folders/);
  for (const word of ["task", "."]) {
    const fix = "did you mean --tasks-root tasks? It may be left out here";
    assert.throws(
      () => root(word),
      (error: { findings: { fix: string }[] }) => error.findings[0]?.fix === fix,
    );
  }
  for (const word of ["empty", "nothing-like-it"])
    assert.deepEqual(root(word), { kind: "root", tasksRoot: world.path("repo", word) });
});

test("an empty word, as from an unset variable of a script, is no task, not even the present one", async (t) => {
  const world = makeWorld(t);
  addTask(world, "repo/tasks/T-1-x", "T-1");
  const cwd = "repo/tasks/T-1-x";
  for (const args of [
    ["cancel", ""],
    ["status", ""],
    ["answer", "", "Q1", "yes"],
    ["resume", "", "--to", "intake", "--reason", "x"],
  ]) {
    const end = await world.call("task-phase", args, { cwd });
    assert.deepEqual([end.code, end.stderr.includes("the name of the task is empty")], [64, true], args.join(" "));
  }
});
