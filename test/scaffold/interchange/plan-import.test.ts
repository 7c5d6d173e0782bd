import assert from "node:assert/strict";
import { test } from "node:test";
import { readBrief } from "../../../lib/documents/brief.ts";
import { readState } from "../../../lib/documents/state.ts";
import { planPrompt, planStories } from "../../../lib/scaffold/interchange/plan-import.ts";
import { readPrd } from "../../../lib/scaffold/interchange/prd-shape.ts";
import { readPrompt } from "../../../lib/scaffold/interchange/read-prompt.ts";
import { readJsonFile } from "../../../lib/scaffold/interchange/read-source.ts";
import type { ImportRequest } from "../../../lib/scaffold/interchange/write-tasks.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

const request: ImportRequest = {
  tasksRoot: "/nowhere/tasks",
  from: "/nowhere/prd.json",
  real: "/nowhere/prd.json",
  repo: null,
  validators: [],
  now: new Date("2026-01-02T03:04:05Z"),
  known: [],
};

interface Written {
  readonly id: string;
  readonly title?: string;
  readonly priority?: number;
  readonly acceptanceCriteria?: readonly string[];
  readonly description?: string;
  readonly [key: string]: unknown;
}

function plan(stories: readonly Written[], root: object = {}, asked: Partial<ImportRequest> = {}) {
  const userStories = stories.map((story) => ({ title: "t", passes: false, ...story }));
  const text = JSON.stringify({ ...root, userStories }, null, 1);
  return planStories(readPrd(readJsonFile(Buffer.from(text), request.from)), { ...request, ...asked });
}

function fileOf(task: ReturnType<typeof plan>["tasks"][number] | undefined, name: string): string | null {
  return task?.files?.find((file) => file.name === name)?.content ?? null;
}

function prioritiesOf(...priorities: (number | undefined)[]): unknown[] {
  const stories = priorities.map((priority, index) => ({
    id: `S-${index}`,
    ...(priority === undefined ? {} : { priority }),
  }));
  return plan(stories).tasks.map((task) => {
    const brief = readBrief(Buffer.from(fileOf(task, "README.md") ?? ""), "README.md");
    return brief.kind === "brief" ? brief.contract.priority : brief;
  });
}

test("1 comes first among ours, and a story without a priority last", () => {
  assert.deepEqual(prioritiesOf(1, 2, 10), [-1, -2, -10]);
  assert.deepEqual(prioritiesOf(3, undefined, 0), [-3, -4, 0]);
  assert.deepEqual(prioritiesOf(undefined, undefined), [0, 0]);
});

