import * as v from "valibot";
import { type ProofMode, proofModes } from "../machine/square.ts";
import { parseDuration } from "../text/duration.ts";
import { expects, expectsWord, strictMap } from "./schema-findings.ts";

export const reviewRoles = ["architecture", "security", "tests", "requirements", "usability"] as const;
export type ReviewRole = (typeof reviewRoles)[number];
export type ReviewPhase = "shape" | "review";

/** A validator or scenario of the contract: a command that the runner runs in the repo; exit code 0 passes. */
export interface ContractCheck {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly required: boolean;
  /** What its output must show beside the exit code. */
  readonly expect: { readonly minTests: number | null; readonly output: string | null };
}

/**
 * A scenario whose files the agent does not see. It runs in a clean copy alone, in which the folder is named `held-out`.
 */
export interface HeldOutCheck extends ContractCheck {
  /** Absolute, or relative to the task folder; outside the repo and the tasks root. */
  readonly folder: string;
}

/** How the work is judged by running the checks in clean copies. */
export interface ProofRules {
  /** Whether the checks are run without the work too; `require`: one of them has to fail then. */
  readonly counter: ProofMode;
  /** Whether the checks are run in a clean copy; `require`: they have to pass there. */
  readonly clean: ProofMode;
  /** Folders that git ignores and a clean copy holds all the same: a name at any depth, or a repo path with a slash. */
  readonly carry: readonly string[];
  /** Commands that are run in a clean copy first; if there are any, nothing is carried. */
  readonly prepare: readonly (readonly string[])[];
}

/** The front matter of a brief, every default filled in. */
export interface Contract {
  readonly id: string;
  readonly title: string;
  /** Higher is selected first. */
  readonly priority: number;
  readonly dependsOn: readonly string[];
  /** Relative to the task folder; null: the git top level that holds it. */
  readonly repo: string | null;
  readonly userFacing: boolean;
  readonly validators: readonly ContractCheck[];
  readonly scenarios: readonly ContractCheck[];
  /** The scenarios that say `held_out`; none of them is among `scenarios`. */
  readonly heldOut: readonly HeldOutCheck[];
  readonly proof: ProofRules;
  /** Globs of repo paths that no pass may change. */
  readonly protected: readonly string[];
  /** Globs of repo paths that are watched beside tests and what the checks run. */
  readonly watched: readonly string[];
  /** Globs of tests that the task is meant to change: nobody is asked about them. */
  readonly testsMayChange: readonly string[];
  /** Whether a changed check or test asks a person, or is only shown. */
  readonly testsChanged: "block" | "show";
  readonly budget: {
    readonly passes: number;
    readonly repairs: number;
    /** US dollars for all passes of the task; null: no limit. */
    readonly moneyUsd: number | null;
    /** Input and output of all passes of the task; null: no limit. */
    readonly tokens: number | null;
    /** The sum of the passes' durations; null: no limit. */
    readonly timeMs: number | null;
  };
  readonly retriesPerFailure: number;
  readonly review: { readonly reviewers: readonly ReviewRole[]; readonly at: readonly ReviewPhase[] };
  /** The share of a budget, above 0 up to 1, from which passes are made cheaper; null switches it off. */
  readonly degradeOver: number | null;
  /** The least time that a person has to answer a question before its safe default is taken. */
  readonly questionWaitMs: number;
  /** Null switches it off. */
  readonly completionPromise: string | null;
}

const week = 7 * 24 * 3600 * 1000;

