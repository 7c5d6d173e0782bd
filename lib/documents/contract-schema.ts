import * as v from "valibot";
import { approvePhases, proofModes } from "../rules/words.ts";
import { isObject } from "../text/json-object.ts";
import { type ContractCheck, reviewRoles, type Scenario } from "./contract.ts";
import { expects, strictMap, wordSchema } from "./schema-findings.ts";
import {
  commandSchema,
  countSchema,
  durationSchema,
  listSchema,
  moneySchema,
  textSchema,
  tokensSchema,
  yesNoSchema,
} from "./value-schemas.ts";

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

const checkSchema = v.pipe(strictMap(checkEntries), v.transform(readCheck));

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
const scenarioSchema = v.lazy((value) => (isObject(value) && "manual" in value ? manualSchema : ranSchema));

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

const idSchema = v.pipe(
  textSchema("an id such as T-123", 80, "write a short id in quotes"),
  v.check(
    (id) => !/[/\\]/.test(id) && id === id.trim(),
    "must not contain a slash, or begin or end with a space\nwrite an id such as T-123",
  ),
);

/** Repo paths as globs; `example`: one of them. */
function globsSchema(name: string, example: string) {
  const fix = `write a path such as ${example}`;
  const globSchema = v.pipe(
    textSchema("a glob of repo paths", 500, fix),
    v.check(
      (glob) => !/^[/!\\~]|^[A-Za-z]:/.test(glob) && !glob.split("/").includes(".."),
      expects("a path in the repo, relative and without `..`, `!` or `~`", fix),
    ),
  );
  return v.optional(listSchema(globSchema, name, `[${example}]`));
}

const overPolicies = ["show", "block"] as const;
const limitsSchema = strictMap({ files: v.exactOptional(countSchema(0)), lines: v.exactOptional(countSchema(0)) });
const watchPolicies = ["block", "show"] as const;
const advancePolicies = ["auto", "never"] as const;
const checksExample = "[{ name: tests, command: [npm, test] }]";

const shareSchema = v.custom<number>(
  (value) => typeof value === "number" && value > 0 && value <= 1,
  expects("a share above 0 and up to 1", "write a number such as 0.8, which is 80 %"),
);

const rolesSchema = v.pipe(
  listSchema(
    wordSchema(reviewRoles, `one of ${reviewRoles.join(", ")}`, "write reviewers: [tests]"),
    "roles",
    "[security, tests]",
  ),
  v.check((roles) => new Set(roles).size === roles.length, "must name each role once\nremove the duplicate"),
);

function proofModeSchema(key: string) {
  return wordSchema(proofModes, "auto, require or off", `write ${key}: auto`);
}

const wrongRange = strictMap({ max: v.exactOptional(countSchema(1, 100)), time: v.exactOptional(countSchema(1, 100)) });
/** The words of one command are said at once, not word by word. */
const commandsSchema = v.pipe(
  v.unknown(),
  v.check(
    (value) => !Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === "string"),
    "must be a list of commands, found the words of one\nput the command in a list of its own: [[npm, ci]]",
  ),
  listSchema(commandSchema, "commands", "[[npm, ci]]"),
);

/** A word, or how much is tried. */
const wrongSchema = v.lazy((value) => (isObject(value) ? wrongRange : proofModeSchema("wrong")));

const entries = {
  priority: v.optional(
    v.pipe(
      v.number(expects("a number", "write a number such as 5")),
      v.finite("must be a finite number\nwrite a number such as 5"),
    ),
  ),
  repo: v.optional(v.nullable(textSchema("a path", 4_096, "write a path relative to the task folder"))),
  user_facing: v.optional(yesNoSchema),
  validators: v.optional(listSchema(checkSchema, "checks", checksExample)),
  scenarios: v.optional(listSchema(scenarioSchema, "checks", checksExample)),
  proof: v.optional(
    strictMap({
      without: v.optional(proofModeSchema("without")),
      clean: v.optional(proofModeSchema("clean")),
      wrong: v.optional(wrongSchema),
      fresh: v.optional(v.lazy((value) => (value === 0 ? v.literal(0) : durationSchema))),
      carry: globsSchema("folders", "node_modules"),
      prepare: v.optional(commandsSchema),
    }),
  ),
  parallel: v.optional(
    v.union([v.literal("auto"), v.boolean()], expects("auto, true or false", "write parallel: auto")),
  ),
  protected: globsSchema("globs", '"test/acceptance/**"'),
  watched: globsSchema("globs", '"fixtures/golden/**"'),
  tests_may_change: globsSchema("globs", '"test/export/**"'),
  tests_changed: v.optional(wordSchema(watchPolicies, "block or show", "write tests_changed: block")),
  budget: v.optional(
    strictMap({
      passes: v.optional(countSchema(1)),
      repairs: v.optional(countSchema(0)),
      money_usd: v.nullish(moneySchema),
      tokens: v.nullish(tokensSchema),
      time: v.nullish(durationSchema),
    }),
  ),
  bounds: v.optional(
    strictMap({
      verify: v.exactOptional(limitsSchema),
      repair: v.exactOptional(limitsSchema),
      over: v.exactOptional(wordSchema(overPolicies, "show or block", "write over: show")),
    }),
  ),
  retries_per_failure: v.optional(countSchema(0)),
  advance: v.optional(wordSchema(advancePolicies, "auto or never", "write advance: auto")),
  review: v.optional(
    strictMap({
      reviewers: v.optional(v.lazy((value) => (value === "auto" ? v.literal("auto") : rolesSchema))),
      at: v.optional(
        listSchema(v.picklist(["shape", "review"], "must be shape or review\nwrite [review]"), "phases", "[review]"),
      ),
    }),
  ),
  approve: v.optional(listSchema(wordSchema(approvePhases, "shape", "write approve: [shape]"), "phases", "[shape]")),
  completion_promise: v.optional(
    v.nullable(
      v.pipe(
        textSchema("a word", 80, "write a word such as COMPLETE, or null"),
        v.check((word) => !/[<>]/.test(word), "must not contain < or >\nwrite a word such as COMPLETE, or null"),
      ),
    ),
  ),
  degrade: v.nullish(strictMap({ when_over_pct: v.optional(shareSchema) })),
  question_wait: v.optional(durationSchema),
};

/** The keys that task-phase.yaml may set under `defaults`. */
export const partialContractSchema = strictMap(entries);

const proofs = ["any", "shown"] as const;

/** An id, or with what its proof has to show before this task begins. */
const dependencySchema = v.lazy((value) =>
  isObject(value)
    ? strictMap({
        id: idSchema,
        proof: v.optional(wordSchema(proofs, "any or shown", "write proof: shown")),
      })
    : idSchema,
);

/** The front matter of a brief. */
export const contractSchema = strictMap({
  id: idSchema,
  title: textSchema("a title", 300, "write one line"),
  depends_on: v.optional(listSchema(dependencySchema, "task ids", "depends_on: [T-120]")),
  source: v.nullish(
    strictMap({
      prd: v.pipe(
        textSchema("a path", 4_096, "write the path of the prd.json, relative to the task folder"),
        v.check((file) => file.endsWith(".json"), "must end in .json\nwrite the path of the prd.json"),
      ),
      story: textSchema("the id of a story", 200, "write the story's id in that file"),
    }),
  ),
  ...entries,
});

export type PartialContract = v.InferOutput<typeof partialContractSchema>;
export type WrittenContract = v.InferOutput<typeof contractSchema>;
