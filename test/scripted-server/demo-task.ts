import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "./actions.ts";

const repo: Readonly<Record<string, string>> = {
  "src/slug.mjs": 'export function slug(title) {\n  throw new Error("not written yet");\n}\n',
  "test/slug.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "../src/slug.mjs";

test("words are joined by dashes", () => assert.equal(slug("Two  Words"), "two-words"));
test("accents are dropped", () => assert.equal(slug("Café"), "cafe"));
`,
};

/** The task that the scripted model can do: the test of its repo fails until src/slug.mjs does what it says. */
export const demoTask = {
  repo,
  title: "Turn a title into a slug",
  /** What the brief asks for. */
  wish: "slug() of src/slug.mjs does what test/slug.test.mjs says.",
  validator: "node --test",
} as const;

/** Forgets the accents, which only the repo's test finds. */
const firstTry = 'export function slug(title) {\n  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");\n}\n';
const rightOne =
  'export function slug(title) {\n  const plain = title.normalize("NFD").replace(/\\p{M}/gu, "");\n' +
  '  return plain.toLowerCase().replace(/[^a-z0-9]+/g, "-");\n}\n';

/** What a pass is about, as its prompt says it. */
export interface PassPlace {
  readonly phase: string;
  readonly taskDir: string;
  readonly repo: string;
}

/** Null where the text is no prompt of the runner. */
export function readPrompt(prompt: string): PassPlace | null {
  const phase = /^- Phase: `(\w+)`/m.exec(prompt)?.[1];
  const taskDir = /^- Task folder: `([^`]+)`$/m.exec(prompt)?.[1];
  const repo = /^- Repo, where the work is done: `([^`]+)`$/m.exec(prompt)?.[1];
  return phase === undefined || taskDir === undefined || repo === undefined ? null : { phase, taskDir, repo };
}

interface PhaseWork {
  readonly actions: (place: PassPlace) => readonly Action[];
  /** Fields of STATE.md that it sets, last of all. */
  readonly fields: Readonly<Record<string, string>>;
  readonly says: string;
}

const source = (place: PassPlace) => join(place.repo, "src", "slug.mjs");
const report = (place: PassPlace) => join(place.taskDir, "artifacts", "slug.md");
const runTests: Action = { do: "run", command: demoTask.validator };

const work: Readonly<Record<string, PhaseWork>> = {
  intake: {
    actions: (place) => [{ do: "read", path: join(place.taskDir, "README.md") }],
    fields: {
      Objective: "slug() makes a title fit for an address",
      "Done gate": "The test of the repo passes",
      "Not doing": "none",
      "Reality constraints": "No packages: the repo has none",
      Phase: "shape",
    },
    says: "The objective is locked.",
  },
  shape: {
    actions: (place) => [{ do: "read", path: join(place.repo, "test", "slug.test.mjs") }],
    fields: { "Validation plan": demoTask.validator, "Next step": "Write src/slug.mjs", Phase: "implement" },
    says: "The plan stands.",
  },
  implement: {
    actions: (place) => [
      { do: "read", path: source(place) },
      { do: "write", path: source(place), text: firstTry },
      { do: "write", path: report(place), text: "# Report\n\nsrc/slug.mjs is written.\n" },
    ],
    fields: { "Current result": "slug() is written", "Next step": "Validate it", Phase: "verify" },
    says: "slug() is written.",
  },
  // It claims what it did not look at: the runner's own checks find the accents, and the task goes to repair.
  verify: {
    actions: () => [runTests],
    fields: { "Current result": "slug() does what its test says", Phase: "review" },
    says: "All tests pass.",
  },
  repair: {
    actions: (place) => [
      { do: "read", path: source(place) },
      { do: "write", path: source(place), text: rightOne },
      runTests,
    ],
    fields: { "Current result": "slug() drops accents", Phase: "verify" },
    says: "The accents are dropped now.",
  },
  review: {
    actions: (place) => [{ do: "read", path: source(place) }],
    fields: { "Candidate done": "yes", "Next step": "none", Phase: "done" },
    says: "Nothing else is in the diff.\n\n<promise>COMPLETE</promise>",
  },
};

export type Step = { readonly action: Action } | { readonly says: string };

/** What it does after so many tool results; then its last words. */
export function nextStep(place: PassPlace, toolResults: number): Step {
  const { actions, fields, says } = work[place.phase] ?? {
    actions: () => [],
    fields: {},
    says: "There is nothing to do.",
  };
  const state = join(place.taskDir, "STATE.md");
  const all: readonly Action[] = [
    ...actions(place),
    // Read first: some CLIs write no file that the model did not read.
    { do: "read", path: state },
    { do: "write", path: state, text: withFields(state, fields) },
  ];
  const action = all[toolResults];
  return action === undefined ? { says } : { action };
}

/** A model would write what it has just read, but for some values; the script reads the same file itself. */
function withFields(path: string, values: Readonly<Record<string, string>>): string {
  if (!existsSync(path)) return "";
  return Object.entries(values).reduce(
    (text, [label, value]) => text.replace(new RegExp(`^- ${label}:.*$`, "m"), () => `- ${label}: ${value}`),
    readFileSync(path, "utf8"),
  );
}
