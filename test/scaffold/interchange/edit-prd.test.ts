import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import {
  buildPrd,
  editPrd,
  hasOwnNote,
  ownWords,
  type TaskResult,
  withOwnNote,
} from "../../../lib/scaffold/interchange/edit-prd.ts";
import { readPrd } from "../../../lib/scaffold/interchange/prd-shape.ts";
import { readJsonFile } from "../../../lib/scaffold/interchange/read-source.ts";

const read = (text: string) => readPrd(readJsonFile(Buffer.from(text), "prd.json"));
const result = (id: string, fields: Partial<TaskResult> = {}): TaskResult => ({
  id,
  folder: `/tasks/${id}`,
  done: false,
  started: false,
  note: "where it stands",
  ...fields,
});
const one = (body: string) => `{ "userStories": [${body}] }`;
const done = result("A", { done: true, started: true });

for (const [name, before, results, after] of [
  [
    "a task that no runner met changes nothing",
    '{"id":"A","title":"a","passes":false,"notes":"x"}',
    [result("A")],
    null,
  ],
  [
    "a done task passes, and its note stands behind the author's words",
    '{"id":"A","title":"a","passes":false,"notes":"caf\\u00e9"}',
    [done],
    '{"id":"A","title":"a","passes":true,"notes":"café\\n[task-phase] where it stands"}',
  ],
  [
    "notes that are null are written over, and odd space stays",
    '{"id":"A", "notes" : null ,"title":"a","passes":  false}',
    [done],
    '{"id":"A", "notes" : "[task-phase] where it stands" ,"title":"a","passes":  true}',
  ],
  [
    "missing notes are laid out as passes is",
    '{\n\t"passes" :false,\n\t"id":"A","title":"a","n":1.50}',
    [done],
    '{\n\t"passes" :true,\n\t"notes" :"[task-phase] where it stands",\n\t"id":"A","title":"a","n":1.50}',
  ],
  [
    "a status is written in the words of the file, and a claim in it is taken back",
    '{"id":"A","title":"a","status":"todo"},{"id":"B","title":"b","status":"completed"}',
    [done],
    '{"id":"A","title":"a","status":"completed"},{"id":"B","title":"b","status":"todo"}',
  ],
  [
    "a claim without a task is taken back",
    '{"id":"A","title":"a","passes":true}',
    [],
    '{"id":"A","title":"a","passes":false,"notes":"[task-phase] no task folder has this id, so nothing proves it"}',
  ],
  [
    "our former note is replaced even where no runner has been at work since",
    '{"id":"A","title":"a","passes":false,"notes":"[task-phase] old"}',
    [result("A")],
    '{"id":"A","title":"a","passes":false,"notes":"[task-phase] where it stands"}',
  ],
] as const) {
  test(name, () => {
    const { text } = editPrd(read(one(before)), results);
    assert.equal(text, one(after ?? before));
    assert.equal(editPrd(read(text), results).text, text);
  });
}

const stories = fc.uniqueArray(
  fc.record(
    {
      id: fc.string({ minLength: 1 }).filter((id) => id.trim() !== ""),
      title: fc.constant("t"),
      passes: fc.boolean(),
      notes: fc.string(),
      "7": fc.jsonValue(),
      other: fc.jsonValue(),
    },
    { requiredKeys: ["id", "title", "passes"] },
  ),
  { selector: (story) => story.id, minLength: 1, maxLength: 4 },
);

test("however a file is laid out, only passes and notes change, and passes only where a task is done", () => {
  fc.assert(
    fc.property(
      stories,
      fc.constantFrom(0, 2, "\t"),
      fc.array(fc.boolean(), { maxLength: 3 }),
      (list, indent, flags) => {
        const before = { z: 1, userStories: list, metadata: { "1": null } };
        const results = list
          .slice(0, flags.length)
          .map((story, index) => result(story.id, { done: flags[index] === true, started: true }));
        const { text, stories: said } = editPrd(read(JSON.stringify(before, null, indent)), results);
        const after = JSON.parse(text) as typeof before;
        const isDone = (id: string) => results.some((one) => one.id === id && one.done);
        const strip = ({ passes: _passes, notes: _notes, ...rest }: (typeof list)[number]) => rest;
        assert.deepEqual(
          { ...after, userStories: after.userStories.map(strip) },
          JSON.parse(JSON.stringify({ ...before, userStories: list.map(strip) })),
        );
        assert.deepEqual(
          after.userStories.map(({ passes }) => passes),
          list.map(({ id }) => isDone(id)),
        );
        assert.deepEqual(
          said.map(({ id, passes, claimed }) => [id, passes, claimed]),
          list.map(({ id, passes }) => [id, isDone(id), passes]),
        );
      },
    ),
    { numRuns: 150 },
  );
});

