import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setParts } from "../../../lib/documents/evidence-file.ts";
import type { Tamper } from "../../../lib/rules/facts.ts";
import { tryLock } from "../../../lib/store/lock.ts";
import { boardNames, putNoted } from "../../../lib/task/board-files.ts";
import { compareAndRestore } from "../../../lib/task/guard/guard.ts";
import { recordNewTask } from "../../../lib/task/guard/new-tasks.ts";
import { pinProtected, withBytes } from "../../../lib/task/guard/protected-paths.ts";
import { lockTask } from "../../../lib/task/locks.ts";
import { anchorFolder } from "../../../lib/task/records/anchor.ts";
import { putOwnFile } from "../../../lib/task/records/own-writes.ts";
import { taskLockPath } from "../../../lib/task/task-lock.ts";
import { decisionsFile } from "../../cli/task-states.ts";
import { refusing } from "../../store/refused-calls.ts";
import { type GuardedTask, guardTask, told } from "./arrange.ts";

interface Row {
  /** Relative to the folder of the tasks root and the repo; null removes it. */
  readonly change: readonly (readonly [name: string, text: string | null])[];
  readonly by?: Tamper["by"];
  readonly said: readonly string[];
  /** The change stays. */
  readonly stays?: true;
}

const stepsGone = 'the item "two" was removed or reworded; keep its line, and only append to it: `- [ ] two`';
const rows: Readonly<Record<string, Row>> = {
  nothing: { change: [], said: [] },
  "the brief": { change: [["tasks/T-1/README.md", "forged\n"]], said: ["tampering|README.md|changed|task_file|model"] },
  "the state, as a proposal": { change: [["tasks/T-1/STATE.md", "mine\n"]], said: ["allowed|STATE.md"], stays: true },
  "the state, removed": {
    change: [["tasks/T-1/STATE.md", null]],
    said: ["tampering|STATE.md|removed|task_file|model"],
  },
  "the state, by a check of the run before the work": {
    change: [["tasks/T-1/STATE.md", "mine\n"]],
    by: "before",
    said: ["allowed|STATE.md"],
    stays: true,
  },
  "the state, by a reviewer": {
    change: [["tasks/T-1/STATE.md", "mine\n"]],
    by: "reviewers",
    said: ["allowed|STATE.md"],
    stays: true,
  },
  "the state, removed while the checks run": {
    change: [["tasks/T-1/STATE.md", null]],
    by: "validators",
    said: ["allowed|STATE.md"],
    stays: true,
  },
  "a step, ticked": {
    change: [["tasks/T-1/TASKS.md", "- [x] one\n- [ ] two\n"]],
    said: ["allowed|TASKS.md"],
    stays: true,
  },
  "a step, ticked by a check of the run before the work": {
    change: [["tasks/T-1/TASKS.md", "- [x] one\n- [ ] two\n"]],
    by: "before",
    said: ["tampering|TASKS.md|changed|task_file|before"],
  },
  "a step, ticked by a reviewer, and a question that it asked and answered": {
    change: [
      ["tasks/T-1/TASKS.md", "- [x] one\n- [ ] two\n"],
      ["tasks/T-1/DECISIONS.md", decisionsFile("UTF-8")],
    ],
    by: "reviewers",
    said: ["tampering|DECISIONS.md|added|task_file|reviewers", "tampering|TASKS.md|changed|task_file|reviewers"],
  },
  "a step, taken out": {
    change: [["tasks/T-1/TASKS.md", "- [x] one\n"]],
    said: [`tampering|TASKS.md|changed|task_file|model|${stepsGone}`],
  },
  "all steps, for a question with its answer": {
    change: [["tasks/T-1/TASKS.md", decisionsFile("UTF-8")]],
    said: [`tampering|TASKS.md|changed|task_file|model|${stepsGone.replaceAll("two", "one")}`],
  },
  "all steps": { change: [["tasks/T-1/TASKS.md", null]], said: ["tampering|TASKS.md|removed|task_file|model"] },
  "a new question": {
    change: [["tasks/T-1/DECISIONS.md", decisionsFile("")]],
    said: ["allowed|DECISIONS.md"],
    stays: true,
  },
  "its own part of the evidence": {
    change: [["tasks/T-1/EVIDENCE.md", "mine and more\n"]],
    said: ["allowed|EVIDENCE.md"],
    stays: true,
  },
  "the runner's part of the evidence": {
    change: [["tasks/T-1/EVIDENCE.md", setParts("mine\n", { checks: "all pass" })]],
    said: ["tampering|EVIDENCE.md|changed|runner_file|model|the runner's part `checks` was added"],
  },
  "a ledger": {
    change: [
      ["tasks/T-1/log.txt", "forged\n"],
      ["tasks/T-1/SUMMARY.md", "done\n"],
    ],
    said: ["put back|SUMMARY.md|added|runner_file|model", "put back|log.txt|changed|runner_file|model"],
  },
  "a ledger, by a check": {
    change: [["tasks/T-1/log.txt", null]],
    by: "validators",
    said: ["put back|log.txt|removed|runner_file|validators"],
  },
  "a ledger, by a check of the run before the work": {
    change: [["tasks/T-1/progress.txt", "forged\n"]],
    by: "before",
    said: ["tampering|progress.txt|added|runner_file|before"],
  },
  "the journal": {
    change: [["tasks/T-1/artifacts/journal.jsonl", "{}\n{}\n"]],
    said: ["tampering|artifacts/journal.jsonl|changed|runner_file|model"],
  },
  "its own artifacts and notes": {
    change: [
      ["tasks/T-1/artifacts/report.md", "it works\n"],
      ["tasks/T-1/notes/a.md", "a note\n"],
      ["tasks/T-1/CONTROL.md", "- [ ] PAUSE\n"],
    ],
    said: [],
    stays: true,
  },
  "the configuration": {
    change: [["tasks/task-phase.yaml", "models: [mine]\n"]],
    said: ["tampering|tasks/task-phase.yaml|changed|config|model"],
  },
  "the notes about models": {
    change: [["tasks/.task-phase/cooldowns.json", "{ }\n"]],
    said: ["tampering|tasks/.task-phase/cooldowns.json|changed|config|model"],
  },
  "another task": {
    change: [["tasks/T-2/README.md", "forged\n"]],
    said: ["tampering|tasks/T-2/README.md|changed|other_task|model"],
  },
  "the board": {
    change: [["tasks/BOARD.md", "forged\n"]],
    said: ["tampering|tasks/BOARD.md|changed|runner_file|model|only task-phase board writes it"],
  },
  "a new task": {
    change: [["tasks/T-3/STATE.md", "a state\n"]],
    said: [
      "tampering|tasks/T-3|added|other_task|model|a new task folder that a person did not make with task-phase init",
    ],
  },
};

