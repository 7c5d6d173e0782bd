import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeStories } from "../../../lib/scaffold/interchange/judge-stories.ts";
import { readPrd } from "../../../lib/scaffold/interchange/prd-shape.ts";
import { readJsonFile } from "../../../lib/scaffold/interchange/read-source.ts";

type Needs = readonly (readonly [id: string, ...dependsOn: string[]])[];
type Known = readonly { readonly id: string; readonly dependsOn: readonly string[] }[];

function judge(needs: Needs, known: Known = []): unknown[][] {
  const list = needs.map(([id, ...dependsOn]) => `${JSON.stringify({ id, title: "t", passes: false, dependsOn })}`);
  const text = `{"userStories":[\n${list.join(",\n")}\n]}`;
  const findings = judgeStories(readPrd(readJsonFile(Buffer.from(text), "prd.json")).stories, known);
  return findings.map(({ code, line, message, fix }) => [code, line, message, fix]);
}

test("ids and dependencies that fit are not spoken of", () => {
  assert.deepEqual(judge([["A"], ["B", "A", "A"], ["C", "B", "X"]], [{ id: "X", dependsOn: ["A"] }]), []);
});

test("every id that no task can have is named, and what depends on nothing", () => {
  assert.deepEqual(judge([["a/b"], ["x\ny"], ["B", "b"], ["B", "US-1"]]), [
    [
      "TP_PRD_ID",
      2,
      "'a/b' cannot be a task's id: it contains a slash",
      "write an id with 1 to 80 visible characters and no slash, for example T-123",
    ],
    [
      "TP_PRD_ID",
      3,
      "'x\\ny' cannot be a task's id: it contains a control or invisible character",
      "write an id with 1 to 80 visible characters and no slash, for example T-123",
    ],
    ["TP_PRD_DOUBLE_ID", 5, 'the id "B" appears twice', "give each story its own id"],
    [
      "TP_DEPENDENCY_UNKNOWN",
      4,
      'B depends on "b", which is neither a story of the file nor a task of the tasks root',
      "remove it from dependsOn, or add that story",
    ],
    [
      "TP_DEPENDENCY_UNKNOWN",
      5,
      'B depends on "US-1", which is neither a story of the file nor a task of the tasks root',
      "remove it from dependsOn, or add that story",
    ],
  ]);
});

test("a near id is offered", () => {
  assert.equal(judge([["US-001"], ["US-002", "US-01"]])[0]?.[3], "did you mean US-001?");
});

for (const [name, needs, known, circle, line] of [
  ["of one", [["A", "A"]], [], "A → A", 2],
  [
    "further down",
    [
      ["A", "B"],
      ["B", "C"],
      ["C", "B"],
    ],
    [],
    "B → C → B",
    3,
  ],
  ["through a task that stands there", [["A", "X"]], [{ id: "X", dependsOn: ["A"] }], "A → X → A", 2],
] as const) {
  test(`a circle ${name} is named with the way through it`, () => {
    const fix = "remove one of these from a dependsOn";
    assert.deepEqual(judge(needs, known), [
      ["TP_DEPENDENCY_CYCLE", line, `stories depend on each other in a cycle: ${circle}`, fix],
    ]);
  });
}

test("a task that stands there keeps its own dependencies, so the file cannot close a circle with it", () => {
  assert.deepEqual(
    judge(
      [
        ["A", "B"],
        ["B", "A"],
      ],
      [{ id: "B", dependsOn: [] }],
    ),
    [],
  );
});

test("many shared dependencies are looked at once", () => {
  const ids = Array.from({ length: 60 }, (_, index) => `S-${index}`);
  assert.deepEqual(judge(ids.map((id, index) => [id, ...ids.slice(0, index)] as const)), []);
});
