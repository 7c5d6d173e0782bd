import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { editPrd, hasOwnNote, ownWords, type TaskResult, withOwnNote } from "../../lib/interchange/edit-prd.ts";
import { readPrd } from "../../lib/interchange/prd-shape.ts";
import { readJsonFile } from "../../lib/interchange/read-source.ts";

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