describe("a pass that changes", () => {
  for (const [name, { change, by = "model", said, stays = false }] of Object.entries(rows)) {
    test(`${name}: ${said.length === 0 || stays ? "it may" : "that is put back and told"}`, (t) => {
      const task = guardTask(t);
      const guard = task.begin();
      const before = change.map(([path]) => task.read(path));
      for (const [path, text] of change) {
        if (text === null) task.remove(path);
        else task.put(path, text);
      }
      assert.deepEqual(told(guard, by), said);
      assert.deepEqual(
        change.map(([path]) => task.read(path)),
        stays ? change.map(([, text]) => text) : before,
      );
      assert.deepEqual(told(guard, by), stays ? said : []);
    });
  }

  test("a file that was put back is kept under the reported name", (t) => {
    const task = guardTask(t);
    const guard = task.begin();
    task.put("tasks/T-1/README.md", "forged\n");
    task.put("tasks/T-2/README.md", "forged too\n");
    told(guard);
    const inStaging = (name: string) =>
      task.read(join(task.anchor.staging, "kept", name).slice(task.folder.length + 1));
    assert.deepEqual(["README.md", "tasks/T-2/README.md"].map(inStaging), ["forged\n", "forged too\n"]);
  });
});

test("a new question that came with an answer stays without it, and both are reported", (t) => {
  const task = guardTask(t);
  const file = "tasks/T-1/DECISIONS.md";
  const guard = task.begin();
  task.put(file, decisionsFile("UTF-8"));
  const said =
    'put back|DECISIONS.md|added|task_file|model|the new question Q1 came with an answer: "UTF-8"; the answer was removed, and the question stays';
  assert.deepEqual(told(guard), [said, "allowed|DECISIONS.md"]);
  assert.equal(task.read(file), decisionsFile(""));
  const kept = join(task.anchor.staging, "kept", "DECISIONS.md").slice(task.folder.length + 1);
  assert.equal(task.read(kept), decisionsFile("UTF-8"));
  assert.deepEqual(told(guard), ["allowed|DECISIONS.md"]);
});

