import assert from "node:assert/strict";
import { test } from "node:test";
import { readJson } from "../../../lib/scaffold/interchange/json-text.ts";
import { readerOf } from "../../../lib/scaffold/interchange/object-reader.ts";
import { problemsOf, read, withStory } from "./read-text.ts";
import { plainPrd } from "./samples.ts";

test("an optional value may be null", () => {
  const { stories } = read(withStory('"notes": null', '"priority": null', '"labels": null', '"description": null'));
  assert.deepEqual(
    [stories[0]?.notes, stories[0]?.priority, stories[0]?.labels, stories[0]?.description],
    [null, null, [], null],
  );
});

const cases: readonly (readonly [text: string, place: string, message: string, fix: string])[] = [
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

/** The reader of a value, and what it said so far. */
function reading(text: string, path: string | null = "story") {
  const json = readJson(text);
  assert(json.kind === "json");
  const said: string[] = [];
  return { reader: readerOf(json.root, path, (_node, message, fix) => said.push(`${message}: ${fix}`)), said };
}

test("an id is text or a whole number, and an empty one is refused", () => {
  const rows: readonly (readonly [text: string, id: string, said: number])[] = [
    ['{"id":"A"}', "A", 0],
    ['{"id":7}', "7", 0],
    ['{"id":7.5}', "", 1],
    ['{"id":" "}', "", 1],
    ["{}", "", 1],
  ];
  for (const [text, id, count] of rows) {
    const { reader, said } = reading(text);
    assert.deepEqual([reader.id(), said.length], [id, count], text);
  }
});

test("a text may be empty unless it is required", () => {
  const { reader, said } = reading('{"title":"","notes":""}');
  assert.deepEqual([reader.text("notes"), said], ["", []]);
  assert.equal(reader.text("title", true), null);
  assert.deepEqual(said, [
    "story.title must be text that is not empty, found empty text: write text that is not empty",
  ]);
  assert.equal(reader.text("none"), null);
});

test("a list that is the whole file has no values of its own, and nothing is wrong with that", () => {
  const { reader, said } = reading("[1]", null);
  assert.deepEqual([reader.id(), reader.texts("a"), reader.priority(), reader.claim()], ["", [], null, null]);
  assert.deepEqual(said, []);
  const file = reading("[1]", "");
  assert.deepEqual(
    [file.reader.text("project"), file.said],
    [null, ["the file must be an object, found a list: write it in braces { }"]],
  );
});

test("a command line without text is left out, and the others are read", () => {
  const { reader, said } = reading('{"commands":{"test":"npm test","lint":""}}', "");
  assert.deepEqual(reader.commands("commands"), [["test", "npm test"]]);
  assert.deepEqual(said, [
    "commands.lint must be text that is not empty, found empty text: write text that is not empty",
  ]);
  assert.deepEqual(reader.commands("none"), []);
});

test("what a story claims by another word is taken where it has no `passes`", () => {
  assert.equal(reading('{"status":"Done"}').reader.claim()?.passes, true);
  const both = reading('{"passes":false,"status":"done"}').reader.claim();
  assert.deepEqual([both?.passes, both?.word], [false, null]);
  const { reader, said } = reading('{"passes":null}');
  assert.deepEqual([reader.claim(), said.length], [null, 1]);
});
