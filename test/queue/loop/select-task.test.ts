import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import {
  chooseNext,
  earliestEligible,
  isBack,
  type LeftTask,
  leaveTask,
  selectTask,
  standOf,
  worstExit,
} from "../../../lib/queue/loop/select-task.ts";
import type { InspectedTask } from "../../../lib/queue/views/inspect-task.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { makeWorld } from "../../cli/arrange.ts";
import { openQuestion, stateFile } from "../../cli/task-states.ts";
import { adoptedJournal, portsOf } from "../../cli/task-world.ts";
import { makeFolder } from "../../process/arrange.ts";
import { inspected } from "../inspected.ts";

test("of the tasks that can run the first by priority is next, then by id, and one that cools down comes last", () => {
  const next = (...tasks: InspectedTask[]) => chooseNext(tasks)?.place.name ?? null;
  const [a, b] = [inspected("a"), inspected("b")];
  assert.equal(next(b, a), "a");
  assert.equal(next(a, inspected("b", { priority: 1 })), "b");
  assert.equal(next(inspected("a", { priority: 9, standing: "cooling" }), b), "b");
  assert.equal(next(inspected("z", { standing: "cooling" }), inspected("y", { standing: "cooling" })), "y");
  assert.equal(next(inspected("a", { id: "T-9" }), inspected("b", { id: null })), "a");
  assert.equal(next(inspected("a", { standing: "refused" })), "a");
  for (const standing of ["done", "asks", "blocked", "waits", "paused", "running", "unreadable"] as const)
    assert.equal(next(inspected("a", { standing })), null, standing);
  assert.equal(next(), null);
});

test("the first time at which something could go on is that of the task that waits least", () => {
  assert.equal(earliestEligible([{ until: null }, { until: "2026-02" }, { until: "2026-01" }]), "2026-01");
  assert.equal(earliestEligible([{ until: null }]), null);
});

test("a task that cannot be read outranks one that is wrong", () => {
  const worst = (...exits: readonly InspectedTask["unreadable"][]) =>
    worstExit(exits.map((unreadable) => ({ unreadable })));
  assert.deepEqual(
    [worst("config", "data", "failure"), worst("config", null, "data"), worst("config"), worst(null), worst()],
    ["failure", "data", "config", null, null],
  );
});

test("a text of files differs as soon as one of them changes, comes or goes", (t) => {
  const [one, two] = ["one", "two"].map((name) => join(makeFolder(t), name)) as [string, string];
  const seen = new Set([standOf([one, two])]);
  writeFileSync(one, "a");
  seen.add(standOf([one, two]));
  writeFileSync(one, "b b");
  seen.add(standOf([one, two]));
  rmSync(one);
  writeFileSync(two, "");
  seen.add(standOf([one, two]));
  assert.equal(seen.size, 4);
  assert.equal(standOf([one, two]), standOf([one, two]));
});

describe("a task that was left", () => {
  const task = (t: TestContext, more: Partial<InspectedTask> = {}) => {
    const folder = join(makeFolder(t), "T-1");
    mkdirSync(folder);
    return inspected("T-1", { place: placeOf(folder), ...more });
  };

  test("comes back once a person changed one of its files, if a run can go on with it", (t) => {
    const seen = task(t);
    const left = leaveTask(seen, { exitName: "blocked", reason: "why" });
    assert.equal(isBack(seen, left), false);
    writeFileSync(seen.place.control, "RETRY\n");
    assert.equal(isBack(seen, left), true);
    assert.equal(isBack({ ...seen, standing: "blocked" }, left), false);
  });

  test("comes back once a deadline of a question has passed", (t) => {
    const asked = (due: boolean) => [{ id: "Q1", due }] as unknown as InspectedTask["asked"];
    const seen = task(t, { asked: asked(false) });
    const left = leaveTask(seen, { exitName: "needs_user_decision", reason: "why" });
    assert.equal(isBack(seen, left), false);
    assert.equal(isBack({ ...seen, asked: asked(true) }, left), true);
  });

  test("stays away if no person's word can change why it was left", (t) => {
    const seen = task(t);
    for (const exitName of ["ok", "rejected", "config", "unavailable"] as const) {
      const left = leaveTask(seen, { exitName, reason: "why" });
      assert.equal(left.mark, null);
      writeFileSync(seen.place.state, exitName);
      assert.equal(isBack(seen, left), false, exitName);
    }
  });
});

