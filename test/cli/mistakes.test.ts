import assert from "node:assert/strict";
import { test } from "node:test";
import { makeWorld, type World } from "./arrange.ts";

/**
 * What people typically get wrong: the message says what to type next, and the test types exactly that. `next` gets the
 * match of `says` in what was printed: words to type, or the edit that the message names. Without `expect` the next
 * call ends with 0.
 */
interface Mistake {
  readonly name: string;
  readonly spoil?: (place: Place) => void;
  readonly type: string;
  readonly says: RegExp;
  readonly next: (found: RegExpMatchArray, place: Place) => string;
  readonly expect?: RegExp;
}

interface Place extends World {
  edit(file: string, from: string | RegExp, to: string): void;
}

const brief = "tasks/T-1-do-it/README.md";
const state = "tasks/T-1-do-it/STATE.md";
const config = "tasks/task-phase.yaml";
const dry = "run T-1 --dry-run --quiet";
const edits =
  (file: string, from: string | RegExp, to = "$FOUND", then = dry) =>
  (found: RegExpMatchArray, place: Place) => {
    place.edit(file, from, to.replace("$FOUND", found[1] ?? ""));
    return then;
  };
const types = (line: string) => (found: RegExpMatchArray) => line.replace("$FOUND", found[1] ?? "");

const mistakes: readonly Mistake[] = [
  { name: "a command misspelt", type: "staus", says: /did you mean task-phase (\w+)\?/, next: types("$FOUND") },
  {
    name: "a flag of loop given to run",
    type: "run T-1 --max-seconds 60",
    says: /write (task-phase loop), which has --max-seconds/,
    next: types("loop T-1 --max-seconds 60 --max-passes 1"),
    expect: /^(0|3|23) /,
  },
  {
    name: "--branch given to run",
    type: "run T-1 --branch night",
    says: /write (task-phase loop), which has --branch/,
    next: types("loop T-1 --branch night --max-passes 1"),
    expect: /^(0|3|23) /,
  },
  {
    name: "a flag misspelt",
    type: `${dry} --timout 5m`,
    says: /did you mean (--\w+)\?/,
    next: types(`${dry} $FOUND 5m`),
  },
  {
    name: "a duration without a unit that exists",
    type: `${dry} --timeout 5x`,
    says: /write (--timeout \w+)/,
    next: types(`${dry} $FOUND`),
  },
  { name: "a task that is not there", type: "status T-9", says: /did you mean (T-\d)\?/, next: types("status $FOUND") },
  {
    name: "a model misspelt",
    type: `${dry} --model mne`,
    says: /did you mean (\w+)\?/,
    next: types(`${dry} --model $FOUND`),
  },
  {
    name: "resume without a phase",
    spoil: (place) => void place,
    type: "resume T-1 --reason go",
    says: /for example (--to \w+)/,
    next: types("resume T-1 $FOUND --reason go"),
    expect: /^(0|64) /,
  },
  {
    name: "resume to a phase misspelt",
    type: "resume T-1 --to implemnt --reason go",
    says: /did you mean (\w+)\?/,
    next: types("resume T-1 --to $FOUND --reason go"),
    expect: /^(0|64) (?!.*did you mean)/s,
  },
  {
    name: "an answer to a question that nobody asked",
    type: "answer T-1 Q1 yes",
    says: /task-phase (status) lists/,
    next: types("$FOUND T-1"),
  },
  {
    name: "no title for init",
    type: "init",
    says: /task-phase (init 'Round half up')/,
    next: types("init 'Round half up'"),
  },
  {
    name: "a validator without a name",
    type: "init Second --validator 'npm test'",
    says: /write (--validator 'tests=npm test')/,
    next: types("init Second $FOUND"),
  },
  {
    name: "no file for import",
    spoil: (place) => void place.write("repo/prd.json", '{"userStories":[{"id":"US-1","title":"One","passes":false}]}'),
    type: "import",
    says: /write (--from prd\.json)/,
    next: types("import $FOUND"),
  },
  {
    name: "a history flag misspelt",
    type: "check T-1 --histroy",
    says: /did you mean (--\w+)\?/,
    next: types("check T-1 $FOUND"),
    expect: /^(0|65) /,
  },
  {
    name: "a key of the brief misspelt",
    spoil: (place) => place.edit(brief, "title:", "titel:"),
    type: "run T-1",
    says: /did you mean `(title)`/,
    next: edits(brief, "titel:", "$FOUND:"),
  },
  {
    name: "a command as one text",
    spoil: (place) => place.edit(brief, "[npm, test]", '"npm test"'),
    type: "run T-1",
    says: /command: (\[npm, test\])/,
    next: edits(brief, '"npm test"'),
  },
  {
    name: "a pipe in a command",
    spoil: (place) => place.edit(brief, "[npm, test]", '[npm, test, "|", cat]'),
    type: "run T-1",
    says: /write `command: (\[sh, .*?\])`/,
    next: edits(brief, '[npm, test, "|", cat]'),
  },
  {
    name: "no check at all",
    spoil: (place) => place.edit(brief, /^validators:.*\n.*\n/m, ""),
    type: "run T-1",
    says: /`(validators: \[.*?\}\])`/,
    next: edits(brief, "title:", "$FOUND\ntitle:"),
  },
  {
    name: "a word for a number",
    spoil: (place) => place.edit(brief, "title:", "priority: high\ntitle:"),
    type: "check T-1",
    says: /write a number such as (\d)/,
    next: edits(brief, "high", "$FOUND", "check T-1"),
  },
  {
    name: "half a key",
    spoil: (place) => place.edit(brief, "title:", "budget: { money: 3 }\ntitle:"),
    type: "check T-1",
    says: /did you mean `(?:budget\.)?(\w+)`/,
    next: edits(brief, "money:", "$FOUND:", "check T-1"),
  },
  {
    name: "a key of task-phase.yaml misspelt",
    spoil: (place) => place.edit(config, /^models:/m, "modles:"),
    type: "run T-1",
    says: /did you mean `(models)`/,
    next: edits(config, /^modles:/m, "$FOUND:"),
  },
  {
    name: "a phase misspelt in STATE.md",
    spoil: (place) => place.edit(state, "Phase: intake", "Phase: intakee"),
    type: "run T-1",
    says: /write the word alone, such as: `- (Phase: \w+)`/,
    next: edits(state, "Phase: intakee"),
  },
  {
    name: "done written by hand",
    spoil: (place) => place.edit(state, "Phase: intake", "Phase: done"),
    type: "run T-1",
    says: /set Phase to (intake)/,
    next: edits(state, "Phase: done", "Phase: $FOUND"),
  },
  {
    name: "a word of CONTROL.md misspelt",
    spoil: (place) => void place.write("repo/tasks/T-1-do-it/CONTROL.md", "PUASE\n"),
    type: "run T-1 --dry-run",
    says: /did you mean (PAUSE)\?/,
    next: edits("tasks/T-1-do-it/CONTROL.md", "PUASE", "$FOUND", "run T-1 --dry-run"),
    expect: /^25 /,
  },
  {
    name: "an empty brief",
    spoil: (place) => place.edit(brief, "It is to be done.", ""),
    type: "run T-1",
    says: /write (what you want) into it, in words, below the front matter/,
    next: edits(brief, /\s*$/, "\n\nIt is to be done.\n"),
  },
  {
    name: "a repo of somebody else",
    spoil: (place) => place.git(".", "clone", "--quiet", "repo", "other"),
    type: "@other run T-1 --dry-run",
    says: /then: task-phase (trust \S+)/,
    next: types("@other $FOUND"),
  },
];

