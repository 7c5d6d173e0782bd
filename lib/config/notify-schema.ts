import * as v from "valibot";
import { strictMap } from "../task-folder/schema-findings.ts";
import { isObject } from "../text/json-object.ts";
import { namesSecret } from "../text/secret-values.ts";

/** Where people and monitors are told what happened; null: nowhere. */
export interface NotifyConfig {
  readonly webhookUrl: string | null;
  /** Name of the environment variable that contains the webhook's signing secret; null: sent without a signature. */
  readonly secretEnv: string | null;
  readonly pingUrl: string | null;
}

const longestUrl = 2_048;
const writeUrl = "write a URL such as https://hooks.example.com/task-phase";
const writeName = "write a name such as TASK_PHASE_WEBHOOK_SECRET";

/** No message shows what was found: the path and the query of such a URL are often the only key to it. */
const urlSchema = v.pipe(
  v.custom<string>((value) => typeof value === "string", `must be a URL in quotes\n${writeUrl}`),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? problemOfUrl(dataset.value) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
);

function problemOfUrl(text: string): string | null {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters\n${writeUrl}`;
  // The parser takes spaces and line breaks out, so that another URL would be called than the one that is read.
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) {
    return `must be a whole URL of plain characters, without spaces\n${writeUrl}`;
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return `must begin with https:// or http://\n${writeUrl}`;
  return url.username === "" && url.password === ""
    ? null
    : "must not contain a user name or a password\nremove them; the signature of `secret_env` identifies the sender";
}

/** The redactor recognises secrets by their names, so a secret with another name would appear in logs. */
const secretNameSchema = v.pipe(
  v.custom<string>(
    (value) => typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value),
    `must be the name of an environment variable, never its value\n${writeName}`,
  ),
  v.check(
    (name) => namesSecret(name),
    `must be a name that marks it as a secret, so that its value is kept out of logs\n${writeName}`,
  ),
);

/** `notify` of task-phase.yaml. */
export const notifySchema = v.pipe(
  v.custom<Record<string, unknown>>(
    isObject,
    "must be a map with webhook, secret_env and ping\nwrite notify: { webhook: https://hooks.example.com/task-phase }",
  ),
  strictMap({
    webhook: v.nullish(urlSchema),
    secret_env: v.nullish(secretNameSchema),
    ping: v.nullish(urlSchema),
  }),
);

/** Null or missing: nobody is told. */
export function toNotifyConfig(written: v.InferOutput<typeof notifySchema> | null | undefined): NotifyConfig {
  return {
    webhookUrl: written?.webhook ?? null,
    secretEnv: written?.secret_env ?? null,
    pingUrl: written?.ping ?? null,
  };
}