test("a cancelled story makes no task, and nothing waits for it", () => {
  const { tasks, findings } = plan([
    { id: "A", passes: undefined, status: "cancelled" },
    { id: "B", dependsOn: ["A"] },
  ]);
  assert.deepEqual([tasks.map(({ id }) => id), findings.map(({ code }) => code)], [["B"], ["TP_IMPORT_LEFT_OUT"]]);
  assert.match(fileOf(tasks[0], "README.md") ?? "", /^# depends_on: \[\]/m);
});

test("without criteria there is no TASKS.md and no Done gate", () => {
  const [task] = plan([{ id: "A" }]).tasks;
  assert.equal(fileOf(task, "TASKS.md"), null);
  assert.equal(gateOf(task), "");
  assert.doesNotMatch(fileOf(task, "README.md") ?? "", /TASKS\.md|How I will know/);
});

test("many criteria are counted in the Done gate, and all stand in TASKS.md", () => {
  const acceptanceCriteria = Array.from({ length: 60 }, (_, index) => `Criterion number ${index} holds in every case`);
  const [task] = plan([{ id: "A", acceptanceCriteria }]).tasks;
  assert.equal(gateOf(task), "All 60 acceptance criteria of TASKS.md are met");
  assert.equal((fileOf(task, "TASKS.md") ?? "").split("\n- [ ] ").length, 61);
});

test("stories that would have the same folder get a number, whatever the letter case", () => {
  const known = [{ id: "X", dependsOn: [], folder: "/nowhere/tasks/C-t", body: "" }];
  const folders = plan([{ id: "A b" }, { id: "a-B" }, { id: "C" }], {}, { known }).tasks.map(({ folder }) => folder);
  assert.deepEqual(folders, ["/nowhere/tasks/A-b-t", "/nowhere/tasks/a-B-t-2", "/nowhere/tasks/C-t-2"]);
});

test("hostile text stays text: title, criteria, description, labels and notes", () => {
  const evil = "# x\n---\nid: other\n<!-- </details> ![a](b) - [x] done";
  const [task] = plan(
    [
      {
        id: "A",
        title: evil,
        description: evil,
        acceptanceCriteria: [evil],
        labels: [evil],
        notes: evil,
        completionNotes: evil,
      },
    ],
    { project: evil, description: evil, branchName: evil },
  ).tasks;
  const brief = readBrief(Buffer.from(fileOf(task, "README.md") ?? ""), "README.md");
  assert(brief.kind === "brief");
  assert.deepEqual([brief.contract.id, brief.contract.title], ["A", evil.replaceAll("\n", " ")]);
  assert.deepEqual(
    brief.body.split("\n").filter((line) => /^(#|---|<)/.test(line)),
    [
      "# &#35; x --- id: other &lt;!-- &lt;/details&gt; !&#91;a&#93;(b) - &#91;x&#93; done",
      "<!-- task-phase:imported -->",
      "## What I want",
      "# x",
      "---",
      "<!-- </details> ![a](b) - [x] done",
      "## How I will know that it is done",
      "## What to know",
    ],
  );
  assert.match(brief.body, /## What I want\n\n```text\n# x\n---/);
  assert.match(fileOf(task, "TASKS.md") ?? "", /\n- \[ \] &#35; x --- id: other &lt;!--[^\n]*\n$/);
});

for (const [name, story, message] of [
  [
    "a description that is too long",
    { id: "A", description: "word\n\n".repeat(20_000) },
    /^A cannot become a task: the file has \d+ KiB/,
  ],
  [
    "a criterion that is too long",
    { id: "A", acceptanceCriteria: ["word ".repeat(2_000)] },
    /^A cannot become a task: the line has/,
  ],
] as const) {
  test(`${name} is said with its story's place`, () => {
    assert.throws(
      () => plan([{ id: "B" }, story]),
      (error) => {
        assert(error instanceof TaskPhaseError);
        assert.deepEqual(
          [error.exitName, error.findings.map(({ code, line }) => [code, line])],
          ["data", [["TP_IMPORT_UNFIT", 11]]],
        );
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test("a validator that cannot be read is a mistake on the command line, and names no story", () => {
  assert.throws(
    () => plan([{ id: "A" }], {}, { validators: ["tests"] }),
    (error) =>
      error instanceof TaskPhaseError &&
      error.exitName === "usage" &&
      error.findings[0]?.code === "TP_INIT_BAD_VALIDATOR",
  );
});

test("a prompt whose title has no letter takes its id from the file's name", () => {
  const prompt = readPrompt(Buffer.from("???\n"), "/nowhere/PROMPT.md");
  const named = { id: null, title: null };
  const ids = ["/nowhere/PROMPT.md", "/nowhere/!"].map(
    (from) => planPrompt(prompt, named, { ...request, from }).tasks[0]?.id,
  );
  assert.deepEqual(ids, ["prompt-md", "prompt"]);
});

test("a prompt that was changed since is kept as it was, and said", () => {
  const known = [{ id: "fix-it", dependsOn: [], folder: "/nowhere/tasks/fix-it", body: "# other" }];
  const prompt = readPrompt(Buffer.from("Fix it.\n"), request.from);
  const { tasks, findings } = planPrompt(prompt, { id: null, title: null }, { ...request, known });
  assert.deepEqual(
    [tasks.map(({ id, files }) => [id, files]), findings.map(({ code }) => code)],
    [[["fix-it", null]], ["TP_IMPORT_DIFFERS"]],
  );
});

function gateOf(task: ReturnType<typeof plan>["tasks"][number] | undefined): string | null {
  const read = readState(Buffer.from(fileOf(task, "STATE.md") ?? ""), "STATE.md");
  return read.kind === "state" ? read.document.view.fields.done_gate : null;
}

test("each story's brief names the file and the story, so that it is written back when it is done", () => {
  const sourceOf = (asked: Partial<ImportRequest>) => {
    const brief = readBrief(
      Buffer.from(fileOf(plan([{ id: "US: 1" }], {}, asked).tasks[0], "README.md") ?? ""),
      "README.md",
    );
    return brief.kind === "brief" ? brief.contract.source : brief;
  };
  assert.deepEqual(sourceOf({}), { prd: "../../prd.json", story: "US: 1" });
  assert.deepEqual(sourceOf({ real: "/nowhere/else/my prd.json" }), { prd: "../../else/my prd.json", story: "US: 1" });
  assert.equal(sourceOf({ real: "/nowhere/stories" }), null);
});