test("a STATE.md that is a link, or that was missing before, is not a proposal", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  task.put("tasks/T-1/mine.md", "mine\n");
  task.remove("tasks/T-1/STATE.md");
  symlinkSync("mine.md", task.place.state);
  assert.deepEqual(told(guard), ["tampering|STATE.md|replaced|task_file|model"]);
  chmodSync(task.place.state, 0o600);
  assert.deepEqual(told(guard), ["allowed|STATE.md"]);
  task.remove("tasks/T-1/STATE.md");
  const without = task.begin();
  task.put("tasks/T-1/STATE.md", "mine\n");
  assert.deepEqual(told(without), ["tampering|STATE.md|added|task_file|model"]);
  assert.equal(task.read("tasks/T-1/STATE.md"), null);
});

test("the whole task folder, moved away, is put back under its own name", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  renameSync(task.place.taskDir, join(task.folder, "away"));
  const said = told(guard);
  assert.ok(said.includes("tampering|tasks/T-1|removed|runner_file|model"), said.join("\n"));
  assert.equal(task.read("tasks/T-1/README.md"), "the brief\n");
});

test("a file that cannot be put back is reported as such, and the rest is put back all the same", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  task.put("tasks/T-1/README.md", "forged\n");
  task.put("tasks/T-1/artifacts/journal.jsonl", "forged\n");
  task.spoilCopy(guard, task.place.readme);
  assert.deepEqual(told(guard), [
    "tampering|README.md|changed|task_file|model|not restored",
    "tampering|artifacts/journal.jsonl|changed|runner_file|model",
  ]);
});

test("a ledger that cannot be put back is a reason against the pass", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  task.put("tasks/T-1/log.txt", "forged\n");
  task.spoilCopy(guard, task.place.log);
  assert.deepEqual(told(guard), ["tampering|log.txt|changed|runner_file|model|not restored"]);
});

test("a missing .git is reported if the pass began with one", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  task.remove("repo/.git");
  assert.deepEqual(told(guard), ["tampering|.git|removed|git|model|not restored|the repo's .git is gone"]);
  assert.deepEqual(told({ ...guard, current: { ...guard.current, had_git: false } }), []);
});

test("files that a killed run itself may have written are left alone", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  task.put("tasks/T-1/log.txt", "the runner's\n");
  task.put("tasks/T-1/README.md", "forged\n");
  const ownOutputs = (path: string) => path === task.place.log;
  assert.deepEqual(told({ ...guard, ownOutputs }), ["tampering|README.md|changed|task_file|model"]);
  assert.equal(task.read("tasks/T-1/log.txt"), "the runner's\n");
});

test("a file that the runner wrote during the pass is left alone, until something replaces it", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  const name = "tasks/T-1/artifacts/checkpoint.json";
  putOwnFile(task.place, task.anchor, join(task.folder, name), "{}\n");
  assert.deepEqual(told(guard), []);
  assert.equal(task.read(name), "{}\n");
  task.put(name, "forged\n");
  assert.deepEqual(told(guard), ["tampering|artifacts/checkpoint.json|added|runner_file|model"]);
  assert.equal(task.read(name), null);
});

