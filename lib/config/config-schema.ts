import * as v from "valibot";
import {
  commandSchema,
  durationSchema,
  listSchema,
  partialContractSchema,
  textSchema,
} from "../task-folder/contract.ts";
import { expects, notAvailable, strictMap } from "../task-folder/schema-findings.ts";

const never = (): boolean => false;
const isEmptyMap = (value: unknown): boolean => isMap(value) && Object.keys(value).length === 0;
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A map whose every value is null or empty. */
const isOffMap = (value: unknown): boolean =>
  isMap(value) && Object.values(value).every((inner) => inner === null || isEmptyMap(inner));

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const laterAdapters = ["pi", "claude", "codex", "gemini", "opencode"];

const adapterSchema = v.pipe(
  v.string(expects("the name of an adapter", "write command or replay")),
  v.check(
    (name) => !laterAdapters.includes(name),
    (issue) =>
      `is not available in this version of task-phase: ${issue.input}\nuse \`adapter: command\` with the program's own command line`,
  ),
  v.picklist(["command", "replay"], expects("command or replay", "write command or replay")),
);

const envNameSchema = v.pipe(
  v.string(expects("the name of an environment variable", "write a name such as MY_API_KEY")),
  v.regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    expects("the name of an environment variable, never its value", "write a name such as MY_API_KEY"),
  ),
  v.check(
    (name) => !name.startsWith("TASK_PHASE_"),
    "must not begin with TASK_PHASE_: the runner sets those itself\nremove it",
  ),
);

const modelSchema = strictMap({
  name: v.pipe(
    textSchema("a name", 64, "give the model a short name"),
    v.check((name) => !/[/\\]/.test(name), "must have no slash\ngive the model a short name"),
  ),
  adapter: adapterSchema,
  command: v.optional(commandSchema),
  args: v.optional(
    listSchema(textSchema("an argument", 4_096, "put the argument in quotes"), "arguments", "args: [--quiet]"),
    [],
  ),
  prompt: v.optional(
    v.picklist(["stdin", "argument", "file"], expects("stdin, argument or file", "write stdin")),
    "stdin",
  ),
  recordings: v.optional(textSchema("a path", 4_096, "write a path relative to this file")),
  timeout: v.optional(durationSchema, "30m"),
  env: v.optional(listSchema(envNameSchema, "names of environment variables", "env: [MY_API_KEY]"), []),
  estimate_usd: notAvailable(never),
  price: notAvailable(isEmptyMap),
  rate_limit_patterns: notAvailable(isEmptyList),
  cooldown: notAvailable(never),
  tiers: notAvailable(isEmptyMap),
});

/** task-phase.yaml. What this version does not do is refused by name, unless it is written as switched off. */
export const configSchema = strictMap({
  model_selection: v.optional(
    v.picklist(["round_robin", "priority"], expects("round_robin or priority", "write model_selection: priority")),
  ),
  models: v.optional(
    v.nullable(listSchema(modelSchema, "models", "models: [{ name: mine, adapter: command, command: [./agent.sh] }]")),
  ),
  budget: notAvailable(isOffMap),
  checkpoint: notAvailable(never),
  evidence: notAvailable(isOffMap),
  control: notAvailable(isEmptyMap),
  notify: notAvailable(isOffMap),
  sandbox: notAvailable((value) => value === "none"),
  defaults: v.optional(v.nullable(partialContractSchema)),
});

export type WrittenConfig = v.InferOutput<typeof configSchema>;
export type WrittenModel = v.InferOutput<typeof modelSchema>;