/** As a shell splits them: no test needs more of it than quotes. */
function split(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word.replaceAll("'", ""));
}

test("25 typical mistakes: each message says what to type next, and that works", { concurrency: 2 }, async (t) => {
  assert.ok(mistakes.length >= 25);
  const cases = mistakes.map(({ name, spoil, type, says, next, expect = /^0 / }) =>
    t.test(name, async (inner) => {
      const world = makeWorld(inner);
      world.initRepo({ "package.json": '{"scripts":{"test":"true"}}' });
      const call = async (line: string) => {
        const [first = "", ...rest] = split(line);
        const [cwd, words] = first.startsWith("@") ? [first.slice(1), rest] : ["repo", [first, ...rest]];
        const end = await world.call("task-phase", words, { cwd, env: { TASK_PHASE_TRUST: "" } });
        return { code: end.code, said: `${end.stdout}${end.stderr}` };
      };
      const stdin = { kind: "text", read: async () => Buffer.from("It is to be done.\n") } as const;
      const made = await world.call("task-phase", ["init", "Do it"], { cwd: "repo", stdin });
      assert.equal(made.code, 0, made.stderr);
      const place: Place = {
        ...world,
        edit: (file, from, to) => {
          const before = world.read(`repo/${file}`);
          const after = before.replace(from, () => to);
          assert.notEqual(after, before, `${file} has no ${from}`);
          world.write(`repo/${file}`, after);
        },
      };
      place.edit(config, /^models: .*$/m, "models: [{ name: mine, adapter: command, command: [echo, hello] }]");
      world.git("repo", "add", "--all");
      world.git("repo", "commit", "--quiet", "--message=task");
      spoil?.(place);
      const wrong = await call(type);
      const found = wrong.said.match(says);
      assert.ok(found !== null, `it says:\n${wrong.said}`);
      const right = await call(next(found, place));
      assert.match(`${right.code} ${right.said}`, expect);
      assert.doesNotMatch(right.said, says, "the same is not wrong any more");
    }),
  );
  await Promise.all(cases);
});
