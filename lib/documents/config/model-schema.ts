import { resolve } from "node:path";
import * as v from "valibot";
import { orElse } from "../../text/attempt.ts";
import { messageOf } from "../../text/errors.ts";
import { shorten } from "../../text/shorten.ts";
import { expects, strictMap, wordSchema } from "../schema-findings.ts";
import { commandSchema, durationSchema, listSchema, textSchema } from "../value-schemas.ts";
import { adapterNames } from "./adapter-names.ts";

const adapterList = `${adapterNames.slice(0, -1).join(", ")} or ${adapterNames.at(-1)}`;

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

/** Any text without NUL: empty and multi-line arguments are legal values of flags. */
const argsSchema = listSchema(
  v.custom<string>(
    (word) => typeof word === "string" && word.length <= 4_096 && !word.includes("\0"),
    expects("an argument of at most 4096 characters", "put the argument in quotes"),
  ),
  "arguments",
  "args: [--quiet]",
);

function dollarsSchema(what: string, fix: string) {
  const good = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;
  return v.custom<number>(good, expects(`${what}, a number of at least 0`, fix));
}

const perMtok = dollarsSchema("US dollars per million tokens", "write a number such as 3");

/**
 * A limit's message is one phrase, matched in at most 4,000 characters; long patterns are where backtracking explodes.
 */
const longest = 200;

const fix = 'write it as in JavaScript, in quotes, such as "come back (later|tomorrow)"';

/** A regular expression without slashes and flags; case-insensitive. */
const patternSchema = v.pipe(
  v.custom<string>(
    (value) => typeof value === "string" && value !== "" && value.length <= longest,
    expects(`a regular expression of 1 to ${longest} characters`, fix),
  ),
  v.rawTransform<string, RegExp>(({ dataset, addIssue, NEVER }) => {
    const compiled = compile(dataset.value);
    if (typeof compiled === "string") {
      addIssue({ message: `${compiled}, found the text "${shorten(dataset.value)}"\n${fix}` });
      return NEVER;
    }
    return compiled;
  }),
);

function compile(text: string): RegExp | string {
  try {
    const pattern = withFlags(text);
    // No message has a private-use character: a pattern that matches one matches anything.
    const findsAnything = ["", "\uE000"].some((message) => pattern.test(message));
    return findsAnything ? "must match limit messages only, not any text: every error would count as a limit" : pattern;
  } catch (error) {
    const problem = messageOf(error).split(": ").at(-1) ?? "";
    return `must be a regular expression (${shorten(problem)})`;
  }
}

/** Unicode mode if the text allows it, so that an astral letter is one character. */
function withFlags(text: string): RegExp {
  return orElse(() => new RegExp(text, "iu"), null) ?? new RegExp(text, "i");
}

/** Keys of one model; `judgeModels` checks them against the adapter. */
export const modelSchema = strictMap({
  name: v.pipe(
    textSchema("a name", 64, "give the model a short name"),
    v.check(
      (name) => !/[/\\,]|^\s|\s$/.test(name),
      "must not contain a slash or comma, or begin or end with a space\ngive the model a short name",
    ),
    // Names become keys in the journal and cooldowns.json.
    v.check(
      (name) => !(name in Object.prototype),
      "must not be the name of a JavaScript object property\ngive the model another name",
    ),
  ),
  adapter: wordSchema(adapterNames, adapterList, "write one of them"),
  command: v.optional(commandSchema),
  args: v.optional(argsSchema, []),
  prompt: v.optional(v.picklist(["stdin", "argument", "file"], expects("stdin, argument or file", "write stdin"))),
  recordings: v.optional(textSchema("a path", 4_096, "write a path relative to this file")),
  timeout: v.optional(durationSchema, "30m"),
  env: v.optional(listSchema(envNameSchema, "names of environment variables", "env: [MY_API_KEY]"), []),
  estimate_usd: v.nullish(dollarsSchema("what a pass may cost in US dollars", "write a number such as 0.40")),
  price: v.nullish(strictMap({ input_per_mtok: perMtok, output_per_mtok: perMtok })),
  rate_limit_patterns: v.nullish(
    listSchema(patternSchema, "regular expressions", 'rate_limit_patterns: ["come back later"]'),
  ),
  cooldown: v.nullish(durationSchema),
  tiers: v.nullish(strictMap({ cheap: v.nullish(strictMap({ args: argsSchema })) })),
});

export type WrittenModel = v.InferOutput<typeof modelSchema>;

export type ModelConfig = Readonly<ReturnType<typeof toModelConfig>>;

const defaultCooldownMs = 15 * 60_000;

export function toModelConfig(model: WrittenModel, folder: string) {
  const { price } = model;
  return {
    name: model.name,
    adapter: model.adapter,
    command: model.command ?? null,
    prompt: model.prompt ?? "stdin",
    /** Absolute; for adapter `replay` only. */
    recordings: model.recordings === undefined ? null : resolve(folder, model.recordings),
    timeoutMs: model.timeout,
    /** Environment variables passed on, beside the usual ones. */
    env: model.env,
    args: model.args,
    /** Replace the words of `args` for the same flags in the cheap tier; null: the adapter's own. */
    cheapArgs: model.tiers?.cheap?.args ?? null,
    /** The expected cost of a pass; null: the highest of the last three. */
    estimateUsd: model.estimate_usd ?? null,
    /** US dollars per million tokens, if the CLI reports no cost. */
    price: price ? { inputPerMtok: price.input_per_mtok, outputPerMtok: price.output_per_mtok } : null,
    /** In addition to the adapter's; matched case-insensitively against the final error only. */
    rateLimitPatterns: model.rate_limit_patterns ?? [],
    /** After a limit without an end; default 15 minutes. */
    cooldownMs: model.cooldown ?? defaultCooldownMs,
    /** Base of relative paths: the folder of the file that names the model. */
    folder,
  };
}
