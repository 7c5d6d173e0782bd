import { createHmac } from "node:crypto";
import type { NotifyConfig } from "../documents/config/config-schema.ts";
import type { OpenAsk } from "../rules/standing-facts.ts";
import { warningFinding } from "../text/finding.ts";
import { deliver, type NotifyPorts, nothingToTell, type Told, toldOf, userAgent } from "./deliver.ts";

/**
 * Posts the body to the webhook, signed if the configuration names a secret. Where it names one that is not there,
 * nothing is sent: a receiver that checks signatures must never be trained to take messages without one. At most three
 * tries of five seconds. Never throws for what a network or a server does.
 */
export async function sendWebhook(target: NotifyConfig, body: WebhookBody, ports: NotifyPorts): Promise<Told> {
  if (target.webhookUrl === null) return nothingToTell;
  const url = new URL(target.webhookUrl);
  const key = target.secretEnv === null ? null : signingKey(ports.env[target.secretEnv] ?? "");
  if (target.secretEnv !== null && key === null) return withoutSecret(target.secretEnv, ports);
  const text = JSON.stringify(body);
  const delivery = await deliver(
    () => ({
      url,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent(ports),
        ...signedHeaders(body.id, ports.now(), text, key),
      },
      body: text,
    }),
    ports,
  );
  return toldOf("webhook", url, delivery);
}

function withoutSecret(name: string, ports: NotifyPorts): Told {
  const missing = (ports.env[name] ?? "").trim() === "";
  const problem = missing ? "is not set" : "has no base64 after `whsec_`";
  const finding = warningFinding(
    "TP_NOTIFY_SECRET",
    `the webhook was not sent: the environment variable ${name}, named by \`notify.secret_env\`, ${problem}`,
    { fix: `set ${name} where task-phase is started, for example in the crontab or the systemd unit` },
  );
  return { ...nothingToTell, findings: [finding] };
}

const prefix = "whsec_";

/**
 * The bytes with which a secret signs: of `whsec_BASE64` those that the base64 stands for, as Standard Webhooks
 * serialises secrets; else the UTF-8 of the text. Space around it, such as the line break at the end of a file, is not
 * part of it. Null if nothing is left, or where what follows `whsec_` is not base64.
 */
export function signingKey(secret: string): Buffer | null {
  const text = secret.trim();
  if (!text.startsWith(prefix)) return text === "" ? null : Buffer.from(text);
  const base64 = text.slice(prefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  return Buffer.from(base64, "base64");
}

/** The headers of Standard Webhooks 1.0.0: the signature is over `id.timestamp.body`. Without a key there is none. */
export function signedHeaders(id: string, at: Date, body: string, key: Buffer | null): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (key === null) return headers;
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}

/** The possible events. The rules for when they are sent are in `lib/notify/events/notify-verdict.ts`. */
export const webhookEvents = [
  "task.done",
  "task.blocked",
  "task.needs_user_decision",
  "task.paused",
  "task.refused",
  "loop.stopped",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** An open question; what is not written is empty. */
export interface AskedQuestion extends Pick<OpenAsk, "id" | "title" | "question" | "options" | "place"> {
  readonly safe_default: string;
  /** As written; ISO 8601 if it comes from the runner. */
  readonly deadline: string;
  /** The page of the git host that edits the file; null if there is none, or it has another text of it. */
  readonly edit_url: string | null;
}

/** The JSON body of a webhook, redacted already; null if a thing is not known or does not apply. */
export interface WebhookBody {
  readonly version: 1;
  /** Equal for every try of one message; without a full stop, since the signature is over `id.timestamp.body`. */
  readonly id: string;
  readonly event: WebhookEvent;
  /** When it happened, ISO 8601 in UTC. */
  readonly at: string;
  readonly task: { readonly id: string; readonly title: string | null } | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly verdict: string | null;
  readonly reason: string;
  readonly pass: number | null;
  readonly exit_code: number;
  readonly exit_name: string;
  readonly model: string | null;
  readonly cost_usd: number | null;
  /** Ids of the questions that were open in DECISIONS.md after the pass or the stop. */
  readonly questions: readonly string[];
  /** The open questions as written; fields that are not written are empty. */
  readonly asked: readonly AskedQuestion[];
  /** The evidence page, relative to the task folder. */
  readonly evidence: string | null;
  /** Where the evidence opens in a browser, on the git host or where it is served. */
  readonly evidence_url: string | null;
  /** False: that address shows it only once it is pushed. */
  readonly evidence_pushed: boolean | null;
}
