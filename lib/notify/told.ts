import { type Finding, warningFinding } from "../report/finding.ts";
import { escapeForTerminal } from "../text/shorten.ts";
import type { Delivery } from "./deliver.ts";

/** The result of a notification, which never changes a verdict or an exit code. */
export interface Told {
  readonly sent: boolean;
  /** Host and port, safe to print; null if nothing was to be sent. Never the URL: its path and query may be keys. */
  readonly host: string | null;
  readonly findings: readonly Finding[];
}

export const nothingToTell: Told = { sent: false, host: null, findings: [] };

/** `key` is that of task-phase.yaml that names the URL. */
export function toldOf(key: "webhook" | "ping", url: URL, delivery: Delivery): Told {
  const host = escapeForTerminal(url.host);
  // Only of what carries something: a monitor inside a network would make each tick of a cron job noisy.
  const plain = key === "webhook" && isPlain(url) ? [plainFinding(host)] : [];
  if (delivery.kind === "taken") return { sent: true, host, findings: plain };
  const what =
    delivery.kind === "stopped"
      ? `the ${key} to ${host} was not sent: the call was stopped`
      : `the ${key} was not delivered: ${host} ${delivery.problem}${triesOf(delivery.tries)}`;
  const failed = warningFinding("TP_NOTIFY_FAILED", what, {
    fix: `check what answers at \`notify.${key}\` of task-phase.yaml; the verdict is valid, and STATE.md shows it`,
  });
  return { sent: false, host, findings: [...plain, failed] };
}

function triesOf(tries: number): string {
  return tries === 1 ? "" : `, ${tries} tries`;
}

function plainFinding(host: string): Finding {
  return warningFinding("TP_NOTIFY_PLAIN", `\`notify.webhook\` sends to ${host} without encryption`, {
    fix: "write https:// in `notify.webhook` of task-phase.yaml",
  });
}

/** True if what is sent can be read on the way. */
function isPlain({ protocol, hostname }: URL): boolean {
  const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
  return protocol === "http:" && !loopback;
}
