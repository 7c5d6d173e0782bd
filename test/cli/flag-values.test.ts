import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlagSpec } from "../../lib/cli/command-spec.ts";
import { commandTable } from "../../lib/cli/command-table.ts";
import { parseFlags } from "../../lib/cli/flag-values.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";

test("values stand after a space or after an equals sign", () => {
  const flags = parse("run", ["--task-dir", "a b", "--model=x=y", "--timeout=90s", "--dry-run"]);
  assert.equal(flags.text("task-dir"), "a b");
  assert.equal(flags.text("model"), "x=y");
  assert.equal(flags.number("timeout"), 90_000);
  assert.equal(flags.on("dry-run"), true);
  assert.equal(flags.on("json"), false);
  assert.equal(flags.text("repo"), null);
});

test("a bare duration is seconds, an integer may be negative, a flag that was not given is null", () => {
  assert.equal(parse("run", ["--timeout", "90"]).number("timeout"), 90_000);
  assert.equal(parse("init", ["--priority=-5"]).number("priority"), -5);
  assert.equal(parse("init", []).number("priority"), null);
});

test("a repeatable flag keeps its order", () => {
  const flags = parse("init", ["--depends-on", "B", "--depends-on=A"]);
  assert.deepEqual(flags.list("depends-on"), ["B", "A"]);
  assert.deepEqual(flags.list("validator"), []);
});

const wrong: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  [
    "an unknown flag and its value are one mistake",
    "run",
    ["--modle", "x"],
    ["unknown flag --modle | did you mean --model?"],
  ],
  ["a flag near to nothing", "run", ["-x"], ["unknown flag -x | task-phase run --help lists the flags"]],
  [
    "the name of an object's own property",
    "run",
    ["--constructor=1"],
    ["unknown flag --constructor | task-phase run --help lists the flags"],
  ],
  [
    "a missing value at the end",
    "run",
    ["--model"],
    ["--model needs a value | write --model NAME, or --model=NAME if the value starts with a dash"],
  ],
  [
    "a flag where a value was expected",
    "run",
    ["--model", "--json"],
    ["--model needs a value, found '--json' | write --model NAME, or --model=NAME if the value starts with a dash"],
  ],
  [
    "an empty value",
    "run",
    ["--model="],
    ["--model needs a value, found an empty one | write --model NAME, or --model=NAME if the value starts with a dash"],
  ],
  [
    "a switch with a value",
    "run",
    ["--json=yes"],
    ["--json takes no value, found 'yes' | write --json without a value, or omit it"],
  ],
  [
    "a single flag twice",
    "run",
    ["--model", "a", "--model", "b"],
    ["--model was given twice, the second time with 'b' | keep one --model"],
  ],
  [
    "a word that is no flag",
    "run",
    ["tasks/T-1"],
    ["unexpected argument 'tasks/T-1' | a task folder is given as --task-dir tasks/T-1"],
  ],
  [
    "a title without quotes",
    "init",
    ["half"],
    ["unexpected argument 'half' | put a title of several words in quotes: task-phase init 'Round half up'"],
  ],
  [
    "a duration of junk",
    "run",
    ["--timeout=soon"],
    ["--timeout expects a duration such as 90s, 5m or 2h, found 'soon' | write --timeout 20m"],
  ],
  [
    "a fraction for an integer",
    "init",
    ["--priority=1.5"],
    ["--priority expects a whole number, found '1.5' | write --priority 5"],
  ],
  [
    "an integer too long to be exact",
    "init",
    ["--priority=99999999999999999999"],
    ["--priority expects a whole number, found '99999999999999999999' | write --priority 5"],
  ],
  [
    "several mistakes are all shown",
    "run",
    ["--nope", "--timeout=soon", "--json=1"],
    [
      "unknown flag --nope | task-phase run --help lists the flags",
      "--timeout expects a duration such as 90s, 5m or 2h, found 'soon' | write --timeout 20m",
      "--json takes no value, found '1' | write --json without a value, or omit it",
    ],
  ],
];

for (const [title, command, argv, expected] of wrong) {
  test(`usage error: ${title}`, () => {
    assert.deepEqual(problems(command, argv), expected);
  });
}

test("a switch may be repeated, since it cannot contradict itself", () => {
  assert.equal(parse("run", ["--verbose", "--verbose"]).on("verbose"), true);
});

test("a flag of loop that is given to run is named as such, also by the program of its own", () => {
  const specs: readonly FlagSpec[] = commandTable.find((one) => one.name === "run")?.flags ?? [];
  for (const help of ["task-phase run --help", "task-phase-run --help"]) {
    for (const flag of ["--max-seconds", "--max-passes", "--branch"]) {
      assert.throws(
        () => parseFlags([flag, "5"], specs, help),
        (error) =>
          error instanceof TaskPhaseError &&
          error.findings[0]?.fix === `run does one pass: write task-phase loop, which has ${flag}`,
      );
    }
  }
});

function parse(command: string, argv: readonly string[]) {
  const specs: readonly FlagSpec[] = commandTable.find((one) => one.name === command)?.flags ?? [];
  return parseFlags(argv, specs, `task-phase ${command} --help`);
}

function problems(command: string, argv: readonly string[]): string[] {
  try {
    parse(command, argv);
  } catch (error) {
    assert(error instanceof TaskPhaseError);
    assert.equal(error.exitName, "usage");
    return error.findings.map((finding) => `${finding.message} | ${finding.fix}`);
  }
  return [];
}
