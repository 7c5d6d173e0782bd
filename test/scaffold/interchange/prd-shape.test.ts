import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf, read } from "./read-text.ts";
import { needsPrd, plainPrd } from "./samples.ts";

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
];
for (const [text, place, message, fix] of cases) {
  test(`${message}`, () => {
    assert.deepEqual(problemsOf(text), [[place, message, fix]]);
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
