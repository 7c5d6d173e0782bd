import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ListedTasks, type NeededTask, openDependencies } from "../../lib/task/judge-dependencies.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";

/** Tasks `ID: what it needs`; a folder of another name is `FOLDER=ID`. `+` in front: done, `*`: done and proven. */
function listed(words: Readonly<Record<string, readonly string[]>>, more: Partial<ListedTasks> = {}): ListedTasks {
  const tasks = Object.entries(words).map(([word, dependsOn]): NeededTask & { mark: string } => {
    const [, mark = "", name = "", id = name] = /^([+*]?)([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    return { id, folder: `/tasks/${name}`, dependsOn, mark };
  });
  const marked = (marks: string) => (folder: string) =>
    tasks.some((task) => task.folder === folder && task.mark !== "" && marks.includes(task.mark));
  return {
    find: (id) => tasks.filter((task) => task.id === id),
    ids: () => tasks.map(({ id }) => id),
    isDone: marked("+*"),
    isProven: marked("*"),
    cleared: new Set(),
    ...more,
  };
}

function open(tasks: ListedTasks, dependsOn: readonly string[], provenOnly: readonly string[] = []) {
  const contract = { id: "T-1", dependsOn: [...dependsOn], provenOnly: [...provenOnly] };
  return openDependencies(placeOf("/tasks/T-1"), contract, () => tasks);
}

function problem(tasks: ListedTasks, dependsOn: readonly string[]) {
  try {
    open(tasks, dependsOn);
  } catch (error) {
    const [finding] = error instanceof TaskPhaseError ? error.findings : assert.fail(String(error));
    return [finding?.code, finding?.message, finding?.fix, finding?.file];
  }
  return null;
}

describe("the dependencies of a task that are not met", () => {
  test("are those that are not done", () => {
    const tasks = listed({ "T-1": ["T-2", "T-3"], "+T-2": [], "T-3": [] });
    assert.deepEqual(open(tasks, ["T-2", "T-3"]), [{ id: "T-3", isUnproven: false }]);
    assert.deepEqual(open(tasks, []), []);
  });

  test("are those that are done and not proven, where the task asks for proof", () => {
    const tasks = listed({ "T-1": [], "+T-2": [], "*T-3": [], "+T-4": [] });
    assert.deepEqual(open(tasks, ["T-2", "T-3", "T-4"], ["T-2", "T-3"]), [{ id: "T-2", isUnproven: true }]);
  });

  test("are none of a done task, though a folder is gone", () => {
    assert.deepEqual(open(listed({ "+T-1": ["gone"] }), ["gone"]), []);
  });

  test("are judged by what waits for them, where that is known", () => {
    const tasks = listed({ "T-1": [], "+T-2": [], "T-3": [] }, { isMet: (folder) => folder === "/tasks/T-3" });
    assert.deepEqual(open(tasks, ["T-2", "T-3"]), [{ id: "T-2", isUnproven: false }]);
  });
});

describe("wrong dependencies", () => {
  const readme = (name: string) => `/tasks/${name}/README.md`;
  const unknown = (who: string, what: string, way = "") =>
    `${who} depends on ${what}, and no readable task folder in tasks/ has that id${way}`;
  const cases: Readonly<Record<string, [Readonly<Record<string, readonly string[]>>, readonly string[], unknown[]]>> = {
    "an unknown one, with the nearest name": [
      { "T-1": [], "sum-up": [] },
      ["sum-ap"],
      ["TP_DEPENDENCY_UNKNOWN", unknown("T-1", "sum-ap"), "did you mean sum-up?", readme("T-1")],
    ],
    "an unknown one that is the name of a folder": [
      { "T-1": [], "02-notes=T-22": [] },
      ["02-notes"],
      ["TP_DEPENDENCY_UNKNOWN", unknown("T-1", "02-notes"), "did you mean T-22?", readme("T-1")],
    ],
    "an unknown one further down, with the path": [
      { "T-1": [], "T-2": ["elsewhere"] },
      ["T-2"],
      [
        "TP_DEPENDENCY_UNKNOWN",
        unknown("T-2", "elsewhere", "; the path is T-1 → T-2 → elsewhere"),
        "correct `depends_on`, or create that task",
        readme("T-2"),
      ],
    ],
    "a circle": [
      { "T-1": ["T-2"], "T-2": ["T-3"], "T-3": ["T-2"] },
      ["T-2"],
      [
        "TP_DEPENDENCY_CYCLE",
        "the tasks depend on each other in a cycle: T-1 → T-2 → T-3 → T-2",
        "remove one of these from a `depends_on`",
        readme("T-2"),
      ],
    ],
    itself: [
      { "T-1": ["T-1"] },
      ["T-1"],
      [
        "TP_DEPENDENCY_CYCLE",
        "the tasks depend on each other in a cycle: T-1 → T-1",
        "remove one of these from a `depends_on`",
        readme("T-1"),
      ],
    ],
    "two folders of one id": [
      { "T-1": [], "b=T-2": [], "a=T-2": [] },
      ["T-2"],
      [
        "TP_ID_DOUBLED",
        "T-1 depends on T-2, and the folders a and b have that id",
        "give only one of them the id T-2",
        readme("T-1"),
      ],
    ],
    "another folder of the task's own id": [
      { "T-1": [], "copy=T-1": [] },
      [],
      [
        "TP_ID_DOUBLED",
        "the folders T-1 and copy have the same id, T-1",
        "give each its own id, or move folders that are not tasks out of the tasks root",
        readme("T-1"),
      ],
    ],
  };
  for (const [name, [words, dependsOn, expected]] of Object.entries(cases))
    test(`are refused: ${name}`, () => assert.deepEqual(problem(listed(words), dependsOn), expected));

  test("are not looked for below a done task, nor twice, nor where the task is known to be alone", () => {
    assert.equal(problem(listed({ "T-1": [], "+T-2": ["gone"] }), ["T-2"]), null);
    assert.equal(problem(listed({ "T-1": [], "T-2": ["gone"] }, { cleared: new Set(["T-2"]) }), ["T-2"]), null);
    assert.equal(problem(listed({ "T-1": [], "copy=T-1": [] }, { isAlone: () => true }), []), null);
    const tasks = listed({ "T-1": [], "T-2": ["T-3"], "T-3": [] });
    open(tasks, ["T-2"]);
    assert.deepEqual(tasks.cleared, new Set(["T-3", "T-2"]));
  });
});
