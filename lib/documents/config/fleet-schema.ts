import { isAbsolute } from "node:path";
import * as v from "valibot";
import { isObject } from "../../text/json-object.ts";
import { problemOfBranch } from "../../text/ref-name.ts";
import { problemOfSharedUrl } from "../../text/repo-url.ts";
import { expects, problemCheck, strictMap, wordSchema } from "../schema-findings.ts";
import { commandSchema, countSchema, durationSchema, listSchema, textSchema } from "../value-schemas.ts";
import { limitsSchema, toLimits } from "./limits-schema.ts";

const defaults = { schema: "task_phase", ref: "task-phase/{id}", heartbeatMs: 30_000, marginMs: 10_000, attempts: 3 };
/** pg-boss takes no shorter heartbeat. */
const leastHeartbeatMs = 10_000;
const hourMs = 3_600_000;
const afters = ["merged", "done"] as const;
const filters = ["blob:none"] as const;

/** Messages never quote it: people write the URL with its password in place of the map. */
const engineSchema = v.pipe(
  v.custom<Record<string, unknown>>(
    isObject,
    "must be a map with url_env and schema, never the URL itself\nwrite engine: { url_env: TASK_PHASE_ENGINE_URL }",
  ),
  strictMap({
    url_env: v.pipe(
      v.string("must be the name of an environment variable\nwrite a name such as TASK_PHASE_ENGINE_URL"),
      v.regex(
        /^[A-Za-z_][A-Za-z0-9_]*$/,
        "must be the name of an environment variable, never its value\nwrite a name such as TASK_PHASE_ENGINE_URL",
      ),
    ),
    schema: v.nullish(
      v.pipe(
        v.string(expects("the name of a database schema", "write schema: task_phase")),
        v.regex(
          /^[a-z_][a-z0-9_]{0,49}$/,
          expects("a name of lower-case letters, digits and underscores, at most 50", "write schema: task_phase"),
        ),
      ),
    ),
  }),
);

const branchSchema = v.pipe(
  textSchema("the name of a branch", 200, "write a name such as main"),
  problemCheck(problemOfBranch, (problem) => `cannot be a branch: it ${problem}\nwrite a name such as main`),
);

const writeCode = "write code: https://HOST/PATH, ssh://git@HOST/PATH or git@HOST:PATH";
const writeRef = `write ref: ${defaults.ref}`;

const refSchema = v.pipe(
  textSchema("the name of a branch with {id} as its last part", 200, writeRef),
  problemCheck(problemOfPattern, (problem) => `${problem}\n${writeRef}`),
);

/** The id comes last behind a slash, so that one folder has exactly the tasks' branches. */
function problemOfPattern(pattern: string): string | null {
  const folder = pattern.slice(0, -"/{id}".length);
  if (!pattern.endsWith("/{id}") || folder.includes("{id}")) return "must end with `/{id}`, which occurs once";
  const problem = problemOfBranch(folder);
  return problem === null ? null : `cannot be a branch: it ${problem}`;
}

/** Messages never quote it: it may contain a password. */
const codeSchema = v.pipe(
  v.string(`must be the URL of a repository\n${writeCode}`),
  problemCheck(problemOfSharedUrl, (problem) => `${problem}\n${writeCode}`),
);

const heartbeatSchema = v.pipe(
  durationSchema,
  v.check(
    (ms) => ms >= leastHeartbeatMs && ms <= hourMs,
    "must be between 10s and 1h\nwrite a duration such as heartbeat: 30s",
  ),
);

const leaseSchema = v.pipe(
  strictMap({ heartbeat: v.nullish(heartbeatSchema), margin: v.nullish(durationSchema) }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues !== undefined) return;
    const { heartbeat, margin } = dataset.value;
    if ((margin ?? defaults.marginMs) < (heartbeat ?? defaults.heartbeatMs)) return;
    const fix = "write lease: { heartbeat: 30s, margin: 10s }";
    addIssue({ message: `must have a margin that is shorter than its heartbeat\n${fix}` });
  }),
);

