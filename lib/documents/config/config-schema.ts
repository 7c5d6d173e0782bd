import * as v from "valibot";
import { checkpointModes, hostKinds } from "../../rules/words.ts";
import { isObject } from "../../text/json-object.ts";
import { namesSecret } from "../../text/secret-values.ts";
import { cleanWebAddress } from "../../text/web-address.ts";
import { partialContractSchema } from "../contract-schema.ts";
import { problemCheck, strictMap, wordSchema } from "../schema-findings.ts";
import { durationSchema, listSchema } from "../value-schemas.ts";
import { fleetSchema } from "./fleet-schema.ts";
import { limitsSchema } from "./limits-schema.ts";
import { modelSchema } from "./model-schema.ts";

const writeUrl = "write a URL such as https://hooks.example.com/task-phase";
const writeName = "write a name such as TASK_PHASE_WEBHOOK_SECRET";

/** Messages never quote it: path and query of such a URL are often its only key. */
const urlSchema = v.pipe(
  v.custom<string>((value) => typeof value === "string", `must be a URL in quotes\n${writeUrl}`),
  problemCheck(problemOfUrl),
);

function problemOfUrl(text: string): string | null {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters\n${writeUrl}`;
  // The parser removes spaces and line breaks, and would call another URL than the one written.
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) {
    return `must be a whole URL of plain characters, without spaces\n${writeUrl}`;
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return `must begin with https:// or http://\n${writeUrl}`;
  return url.username === "" && url.password === ""
    ? null
    : "must not contain a user name or a password\nremove them; the signature of `secret_env` identifies the sender";
}

/** The redactor recognises secrets by name; others would appear in logs. */
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

const notifySchema = v.pipe(
  v.custom<Record<string, unknown>>(
    isObject,
    "must be a map with webhook, secret_env and ping\nwrite notify: { webhook: https://hooks.example.com/task-phase }",
  ),
  strictMap({ webhook: v.nullish(urlSchema), secret_env: v.nullish(secretNameSchema), ping: v.nullish(urlSchema) }),
);

export type NotifyConfig = Readonly<ReturnType<typeof toNotifyConfig>>;

export function toNotifyConfig(written: v.InferOutput<typeof notifySchema> | null | undefined) {
  return {
    webhookUrl: written?.webhook ?? null,
    /** Environment variable with the webhook's signing secret; null: unsigned. */
    secretEnv: written?.secret_env ?? null,
    pingUrl: written?.ping ?? null,
  };
}

/** `full` spells out the default. */
const linkForms = ["auto", "full", "relative"] as const;
const longestUrl = 2_048;

/** Messages never quote it: it is refused because it may contain a password. */
function addressSchema(example: string) {
  const write = `write a URL such as ${example}`;
  return v.pipe(
    v.custom<string>((value) => typeof value === "string", `must be a URL in quotes\n${write}`),
    problemCheck(problemOf, (problem) => `${problem}\n${write}`),
    v.transform((text) => cleanWebAddress(text) ?? ""),
  );
}

function problemOf(text: string): string | null {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters`;
  if (!/^https?:\/\//i.test(text)) return "must begin with https:// or http://";
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return "must not contain a user name or a password";
  if (/[?#]/.test(text)) return "must not contain a query or a fragment: paths are appended to it";
  return cleanWebAddress(text) === null
    ? "must be a host and a plain path, without spaces, backslashes or dot segments"
    : null;
}

const evidenceSchema = v.pipe(
  v.custom<Record<string, unknown>>(
    isObject,
    "must be a map with base_url, host_kind, web_base and links\nwrite evidence: { base_url: https://evidence.example.org/tasks }",
  ),
  strictMap({
    base_url: v.nullish(addressSchema("https://evidence.example.org/tasks")),
    host_kind: v.nullish(
      wordSchema(hostKinds, "github, gitlab, gitea or bitbucket", "write host_kind: gitea, also for Forgejo"),
    ),
    web_base: v.nullish(addressSchema("https://git.example.org")),
    links: v.nullish(wordSchema(linkForms, "auto, full or relative", "write links: relative")),
  }),
);

export type EvidenceConfig = Readonly<ReturnType<typeof toEvidenceConfig>>;

/** Absent: the host comes from the remote, and no page is served. */
export function toEvidenceConfig(written: v.InferOutput<typeof evidenceSchema> | null | undefined) {
  return {
    /** Where the tasks root is served, without a final slash. */
    baseUrl: written?.base_url ?? null,
    /** How the git host writes addresses; null: from its name or the CI system. */
    hostKind: written?.host_kind ?? null,
    /** What precedes OWNER/REPO in page addresses; null: from the remote's URL. */
    webBase: written?.web_base ?? null,
    /** The Evidence link of STATE.md: full if the host is known, or always relative. */
    links: written?.links ?? "auto",
  };
}

const selections = ["round_robin", "priority"] as const;
const sandboxes = ["none", "bwrap"] as const;
const commits = ["pass", "task"] as const;
const keeps = ["all", "proof"] as const;
const signs = ["none", "ssh"] as const;
const workspaces = ["here", "branch"] as const;

const pollSchema = v.pipe(
  durationSchema,
  v.check((ms) => ms >= 1_000 && ms <= 3_600_000, "must be between 1s and 1h\nwrite a duration such as 30s"),
);

export const configSchema = strictMap({
  model_selection: v.optional(wordSchema(selections, "round_robin or priority", "write model_selection: priority")),
  models: v.optional(v.nullable(listSchema(modelSchema, "models", "models: [{ name: claude, adapter: claude }]"))),
  budget: v.nullish(strictMap({ run: v.nullish(limitsSchema), day: v.nullish(limitsSchema) })),
  checkpoint: v.nullish(wordSchema(checkpointModes, "patch, commit or push", "write checkpoint: patch")),
  commits: v.nullish(wordSchema(commits, "pass or task", "write commits: task")),
  keep: v.nullish(wordSchema(keeps, "all or proof", "write keep: proof")),
  sign: v.nullish(wordSchema(signs, "none or ssh", "write sign: none")),
  evidence: v.nullish(evidenceSchema),
  control: v.nullish(strictMap({ poll: v.optional(pollSchema) })),
  notify: v.nullish(notifySchema),
  sandbox: v.nullish(wordSchema(sandboxes, "none or bwrap", "write sandbox: none")),
  workspace: v.nullish(wordSchema(workspaces, "here or branch", "write workspace: here")),
  fleet: v.nullish(fleetSchema),
  defaults: v.optional(v.nullable(partialContractSchema)),
});
