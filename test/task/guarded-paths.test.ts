import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  guardedPaths,
  guardName,
  isOfOwnRunner,
  listOtherTasks,
  listTaskFolders,
  shownPath,
} from "../../lib/task/guarded-paths.ts";
import { anchorFolder } from "../../lib/task/records/anchor.ts";
import { type RunnerTrace, readTrace } from "../../lib/task/records/records.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

const place = placeOf("/repo/tasks/T-1");

test("a pass may change the agent's files of its task and nothing of the runner's", () => {
  const { roots, skip } = guardedPaths(place, ["/repo/task-phase.yaml"], "/repo");
  const root = (name: string) => `/repo/tasks/${name}`;
  const files = ["T-1", ".task-phase", "BOARD.md", "index.html", ".gitattributes", ".gitignore"].map(root);
  assert.deepEqual(roots, [...files, "/repo/task-phase.yaml"]);
  const free = ["notes.md", "src/a.js", "artifacts/passes/0001/pass.json", "artifacts/screenshot.png", "TASKS.md.bak"];
  const kept = [
    "STATE.md",
    "README.md",
    "log.txt",
    "artifacts",
    "artifacts/journal.jsonl",
    "artifacts/checkpoint.json",
  ];
  const inTask = (name: string) => join(place.taskDir, name);
  assert.deepEqual([...free, ...kept].map(inTask).filter(skip), free.map(inTask));
  const locks = [".task-phase/locks", ".task-phase/locks/a.lock", ".task-phase/locksmith", "T-2/notes.md"].map(root);
  assert.deepEqual(locks.filter(skip), locks.slice(0, 2));
});

test("a guarded path has a name for people, and the guard that it belongs to", () => {
  const current = { config_paths: ["/repo/task-phase.yaml"], repo: "/repo" };
  const cases: Readonly<Record<string, [shown: string, guard: string]>> = {
    "/repo/tasks/T-1/STATE.md": ["STATE.md", "task_file"],
    "/repo/tasks/T-1/README.md": ["README.md", "task_file"],
    "/repo/tasks/T-1/artifacts/journal.jsonl": ["artifacts/journal.jsonl", "runner_file"],
    "/repo/tasks/T-1/log.txt": ["log.txt", "runner_file"],
    "/repo/tasks/T-2/notes.md": ["tasks/T-2/notes.md", "other_task"],
    "/repo/tasks/BOARD.md": ["tasks/BOARD.md", "runner_file"],
    "/repo/tasks/.gitignore": ["tasks/.gitignore", "runner_file"],
    "/repo/tasks/.task-phase/cooldowns.json": ["tasks/.task-phase/cooldowns.json", "config"],
    "/repo/task-phase.yaml": ["repo/task-phase.yaml", "config"],
  };
  for (const [path, [shown, guard]] of Object.entries(cases))
    assert.deepEqual([shownPath(place, path), guardName(place, current, path)], [shown, guard], path);
});

test("the tasks of a root are its folders with a state or a journal, in the order of their names", (t) => {
  const root = makeFolder(t);
  write(root, {
    "T-2/STATE.md": "",
    "T-1/artifacts/journal.jsonl": "",
    "notes/README.md": "",
    ".hidden/STATE.md": "",
    "STATE.md": "",
  });
  symlinkSync("T-2", join(root, "T-3"));
  assert.deepEqual(listTaskFolders(root), [join(root, "T-1"), join(root, "T-2")]);
  assert.deepEqual(listOtherTasks(placeOf(join(root, "T-1"))), [join(root, "T-2")]);
});

test("a path of another task is its own runner's to write if that was there since", (t) => {
  const folder = makeFolder(t);
  const ports = { env: { XDG_STATE_HOME: join(folder, "state") }, home: folder };
  const other = join(folder, "tasks/T-2");
  write(other, { "STATE.md": "" });
  const state = join(other, "STATE.md");
  const isOwn = (known: RunnerTrace | undefined, path = state) => isOfOwnRunner(other, path, known, ports);
  assert.deepEqual([isOwn({ head: null, at: null }), isOwn(undefined)], [false, false]);
  assert.equal(isOwn({ head: "head", at: null }), true);
  const control = join(other, "CONTROL.md");
  assert.equal(isOwn(undefined, control), false);
  for (const [text, isPersons] of [
    ["- [ ] PAUSE\n", true],
    ["- [x] RETRY (seen)\n- [ ] PAUSE\n", true],
    ["- [ ] Retry\n", false],
  ] as const) {
    write(other, { "CONTROL.md": text });
    assert.equal(isOwn(undefined, control), isPersons, text);
  }
  write(anchorFolder(other, ports), { "accepted.json": JSON.stringify({ line: "{}" }) });
  const known = readTrace(anchorFolder(other, ports));
  assert.deepEqual([isOwn({ ...known, head: null }), isOwn(known)], [true, false]);
  const held = (...paths: string[]) => paths.map((name) => isOwn({ ...known, at: "0" }, join(other, name)));
  assert.deepEqual(held("STATE.md", "log.txt", "artifacts", "artifacts/evidence.html"), [true, true, true, true]);
  assert.deepEqual(held("README.md", "TASKS.md", "x.md", "artifacts/journal.jsonl", "artifacts/passes", "."), [
    ...Array.from({ length: 6 }, () => false),
  ]);
});