const isListOfLists = (value: unknown) => Array.isArray(value) && value.every(Array.isArray);

const prepareSchema = v.lazy((value) =>
  isListOfLists(value)
    ? listSchema(commandSchema, "commands", "[[npm, ci]]")
    : v.pipe(
        commandSchema,
        v.transform((command) => [command]),
      ),
);

const cloneSchema = strictMap({
  cache: v.nullish(
    v.pipe(
      textSchema("a path", 4_096, "write an absolute path"),
      v.check(isAbsolute, expects("an absolute path", "write a path such as /var/cache/task-phase")),
    ),
  ),
  filter: v.nullish(wordSchema(filters, "blob:none or null", "write filter: blob:none")),
});

const accountSchema = strictMap({
  models: v.pipe(
    listSchema(textSchema("the name of a model", 64, "write a name of `models`"), "model names", "models: [claude]"),
    v.minLength(1, "must name a model\nwrite a list such as models: [claude]"),
  ),
  concurrent: v.nullish(countSchema(1)),
  starts_per_minute: v.nullish(countSchema(1)),
});

/** Names become keys, and valibot's record silently drops some. */
const accountsSchema = v.pipe(
  v.custom<Record<string, unknown>>(
    isObject,
    expects("a map of accounts", "write accounts: { team-a: { models: [claude] } }"),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    for (const name of dataset.typed ? Object.keys(dataset.value) : []) {
      if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && !(name in Object.prototype)) continue;
      const fix =
        "use letters, digits, hyphens, dots and underscores, at most 64, and not the name of a JavaScript object property";
      addIssue({ message: `has an account with a name that cannot be used\n${fix}` });
    }
  }),
  v.record(v.string(), accountSchema),
);

export const fleetSchema = strictMap({
  engine: v.nullish(engineSchema),
  base: v.nullish(branchSchema),
  ref: v.nullish(refSchema),
  code: v.nullish(codeSchema),
  after: v.nullish(wordSchema(afters, "merged or done", "write after: merged")),
  lease: v.nullish(leaseSchema),
  attempts: v.nullish(countSchema(1, 100)),
  prepare: v.nullish(prepareSchema),
  clone: v.nullish(cloneSchema),
  accounts: v.nullish(accountsSchema),
  budget: v.nullish(strictMap({ day: v.nullish(limitsSchema) })),
});

export type FleetConfig = Readonly<NonNullable<ReturnType<typeof toFleetConfig>>>;

/** Null: a single machine. */
export function toFleetConfig(written: v.InferOutput<typeof fleetSchema> | null | undefined) {
  if (written === null || written === undefined) return null;
  const { engine, lease, clone } = written;
  return {
    /** Null: a claim is pushed, and nothing else is shared. */
    engine: engine ? { urlEnv: engine.url_env, schema: engine.schema ?? defaults.schema } : null,
    /** Where new task branches begin; null: the remote's default branch. */
    base: written.base ?? null,
    ref: written.ref ?? defaults.ref,
    /** The code's repository, if the tasks have their own. */
    code: written.code ?? null,
    /** When a dependency counts: once in the base branch, or once done. */
    after: written.after ?? "merged",
    lease: { heartbeatMs: lease?.heartbeat ?? defaults.heartbeatMs, marginMs: lease?.margin ?? defaults.marginMs },
    /** Attempts of a pass without a verdict. */
    attempts: written.attempts ?? defaults.attempts,
    prepare: written.prepare ?? [],
    /** `cache`: absolute; null: the user's cache folder. `filter` of git clone. */
    clone: { cache: clone?.cache ?? null, filter: clone?.filter ?? null },
    /** Models that share a limit and a budget; null: no bound. */
    accounts: Object.entries(written.accounts ?? {}).map(([name, account]) => ({
      name,
      models: account.models,
      concurrent: account.concurrent ?? null,
      startsPerMinute: account.starts_per_minute ?? null,
    })),
    budget: { day: toLimits(written.budget?.day) },
  };
}
