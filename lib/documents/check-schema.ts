import * as v from "valibot";
import { isObject } from "../text/json-object.ts";
import type { ContractCheck, Scenario } from "./contract.ts";
import { strictMap } from "./schema-findings.ts";
import { commandSchema, countSchema, durationSchema, textSchema, yesNoSchema } from "./value-schemas.ts";

const expectSchema = v.pipe(
  strictMap({
    min_tests: v.optional(countSchema(1)),
    output: v.optional(textSchema("a text", 500, 'write text from the output, such as "12 passed"')),
  }),
  v.check(
    ({ min_tests, output }) => min_tests !== undefined || output !== undefined,
    'must say what is expected\nwrite expect: { min_tests: 12 } or expect: { output: "12 passed" }',
  ),
);

const checkEntries = {
  name: textSchema("a name", 80, "give the check a short name"),
  command: commandSchema,
  timeout: v.optional(durationSchema, "10m"),
  required: v.optional(yesNoSchema, true),
  expect: v.optional(expectSchema),
};

export const checkSchema = v.pipe(strictMap(checkEntries), v.transform(readCheck));

const nothingRuns = v.exactOptional(
  v.never(
    "cannot be combined with `manual`: a person looks, and nothing is run\nremove it, or write it as another scenario without `manual`",
  ),
);

const manualSchema = v.pipe(
  strictMap({
    name: checkEntries.name,
    manual: textSchema("what a person looks at", 500, 'write one line, such as "the header fits at 360 px"'),
    command: nothingRuns,
    timeout: nothingRuns,
    required: nothingRuns,
    expect: nothingRuns,
    held_out: nothingRuns,
  }),
  v.transform(({ name, manual }): Scenario => ({ name, look: manual })),
);

const ranSchema = v.pipe(
  strictMap({
    ...checkEntries,
    held_out: v.optional(textSchema("a path", 4_096, "write a folder outside the repo, relative to the task folder")),
  }),
  v.transform(
    ({ held_out: folder, ...check }): Scenario =>
      folder === undefined ? readCheck(check) : { ...readCheck(check), folder },
  ),
);

/** A person plays it if it says `manual`, else the runner does. */
export const scenarioSchema = v.lazy((value) => (isObject(value) && "manual" in value ? manualSchema : ranSchema));

interface CheckEntries {
  readonly name: string;
  readonly command: string[];
  readonly timeout: number;
  readonly required: boolean;
  readonly expect?: { min_tests?: number | undefined; output?: string | undefined } | undefined;
}

function readCheck({ name, command, timeout, required, expect }: CheckEntries): ContractCheck {
  const expected = { minTests: expect?.min_tests ?? null, output: expect?.output ?? null };
  return { name, command, timeoutMs: timeout, required, expect: expected };
}
