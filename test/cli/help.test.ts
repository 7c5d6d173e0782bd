import assert from "node:assert/strict";
import { test } from "node:test";
import { commandBodies } from "../../lib/cli/command-bodies.ts";
import type { CommandSpec } from "../../lib/cli/command-spec.ts";
import { commandTable } from "../../lib/cli/command-table.ts";
import { commandHelp, programHelp, shortUsage, usageLine } from "../../lib/cli/help.ts";
import { phaseNames } from "../../lib/machine/phases.ts";
import { exitCodes } from "../../lib/report/exit-codes.ts";

const specs: readonly CommandSpec[] = commandTable;

for (const spec of specs) {
  const help = commandHelp(spec, `task-phase ${spec.name}`);

  test(`${spec.name}: the help shows examples before the usage, and every flag and exit code`, () => {
    assert(help.indexOf("\nExamples\n") < help.indexOf("\nUsage\n"));
    for (const flag of spec.flags)
      assert(help.includes(`--${flag.name}${flag.label === undefined ? "" : ` ${flag.label}`}`));
    for (const name of spec.exits) assert(help.includes(`${exitCodes[name]} ${name} `), name);
    assert.equal(help.includes("\nPhases\n"), spec.showsPhases);
    if (spec.showsPhases) for (const name of phaseNames) assert(help.includes(`\n  ${name} `));
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
  for (const spec of specs) assert(programHelp().includes(`\n  ${spec.name} `));
  assert(shortUsage().includes(`commands: ${specs.map((spec) => spec.name).join(", ")}`));
});

test("the usage line names the program as it was called", () => {
  const spec = specs.find((one) => one.name === "evidence");
  assert(spec);
  assert.equal(usageLine(spec, "task-phase evidence"), "task-phase evidence [TASK] [flags]");
});
