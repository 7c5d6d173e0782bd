import { warningFinding } from "../report/finding.ts";
import { deliver } from "./deliver.ts";
import { type NotifyPorts, type NotifyTarget, userAgent } from "./ports.ts";
import { signedHeaders, signingKey } from "./sign.ts";
import { nothingToTell, type Told, toldOf } from "./told.ts";
import type { WebhookBody } from "./webhook-body.ts";

/**
 * Posts the body to the webhook, signed if the configuration names a secret. Where it names one that is not there,
 * nothing is sent: a receiver that checks signatures must never be trained to take messages without one. At most three
 * tries of five seconds. Never throws for what a network or a server does.
 */
export async function sendWebhook(target: NotifyTarget, body: WebhookBody, ports: NotifyPorts): Promise<Told> {
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
