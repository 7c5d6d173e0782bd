import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { buildPrd } from "../../lib/interchange/build-prd.ts";
import type { TaskResult } from "../../lib/interchange/edit-prd.ts";
import { readPrd } from "../../lib/interchange/prd-shape.ts";
import { readJsonFile } from "../../lib/interchange/read-source.ts";

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

test("tasks that nobody imported make a plain prd.json, in the order of their selection", (t) => {
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