/** At most a week; timers cannot hold more than 24 days, and a longer one is a mistake. */
export const durationSchema = v.pipe(
  v.custom<string | number>(
    (value) => (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= week,
    expects("a duration such as 90s, 5m or 2h, at most 168h", "write a number with s, m or h behind it"),
  ),
  v.transform((value) => parseDuration(value) ?? week),
);

export function textSchema(what: string, most: number, fix: string) {
  const good = (value: unknown): boolean =>
    typeof value === "string" && value.trim() !== "" && value.length <= most && !/\p{Cc}|[\u2028\u2029]/u.test(value);
  return v.custom<string>(good, expects(`${what}, one line of at most ${most} characters`, fix));
}

export function listSchema<S extends v.GenericSchema>(item: S, what: string, example: string) {
  return v.array(item, expects(`a list of ${what}`, `write it as a list: ${example}`));
}

export function countSchema(least: number, most = 1_000_000) {
  const good = (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  return v.custom<number>(
    good,
    expects(`a whole number from ${least} up`, `write a number such as ${Math.max(least, 5)}`),
  );
}

export const yesNoSchema = v.boolean(expects("true or false", "write true or false"));

const idSchema = v.pipe(
  textSchema("an id such as T-123", 80, "write a short id in quotes"),
  v.check(
    (id) => !/[/\\]/.test(id) && id === id.trim(),
    "must have no slash and no space around it\nwrite an id such as T-123",
  ),
);

export const commandSchema = v.pipe(
  v.array(
    v.custom<string>(
      (word) => typeof word === "string" && !word.includes("\0"),
      expects("text", "put the word in quotes"),
    ),
    (issue) =>
      `must be a list of words, found ${typeof issue.input === "string" ? `the text "${issue.input.slice(0, 60).replace(/\s+/g, " ")}"` : "something else"}\nwrite a list, since no shell runs it: ${exampleCommand(issue.input)}`,
  ),
  v.check((words) => (words[0] ?? "").trim() !== "", "must name a program first\nwrite a list such as [npm, test]"),
);

function exampleCommand(input: unknown): string {
  const words = typeof input === "string" ? input.trim().split(/\s+/) : [];
  const plain = words.length > 0 && words.length < 9 && words.every((word) => /^[\w./@-]+$/.test(word));
  return `command: [${plain ? words.join(", ") : "npm, test"}]`;
}

const expectSchema = v.pipe(
  strictMap({
    min_tests: v.optional(countSchema(1)),
    output: v.optional(textSchema("a text", 500, 'write a text of the output such as "12 passed"')),
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

const scenarioSchema = v.pipe(
  strictMap({
    ...checkEntries,
    held_out: v.optional(textSchema("a path", 4_096, "write a folder outside the repo, relative to the task folder")),
  }),
  v.transform(({ held_out: folder, ...check }): ContractCheck | HeldOutCheck =>
    folder === undefined ? readCheck(check) : { ...readCheck(check), folder },
  ),
);

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

export function isHeldOutCheck(check: ContractCheck | HeldOutCheck): check is HeldOutCheck {
  return "folder" in check;
}

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

const watchPolicies = ["block", "show"] as const;
const checksExample = "[{ name: tests, command: [npm, test] }]";

/** US dollars. Money is shown in cents, so less than one would be told as none. */
const leastMoney = 0.01;

export const moneySchema = v.custom<number>(
  (value) => typeof value === "number" && Number.isFinite(value) && value >= leastMoney,
  expects(`a number of US dollars from ${leastMoney} up`, "write a number such as 5, or remove the key for no limit"),
);

export const tokensSchema = countSchema(1, 1_000_000_000_000);

const shareSchema = v.custom<number>(
  (value) => typeof value === "number" && value > 0 && value <= 1,
  expects("a share above 0 and up to 1", "write a number such as 0.8, which is 80 %"),
);

const rolesSchema = v.pipe(
  listSchema(
    v.picklist(reviewRoles, expectsWord(reviewRoles, `one of ${reviewRoles.join(", ")}`, "write reviewers: [tests]")),
    "roles",
    "[security, tests]",
  ),
  v.check((roles) => new Set(roles).size === roles.length, "must name each role once\nremove the one that is doubled"),
);

function proofModeSchema(key: string) {
  return v.picklist(proofModes, expectsWord(proofModes, "auto, require or off", `write ${key}: auto`));
}

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
      counter: v.optional(proofModeSchema("counter")),
      clean: v.optional(proofModeSchema("clean")),
      carry: globsSchema("folders", "node_modules"),
      prepare: v.optional(listSchema(commandSchema, "commands", "[[npm, ci]]")),
    }),
  ),
  protected: globsSchema("globs", '"test/acceptance/**"'),
  watched: globsSchema("globs", '"fixtures/golden/**"'),
  tests_may_change: globsSchema("globs", '"test/export/**"'),
  tests_changed: v.optional(
    v.picklist(watchPolicies, expectsWord(watchPolicies, "block or show", "write tests_changed: block")),
  ),
  budget: v.optional(
    strictMap({
      passes: v.optional(countSchema(1)),
      repairs: v.optional(countSchema(0)),
      money_usd: v.nullish(moneySchema),
      tokens: v.nullish(tokensSchema),
      time: v.nullish(durationSchema),
    }),
  ),
  retries_per_failure: v.optional(countSchema(0)),
  review: v.optional(
    strictMap({
      reviewers: v.optional(rolesSchema),
      at: v.optional(
        listSchema(v.picklist(["shape", "review"], "must be shape or review\nwrite [review]"), "phases", "[review]"),
      ),
    }),
  ),
  completion_promise: v.optional(
    v.nullable(
      v.pipe(
        textSchema("a word", 80, "write a word such as COMPLETE, or null"),
        v.check((word) => !/[<>]/.test(word), "must hold no < or >\nwrite a word such as COMPLETE, or null"),
      ),
    ),
  ),
  degrade: v.nullish(strictMap({ when_over_pct: v.optional(shareSchema) })),
  question_wait: v.optional(durationSchema),
};

/** The keys that task-phase.yaml may set under `defaults`. */
export const partialContractSchema = strictMap(entries);

/** The front matter of a brief. */
export const contractSchema = strictMap({
  id: idSchema,
  title: textSchema("a title", 300, "write one line"),
  depends_on: v.optional(listSchema(idSchema, "task ids", "depends_on: [T-120]")),
  ...entries,
});

export type PartialContract = v.InferOutput<typeof partialContractSchema>;
export type WrittenContract = v.InferOutput<typeof contractSchema>;

/** Where package managers put what a lockfile names, and what git ignores therefore. */
const carriedFolders: readonly string[] = ["node_modules", ".venv", "venv", "vendor"];

/** The contract beats the defaults of task-phase.yaml, and those beat the built-in ones; a list replaces a list. */
export function applyDefaults(written: WrittenContract, defaults: PartialContract = {}): Contract {
  const promise = chosen(written.completion_promise, defaults.completion_promise);
  const degrade = chosen(written.degrade, defaults.degrade);
  const scenarios: readonly (ContractCheck | HeldOutCheck)[] = written.scenarios ?? defaults.scenarios ?? [];
  return {
    id: written.id,
    title: written.title,
    priority: written.priority ?? defaults.priority ?? 0,
    dependsOn: written.depends_on ?? [],
    repo: written.repo ?? defaults.repo ?? null,
    userFacing: written.user_facing ?? defaults.user_facing ?? false,
    validators: written.validators ?? defaults.validators ?? [],
    scenarios: scenarios.filter((check) => !isHeldOutCheck(check)),
    heldOut: scenarios.filter(isHeldOutCheck),
    proof: {
      counter: written.proof?.counter ?? defaults.proof?.counter ?? "auto",
      clean: written.proof?.clean ?? defaults.proof?.clean ?? "auto",
      carry: written.proof?.carry ?? defaults.proof?.carry ?? carriedFolders,
      prepare: written.proof?.prepare ?? defaults.proof?.prepare ?? [],
    },
    protected: written.protected ?? defaults.protected ?? [],
    watched: written.watched ?? defaults.watched ?? [],
    testsMayChange: written.tests_may_change ?? defaults.tests_may_change ?? [],
    testsChanged: written.tests_changed ?? defaults.tests_changed ?? "block",
    budget: {
      passes: written.budget?.passes ?? defaults.budget?.passes ?? 12,
      repairs: written.budget?.repairs ?? defaults.budget?.repairs ?? 5,
      moneyUsd: chosen(written.budget?.money_usd, defaults.budget?.money_usd) ?? null,
      tokens: chosen(written.budget?.tokens, defaults.budget?.tokens) ?? null,
      timeMs: chosen(written.budget?.time, defaults.budget?.time) ?? null,
    },
    retriesPerFailure: written.retries_per_failure ?? defaults.retries_per_failure ?? 2,
    review: {
      reviewers: written.review?.reviewers ?? defaults.review?.reviewers ?? [],
      at: written.review?.at ?? defaults.review?.at ?? ["review"],
    },
    degradeOver: degrade === null ? null : (degrade?.when_over_pct ?? 0.8),
    questionWaitMs: written.question_wait ?? defaults.question_wait ?? 10 * 60_000,
    completionPromise: promise === undefined ? "COMPLETE" : promise,
  };
}

/** What is written wins, a null that switches the default off included. */
function chosen<Value>(written: Value | undefined, byDefault: Value | undefined): Value | undefined {
  return written !== undefined ? written : byDefault;
}

/** The form of a check's name that can stand in a file name; names must differ in it. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._]+/gu, "-")
    .replace(/^[-.]+|-+$/g, "");
}