describe("in a tasks root", () => {
  /** Tasks by folder name: their phase, or text in the place of STATE.md, and lines of the brief. */
  type Tasks = Readonly<Record<string, { phase: Phase; brief?: string; files?: Readonly<Record<string, string>> }>>;

  function select(
    t: TestContext,
    tasks: Tasks,
    left: Readonly<Record<string, Omit<LeftTask, "mark">>> = {},
    busy = "",
  ) {
    const world = makeWorld(t);
    world.write("tasks/task-phase.yaml", "models: [{ name: mine, adapter: command, command: [cat] }]\n");
    world.write("repo/good.txt", "");
    for (const [name, { phase, brief = "", files = {} }] of Object.entries(tasks)) {
      const readme = `---\nid: ${name}\ntitle: x\nrepo: ../../repo\n${brief}validators: [{ name: tests, command: [cat] }]\n---\n\nDo it now.\n`;
      const state = stateFile({ phase });
      const own = { "README.md": readme, "STATE.md": state, "artifacts/journal.jsonl": adoptedJournal(state, readme) };
      for (const [file, text] of Object.entries({ ...own, ...files })) world.write(`tasks/${name}/${file}`, text);
    }
    mkdirSync(world.path("tasks"), { recursive: true });
    const root = world.path("tasks");
    const seen = new Map(Object.entries(left).map(([name, one]) => [`${root}/${name}`, { ...one, mark: null }]));
    const found = selectTask(root, null, portsOf(world), seen, false, (taskDir) => taskDir === `${root}/${busy}`);
    if (found.kind === "selected") return found.taskDir.slice(root.length + 1);
    return `${found.exitName}: ${found.reason.replace("nothing is runnable; ", "").replace(root, "ROOT")}`;
  }

  const go = { phase: "implement" } as const;
  const done = { phase: "done" } as const;
  const gone = { exitName: "unavailable", reason: "no model can be called: mine is gone" } as const;

  test("the next task is one that this call does not work on and has not left", (t) => {
    assert.equal(select(t, { "T-1": go, "T-2": go }), "T-1");
    assert.equal(select(t, { "T-1": go, "T-2": go }, {}, "T-1"), "T-2");
    assert.equal(select(t, { "T-1": go, "T-2": go }, { "T-1": { exitName: "blocked", reason: "" } }), "T-2");
    assert.equal(select(t, { "T-1": done, "T-2": { ...go, brief: "depends_on: [T-1]\n" } }), "T-2");
  });

  test("a task whose brief is not written yet keeps no other from going on", (t) => {
    const unwritten = {
      phase: "intake",
      files: { "README.md": "---\nid: T-1\ntitle: x\nrepo: ../../repo\npriority: 9\n---\n" },
    } as const;
    assert.equal(select(t, { "T-1": unwritten, "T-2": go }), "T-2");
    assert.equal(select(t, { "T-1": unwritten }), "T-1");
  });

  const cases: readonly (readonly [what: string, tasks: Tasks, left: Parameters<typeof select>[2], end: string])[] = [
    ["no task", {}, {}, "ok: no task folder in ROOT; nothing to do"],
    ["only tasks that are done", { "T-1": done }, {}, "ok: every task is done; nothing to do"],
    [
      "a question and a blocked task",
      { "T-1": { phase: "blocked" }, "T-2": { phase: "shape", files: { "DECISIONS.md": openQuestion } } },
      {},
      "needs_user_decision: a task waits for a person's decision",
    ],
    [
      "a blocked task and a paused one",
      { "T-1": { phase: "blocked" }, "T-2": { ...go, files: { "CONTROL.md": "PAUSE\n" } } },
      {},
      "blocked: T-1 is blocked: Blockers is empty",
    ],
    [
      "a blocked task and one that no model can be called for",
      { "T-1": { phase: "blocked" }, "T-2": go },
      { "T-2": gone },
      "blocked: T-1 is blocked: Blockers is empty; and T-2 could run, but no model can be called: mine is gone",
    ],
    [
      "a blocked task and several that no model can be called for",
      { "T-1": { phase: "blocked" }, "T-2": go, "T-3": go },
      { "T-2": gone, "T-3": gone },
      "blocked: T-1 is blocked: Blockers is empty; and T-2 and 1 more could run, but no model can be called: mine is gone",
    ],
    ["a task that no model can be called for", { "T-1": go }, { "T-1": gone }, `unavailable: ${gone.reason}`],
    [
      "a task that cannot be read",
      { "T-1": { ...done, files: { "TASKS.md": "\0" } } },
      {},
      "data: a task cannot be read, or its contract is wrong",
    ],
    [
      "a task that failed",
      { "T-1": go },
      { "T-1": { exitName: "failure", reason: "not committed" } },
      "failure: not committed",
    ],
    [
      "a task that was rejected",
      { "T-1": go },
      { "T-1": { exitName: "rejected", reason: "refused" } },
      "rejected: refused",
    ],
    [
      "a task that is paused",
      { "T-1": { ...go, files: { "CONTROL.md": "PAUSE\n" } } },
      {},
      "paused: a person paused the remaining tasks",
    ],
    [
      "a task that another runner holds",
      { "T-1": go },
      { "T-1": { exitName: "locked", reason: "held" } },
      "locked: held",
    ],
    [
      "a task that waits for one that was left",
      { "T-1": { ...go, brief: "depends_on: [T-2]\n" }, "T-2": go },
      { "T-2": { exitName: "ok", reason: "" } },
      "blocked: a task waits for another task",
    ],
  ];
  for (const [what, tasks, left, end] of cases)
    test(`with ${what} there is none, and the reason says what comes first`, (t) =>
      assert.equal(select(t, tasks, left), end));
});
