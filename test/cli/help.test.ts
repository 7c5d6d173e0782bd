import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandSpec } from "../../lib/cli/command-spec.ts";
import { commandTable, sharedFlags } from "../../lib/cli/command-table.ts";
import { commandHelp, helpTopics, programHelp, shortUsage, usageLine } from "../../lib/cli/help.ts";
import { type Line, plainText } from "../../lib/cli/paint.ts";
import { commandBodies } from "../../lib/cli/run-cli.ts";
import { phaseNames } from "../../lib/rules/phases.ts";
import { exitCodes } from "../../lib/text/exit-codes.ts";

const specs: readonly CommandSpec[] = commandTable;
const shared = new Set<string>(sharedFlags.map(({ name }) => name));
const textOf = (lines: readonly Line[]) => `${lines.map(plainText).join("\n")}\n`;

for (const spec of specs) {
  const help = textOf(commandHelp(spec, `task-phase ${spec.name}`));

  test(`${spec.name}: the help shows examples before the usage, every flag, and where the rest is`, () => {
    assert(help.indexOf("\nExamples\n") < help.indexOf("\nUsage\n"));
    for (const flag of spec.flags.filter(({ name }) => !shared.has(name))) {
      const name = `--${flag.name}${flag.label === undefined ? "" : ` ${flag.label}`}`;
      assert.equal(help.includes(name), flag.hidden !== true, flag.name);
    }
    assert.match(
      help,
      /\nAlso: {4}--config FILE, --json, -q, -v, --no-color, -h, -V; see task-phase --help\nExit 0: {2}/,
    );
    assert.match(help, /help\s+exit-codes\n$/);
  });

  test(`${spec.name}: no heading stands over nothing`, () => {
    assert.doesNotMatch(help, /\n\n[^\n]+\n\n/);
  });

  test(`${spec.name}: no line of the help is wider than 100 columns`, () => {
    assert.deepEqual(
      help.split("\n").filter((line) => line.length > 100),
      [],
    );
  });

  test(`${spec.name}: each flag that takes a value has a label, and no name stands twice`, () => {
    for (const flag of spec.flags) assert.equal(flag.label === undefined, flag.type === "switch", flag.name);
    assert.equal(new Set(spec.flags.map((flag) => flag.name)).size, spec.flags.length);
  });
}

test("each command has a body, and the help of the program lists each", () => {
  assert.deepEqual(
    Object.keys(commandBodies),
    specs.map((spec) => spec.name),
  );
  for (const spec of specs) assert(textOf(programHelp()).includes(`\n  ${spec.name} `));
  assert(shortUsage().includes(`commands: ${specs.map((spec) => spec.name).join(", ")}`));
});

test("the usage line names the program as it was called", () => {
  const spec = specs.find((one) => one.name === "evidence");
  assert(spec);
  assert.equal(usageLine(spec, "task-phase evidence"), "task-phase evidence [TASK] [flags]");
});

test("the help of run and loop is shorter than thirty lines", () => {
  for (const name of ["run", "loop"]) {
    const spec = specs.find((one) => one.name === name);
    assert(spec);
    assert.ok(commandHelp(spec, `task-phase ${name}`).length < 30, name);
  }
});

test("the help topics have every phase and every exit code", () => {
  const phases = textOf(helpTopics.phases());
  for (const name of phaseNames) assert(phases.includes(`\n  ${name} `), name);
  const codes = textOf(helpTopics["exit-codes"]());
  for (const [name, code] of Object.entries(exitCodes)) assert.match(codes, new RegExp(`\\n +${code} ${name} +\\w`));
  for (const line of `${phases}${codes}`.split("\n")) assert.ok(line.length <= 100, line);
});

test("no two flags of a command have the same letter, and a letter means the same everywhere", () => {
  const meant = new Map<string, string>();
  for (const { name, flags } of specs) {
    const letters = flags.flatMap(({ short }) => short ?? []);
    assert.equal(new Set(letters).size, letters.length, name);
    for (const { short, name: flag } of flags) {
      if (short === undefined) continue;
      assert.equal(meant.get(short) ?? flag, flag);
      meant.set(short, flag);
    }
  }
});