describe("another task may change while this pass runs", () => {
  const change = (task: GuardedTask) => task.put("tasks/T-2/STATE.md", "its own\n");

  test("if its runner is running", (t) => {
    const task = guardTask(t);
    const guard = task.begin();
    change(task);
    mkdirSync(join(task.place.runtime, "locks"), { recursive: true });
    const lock = tryLock(taskLockPath(task.other)) ?? assert.fail("it is locked already");
    assert.deepEqual(told(guard), ["allowed|tasks/T-2/STATE.md"]);
    lock.release();
    assert.deepEqual(told(guard), ["tampering|tasks/T-2/STATE.md|changed|other_task|model"]);
  });

  test("if its runner has been running since", (t) => {
    const task = guardTask(t);
    const guard = task.begin();
    change(task);
    const folder = anchorFolder(task.other.taskDir, task.ports);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "accepted.json"), JSON.stringify({ line: "an event" }));
    assert.deepEqual(told(guard), ["allowed|tasks/T-2/STATE.md"]);
  });

  test("if a call of a person that makes no event held it since, and only in files that such a call writes", (t) => {
    const task = guardTask(t);
    lockTask(task.other, task.ports).release();
    const guard = task.begin();
    const written = ["DECISIONS.md", "EVIDENCE.md", "STATE.md", "last_error.txt", "log.txt", "artifacts/evidence.html"];
    const write = () => {
      for (const name of written) task.put(`tasks/T-2/${name}`, "its own\n");
    };
    write();
    const blamed = ["DECISIONS.md", "EVIDENCE.md", "STATE.md", "artifacts", "last_error.txt", "log.txt"];
    assert.deepEqual(
      told(guard)
        .map((line) => line.split("|")[1])
        .sort(),
      [...blamed, "artifacts/evidence.html"].map((name) => `tasks/T-2/${name}`).sort(),
    );
    write();
    lockTask(task.other, task.ports).release();
    for (const name of ["README.md", "artifacts/journal.jsonl"]) task.put(`tasks/T-2/${name}`, "forged\n");
    assert.deepEqual(
      told(guard).filter((line) => line.startsWith("tampering|")),
      [
        "tampering|tasks/T-2/README.md|changed|other_task|model",
        "tampering|tasks/T-2/artifacts/journal.jsonl|added|other_task|model",
      ],
    );
    for (const name of written) assert.equal(task.read(`tasks/T-2/${name}`), "its own\n");
  });

  test("in its CONTROL.md, which is a person's", (t) => {
    const task = guardTask(t);
    const guard = task.begin();
    task.put("tasks/T-2/CONTROL.md", "PAUSE\n");
    assert.deepEqual(told(guard), ["allowed|tasks/T-2/CONTROL.md"]);
    assert.equal(task.read("tasks/T-2/CONTROL.md"), "PAUSE\n");
  });
});

test("another task's file is its own runner's work if that began a pass since and was killed, and not if it was before", (t) => {
  for (const since of [true, false]) {
    const task = guardTask(t);
    const folder = anchorFolder(task.other.taskDir, task.ports);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "accepted.json"), JSON.stringify({ line: "an event" }));
    const note = () =>
      writeFileSync(join(folder, "current.json"), JSON.stringify({ mark: { id: "1" }, started: { line: "began" } }));
    if (!since) note();
    const guard = task.begin();
    if (since) note();
    task.put("tasks/T-2/STATE.md", "changed\n");
    assert.deepEqual(told(guard), [
      since ? "allowed|tasks/T-2/STATE.md" : "tampering|tasks/T-2/STATE.md|changed|other_task|model",
    ]);
  }
});

describe("a new task is a person's", () => {
  test("if init made it", (t) => {
    const task = guardTask(t);
    const guard = task.begin();
    task.put("tasks/T-3/STATE.md", "a state\n");
    recordNewTask(join(task.folder, "tasks/T-3"), task.ports);
    assert.deepEqual(told(guard), []);
    assert.equal(task.read("tasks/T-3/STATE.md"), "a state\n");
  });

  test("if a runner of its own works on it, or has", (t) => {
    const task = guardTask(t);
    const guard = task.begin();
    for (const name of ["T-3", "T-4", "T-5"]) task.put(`tasks/${name}/STATE.md`, "a state\n");
    mkdirSync(join(task.place.runtime, "locks"), { recursive: true });
    const lock = tryLock(taskLockPath({ runtime: task.place.runtime, name: "T-3" })) ?? assert.fail();
    const folder = anchorFolder(join(task.folder, "tasks/T-4"), task.ports);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "accepted.json"), JSON.stringify({ line: "an event" }));
    assert.deepEqual(
      told(guard).map((line) => line.split("|")[1]),
      ["tasks/T-5"],
    );
    assert.equal(task.read("tasks/T-5/STATE.md"), null);
    lock.release();
  });
});