for (const [before, after] of [
  ["", "[task-phase] new"],
  ["mine", "mine\n[task-phase] new"],
  ["[task-phase] old", "[task-phase] new"],
  ["mine\n[task-phase] old\nmore", "mine\nmore\n[task-phase] new"],
  ["I like [task-phase] notes", "I like [task-phase] notes\n[task-phase] new"],
] as const) {
  test(`our note beside ${JSON.stringify(before)}`, () => {
    assert.equal(withOwnNote(before, "new"), after);
  });
}

test("writing a note again and again leaves one, on one line, and the author's words as they were", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (words, one, other) => {
      const author = ownWords(words);
      const noted = withOwnNote(withOwnNote(author, one), other);
      assert.deepEqual(
        [noted, ownWords(noted), hasOwnNote(noted), withOwnNote(noted, other)],
        [withOwnNote(author, other), author, true, noted],
      );
    }),
    { numRuns: 200 },
  );
});

/** A task of these files; `front` are lines of its brief's front matter beside title and id. */
function arrange(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return (id: string, front: string, body: string, fields: Partial<TaskResult> = {}): TaskResult => {
    const folder = path.join(root, id);
    mkdirSync(folder);
    writeFileSync(path.join(folder, "README.md"), `---\nid: ${id}\ntitle: About ${id}\n${front}---\n\n${body}`);
    return { id, folder, done: false, started: false, note: "where it stands", ...fields };
  };
}

test("tasks that were not imported make a plain prd.json, in the order of their selection", (t) => {
  const task = arrange(t);
  const results = [
    task("T-1", "", "# T\n\n<!-- advice -->\n\nFirst words.\n\nSecond words.\n"),
    task("T-3", "priority: 5\n", "No heading.\r\nTwo lines.\r\n", { started: true }),
    task("T-2", "priority: 5\n", "# T\n\n## What I want\n\nA thing.\n\n- one\n\n## What to know\n\nNo.\n", {
      done: true,
      started: true,
    }),
    { id: "T-9", folder: "/nowhere", done: false, started: false, note: "" },
  ];
  writeFileSync(path.join(results[0]?.folder ?? "", "TASKS.md"), "# Steps\n\n- [x] one\n- [ ] two `b`\n");
  const text = buildPrd("app", results);
  const story = (id: string, description: string, fields: object) => ({
    id,
    title: `About ${id}`,
    description,
    acceptanceCriteria: [],
    priority: 1,
    passes: false,
    notes: "[task-phase] where it stands",
    ...fields,
  });
  assert.deepEqual(JSON.parse(text), {
    project: "app",
    description: "The tasks of app, as recorded by task-phase",
    userStories: [
      story("T-2", "A thing.\n\n- one", { passes: true }),
      story("T-3", "No heading.\nTwo lines.", {}),
      story("T-1", "First words.\n\nSecond words.", { acceptanceCriteria: ["one", "two b"], priority: 2, notes: "" }),
    ],
  });
  assert.equal(readPrd(readJsonFile(Buffer.from(text), "prd.json")).stories.length, 3);
});

test("where one task depends on another, each story says what it depends on", (t) => {
  const task = arrange(t);
  const text = buildPrd("app", [task("A", "depends_on: [B]\n", ""), task("B", "", "")]);
  assert.deepEqual(
    (JSON.parse(text) as { userStories: { dependsOn: string[] }[] }).userStories.map(({ dependsOn }) => dependsOn),
    [["B"], []],
  );
});
