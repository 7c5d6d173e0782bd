import assert from "node:assert/strict";
import { test } from "node:test";
import { readPrd } from "../../../lib/scaffold/interchange/prd-shape.ts";
import { isMeantAsJson, readJsonFile } from "../../../lib/scaffold/interchange/read-source.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { needsPrd, plainPrd } from "./samples.ts";

const read = (text: string) => readPrd(readJsonFile(Buffer.from(text), "prd.json"));
const withStory = (...entries: string[]) =>
  `{ "userStories": [{\n"id": "A",\n"title": "a",\n"passes": false${entries.map((entry) => `,\n${entry}`).join("")}\n}] }`;

test("both published forms are read", () => {
  const said = [plainPrd, needsPrd]
    .map(read)
    .map(({ project, description, branchName, stories }) => [
      project,
      description,
      branchName,
      stories.map(({ node: _node, place: _place, claim: _claim, ...story }) => story).at(-1),
    ]);
  const none = { description: null, notes: null, completionNotes: null, labels: [], dependsOn: [], passes: false };
  assert.deepEqual(said, [
    [
      "Ledger",
      "Monthly report - Sums by month and account",
      "ralph/monthly-report",
      {
        ...none,
        id: "US-002",
        title: "Show sums by month",
        description: "As a bookkeeper, I want to see sums by month.",
        criteria: ["Sums of each month are shown, newest first", "Empty state where no booking is there"],
        priority: 2,
        notes: "Mind the time zone: überall UTC",
      },
    ],
    [
      "Report by mail",
      "Send the monthly report",
      "feat/report-mail",
      {
        ...none,
        id: "RM-2",
        title: "Send it on the first of the month",
        criteria: ["A mail goes to each address of the list"],
        priority: 1,
        dependsOn: ["RM-1"],
      },
    ],
  ]);
});

test("an optional value may be null", () => {
  const { stories } = read(withStory('"notes": null', '"priority": null', '"labels": null', '"description": null'));
  assert.deepEqual(
    [stories[0]?.notes, stories[0]?.priority, stories[0]?.labels, stories[0]?.description],
    [null, null, [], null],
  );
});

const cases: readonly (readonly [text: string, place: string, message: string, fix: string])[] = [
  ["7", "1:1", "the file must be an object, found 7", "write it in braces { }"],
  ["{}", "1:1", "userStories is missing; expected a list of stories", 'add "userStories"'],
  ['{ "tasks": [] }', "1:12", "tasks is an empty list", "add a story"],
  ["[ ]", "1:1", "the list is an empty list", "add a story"],
  [
    '{ "phases": [{ "name": "one", "items": [\n{ "id": "A", "title": "a" }] }] }',
    "1:1",
    "userStories is missing; expected a list of stories",
    'phases[0].items in line 1 looks like stories: move that list under "userStories"',
  ],
  [
    '{ "userStory": [] }',
    "1:1",
    "userStories is missing; expected a list of stories",
    "did you mean the key userStory?",
  ],
  [
    '{ "userStories": {} }',
    "1:18",
    "userStories must be a list of stories, found an object",
    "write a list of stories",
  ],
  ['{ "userStories": [null] }', "1:19", "userStories[0] must be an object, found null", "write it in braces { }"],
  [
    withStory('"priority": "soon"'),
    "5:13",
    'userStories[0].priority must be a number such as 1, found the text "soon"',
    "write a number such as 1",
  ],
  [
    withStory('"priority": 1e999'),
    "5:13",
    "userStories[0].priority must be a number such as 1, found Infinity",
    "write a number such as 1",
  ],
  [
    withStory('"acceptanceCriteria": "a"'),
    "5:23",
    'userStories[0].acceptanceCriteria must be a list of strings, found the text "a"',
    "write a list of strings",
  ],
  [
    withStory('"acceptanceCriteria": [" "]'),
    "5:24",
    "userStories[0].acceptanceCriteria[0] must be text that is not empty, found empty text",
    "write text that is not empty",
  ],
  [
    withStory('"dependsOn": [[]]'),
    "5:15",
    "userStories[0].dependsOn[0] must be text in double quotes, found an empty list",
    "write text in double quotes",
  ],
  [
    withStory('"notes": [1]'),
    "5:10",
    "userStories[0].notes must be text in double quotes, found a list",
    "write text in double quotes",
  ],
  [
    plainPrd.replace('"passes": false', '"passes": "no"'),
    "16:17",
    'userStories[0].passes must be true or false, found the text "no"',
    "write true or false",
  ],
  [
    plainPrd.replace('"passes": false', '"state": "open"'),
    "6:5",
    "userStories[0].passes is missing; expected true or false",
    'add "passes"; found the keys id, title, description, acceptanceCriteria, priority, state, notes',
  ],
  [
    plainPrd.replace('"id": "US-001"', '"id": null'),
    "7:13",
    "userStories[0].id must be text in double quotes, found null",
    "write text in double quotes",
  ],
  [
    '{ "verificationCommands": [], "userStories": [{ "id": "A", "title": "a", "passes": true }] }',
    "1:27",
    "verificationCommands must be an object of command lines, found an empty list",
    "write an object of command lines",
  ],
  [
    '{ "verificationCommands": { "a": 1 }, "userStories": [{ "id": "A", "title": "a", "passes": true }] }',
    "1:34",
    "verificationCommands.a must be text in double quotes, found 1",
    "write text in double quotes",
  ],
];
for (const [text, place, message, fix] of cases) {
  test(`${message}`, () => {
    assert.deepEqual(problemsOf(text), [[place, message, fix]]);
  });
}

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

