import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonNode, readJson } from "../../../lib/scaffold/interchange/json-text.ts";
import {
  findLikeStories,
  findStoryList,
  memberNamed,
  otherClaim,
  rankOf,
} from "../../../lib/scaffold/interchange/story-keys.ts";
import { read } from "./read-text.ts";

/** What other tools write, and what is read of it: id, title, done, priority, criteria, dependencies. */
const otherForms: readonly (readonly [
  name: string,
  text: string,
  stories: readonly unknown[][],
  leftOut?: string[],
])[] = [
  [
    "a list at the top, with ids that are numbers",
    '[{ "id": 1, "title": "a", "priority": "high", "status": "done" }, { "id": 2, "title": "b", "status": "open", "dependencies": [1] }]',
    [
      ["1", "a", true, 2, [], []],
      ["2", "b", false, null, [], ["1"]],
    ],
  ],
  [
    "criteria as objects",
    '{ "stories": [{ "id": "A", "name": "a", "acceptance_criteria": [{ "text": "x", "met": true }, { "description": "y" }, "z"], "passes": true }] }',
    [["A", "a", true, null, ["x", "y", "z"], []]],
  ],
  [
    "the tags of task-master",
    `{ "other": { "tasks": [{ "id": 9, "title": "o", "status": "pending" }] }, "master": { "tasks": [{ "id": 1, "title": "a",
      "description": "d", "details": "e", "status": "in-progress", "priority": "low", "dependencies": [], "subtasks":
      [{ "id": 1, "title": "s", "status": "pending" }] }], "metadata": {} } }`,
    [["1", "a", false, 4, ["s"], []]],
    ["other.tasks"],
  ],
  [
    "a feature list without ids and titles",
    '[{ "category": "functional", "description": "A chat can be opened", "steps": ["Click New", "See it"], "passes": false }]',
    [["F-1", "A chat can be opened", false, null, ["Click New", "See it"], []]],
  ],
  [
    "a prd inside",
    '{ "prd": { "user_stories": [{ "id": "A", "title": "a", "completed": false }] } }',
    [["A", "a", false, null, [], []]],
  ],
];
for (const [name, text, stories, leftOut = []] of otherForms) {
  test(`a file with ${name} is read`, () => {
    const prd = read(text);
    const said = prd.stories.map((one) => [one.id, one.title, one.passes, one.priority, one.criteria, one.dependsOn]);
    assert.deepEqual([said, prd.leftOut], [stories, leftOut]);
  });
}

function nodeOf(value: unknown): JsonNode {
  const json = readJson(JSON.stringify(value));
  assert(json.kind === "json");
  return json.root;
}

test("a key goes before its other names, and those go in their order", () => {
  const keyFor = (value: object, key: string) => memberNamed(nodeOf(value), key)?.key ?? null;
  assert.equal(keyFor({ name: "b", title: "a" }, "title"), "title");
  assert.equal(keyFor({ steps: [], criteria: [] }, "acceptanceCriteria"), "criteria");
  assert.equal(keyFor({ name: "b" }, "id"), null);
  assert.equal(keyFor([], "title"), null);
});

test("the stories are the file itself, or a list under a known name, in it, in `prd`, in `master` or in a tag", () => {
  const found = (value: unknown) => {
    const list = findStoryList(nodeOf(value));
    return list && [list.path, ...list.leftOut].join(" ");
  };
  const tasks = { tasks: [] };
  assert.equal(found([]), "");
  assert.equal(found({ tasks: [], userStories: [] }), "userStories");
  assert.equal(found({ userStories: {}, tasks: [] }), "tasks");
  assert.equal(found({ userStories: {} }), "userStories");
  assert.equal(found({ a: tasks, master: tasks, prd: tasks }), "prd.tasks a.tasks master.tasks");
  assert.equal(found({ a: tasks, master: tasks }), "master.tasks a.tasks");
  assert.equal(found({ a: tasks }), "a.tasks");
  assert.equal(found({ a: 1 }), null);
  assert.equal(found(7), null);
});

test("elsewhere a list looks like stories by its keys, and the one with most of them is named", () => {
  const [one, more] = [
    { id: 1, name: "a" },
    { id: 1, title: "a", status: "open" },
  ];
  assert.equal(findLikeStories(nodeOf({ a: [one], b: { c: [[], { d: [more] }] } }))?.path, "b.c[1].d");
  assert.equal(findLikeStories(nodeOf({ a: [{ id: 1 }], b: [] })), null);
});

test("a story is done by a word or a flag of its own", () => {
  const rows: readonly (readonly [story: object, passes: boolean | null, word: string | null])[] = [
    [{ status: "DONE" }, true, "DONE"],
    [{ status: "completed" }, true, "completed"],
    [{ status: "undone" }, false, "undone"],
    [{ status: 1, done: true }, true, null],
    [{ completed: false }, false, null],
    [{ done: "yes" }, null, null],
    [{}, null, null],
  ];
  for (const [story, passes, word] of rows) {
    const claim = otherClaim(nodeOf(story));
    assert.deepEqual([claim?.passes ?? null, claim?.word ?? null], [passes, word], JSON.stringify(story));
  }
});

test("a priority in words is a rank", () => {
  assert.deepEqual(["critical", "High", "LOW", "p0", "P3", "p10", "soon", ""].map(rankOf), [
    1,
    2,
    4,
    0,
    3,
    null,
    null,
    null,
  ]);
});