test("a board that task-phase board wrote while the pass ran is its own, and another in its place is not", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  const board = join(task.place.tasksRoot, boardNames.markdown);
  putNoted(task.place.tasksRoot, { [board]: "newer\n" }, task.ports, () => task.put("tasks/BOARD.md", "newer\n"));
  assert.deepEqual(told(guard), []);
  task.put("tasks/BOARD.md", "forged\n");
  assert.equal(told(guard).length, 1);
  assert.equal(task.read("tasks/BOARD.md"), "the board\n");
});

test("the runner's own files and the protected paths are reported beside the task's", (t) => {
  const task = guardTask(t);
  const guard = task.begin();
  const kept: string[] = [];
  const runner = {
    restore(by: Tamper["by"], keepIn: string): Tamper {
      kept.push(keepIn);
      return { path: "node_modules", change: "changed", guard: "runner_file", by, detail: null, restored: true };
    },
  };
  const pins = { repo: task.repo, globs: ["test/**"], digests: {}, entries: {} };
  task.put("repo/test/a.js", "1\n");
  assert.deepEqual(told({ ...guard, runner, pins }, "validators"), [
    "tampering|node_modules|changed|runner_file|validators",
    "tampering|test/a.js|added|protected|validators",
  ]);
  assert.equal(task.read("repo/test/a.js"), null);
  assert.deepEqual(kept, [join(task.anchor.staging, "kept", "runner")]);
  assert.deepEqual(told({ ...guard, runner: null }), []);
});

test("a compare of the own files leaves other tasks to the next compare of all", (t) => {
  const task = guardTask(t);
  task.put("tasks/T-1/artifacts/passes/0001/pass.json", "{}\n");
  const guard = task.begin();
  const names = ["tasks/T-1/README.md", "tasks/T-1/artifacts/passes/0001/pass.json", "tasks/T-2/README.md"];
  for (const name of names) task.put(name, "forged\n");
  const paths = (which: "all" | "own") =>
    compareAndRestore(guard, "validators", which).tampering.map(({ path }) => path);
  assert.deepEqual(paths("own"), ["README.md"]);
  assert.deepEqual(paths("all").sort(), ["artifacts/passes/0001/pass.json", "tasks/T-2/README.md"]);
  assert.deepEqual(
    names.map((name) => task.read(name)),
    ["the brief\n", "{}\n", "another brief\n"],
  );
});

test("a disk that fails while a file is put back is an error; nothing is reported of the pass, and it can be repeated", (t) => {
  for (const [name, call, code] of [
    ["tasks/T-1/log.txt", "renameSync", "ENOSPC"],
    ["tasks/T-1/README.md", "renameSync", "EROFS"],
    ["tasks/T-1/TASKS.md", "readSync", "EIO"],
    ["repo/src/main.js", "renameSync", "EDQUOT"],
  ] as const) {
    const task = guardTask(t);
    const guard = task.begin();
    const globs = ["src/*.js"];
    const pins = withBytes(pinProtected(task.repo, globs), task.anchor);
    const before = task.read(name);
    task.put(name, "forged\n");
    const compare = () => compareAndRestore({ ...guard, pins }, "model");
    assert.throws(() => refusing(call, code, /./, compare), new RegExp(`\\(${code}\\)$`), name);
    const { tampering, putBack } = compare();
    assert.deepEqual(
      [...tampering, ...putBack].map(({ restored }) => restored),
      [true],
    );
    assert.equal(task.read(name), before);
  }
});