test("only the first of many mistakes are listed", () => {
  const problems = problemsOf(`{ "userStories": [${Array(30).fill("1").join(", ")}] }`);
  assert.deepEqual([problems.length, problems.at(-1)?.[1]], [21, "and 10 more of this kind"]);
  const many = problemsOf(
    `{ "userStories": [${Array(1001).fill('{ "id": "A", "title": "a", "passes": true }').join(",")}] }`,
  );
  assert.equal(many[0]?.[1], "userStories has 1001 stories; the limit is 1000");
});

test("a file without a telling name is meant as JSON if it starts as a list of objects, and not as a link", () => {
  const starts = ["[\n{", "[]", "[a link](b)"].map((text) => isMeantAsJson(Buffer.from(text), "stories"));
  assert.deepEqual(starts, [true, true, false]);
});

test("a file is meant as JSON by its name, else by its first character", () => {
  const cases = ["a.JSON", "a.md", "a.txt", "prd", "prompt"].map((name) =>
    isMeantAsJson(Buffer.from(name === "prompt" ? "Fix {}" : "\uFEFF \n{"), name),
  );
  assert.deepEqual(cases, [true, false, false, true, false]);
});

test("bytes that are no text of UTF-8 are refused, and so is text that is no JSON, with its place", () => {
  const said = [Buffer.from([0x7b, 0xff]), Buffer.from([0xff, 0xfe]), Buffer.from("\uFEFF{\n a }")].map((bytes) => {
    try {
      readJsonFile(bytes, "prd.json");
      return null;
    } catch (error) {
      assert(error instanceof TaskPhaseError);
      return error.findings.map(({ code, message, line, column }) => [code, message, line, column])[0];
    }
  });
  assert.deepEqual(said, [
    ["TP_SOURCE_ENCODING", "the file is not valid UTF-8; UTF-8 is expected", null, null],
    ["TP_SOURCE_ENCODING", "the file is UTF-16; UTF-8 is expected", null, null],
    ["TP_SOURCE_JSON", "not JSON: expected a key in double quotes, found a }", 2, 2],
  ]);
});

function problemsOf(text: string): unknown[][] {
  try {
    read(text);
  } catch (error) {
    assert(error instanceof TaskPhaseError);
    assert.equal(error.exitName, "data");
    return error.findings.map(({ line, column, message, fix }) => [`${line}:${column}`, message, fix]);
  }
  return [];
}
