import { type Finding, warningFinding } from "../text/finding.ts";
import { escapeForTerminal } from "../text/shorten.ts";
import { waitFor } from "../text/wait-for.ts";
import { type Call, tryOnce } from "./try-once.ts";

export type Delivery =
  | { readonly kind: "taken"; readonly tries: number }
  /** `problem` is the middle of a sentence that begins with the host. */
  | { readonly kind: "failed"; readonly problem: string; readonly tries: number }
  /** The signal was aborted before the request was taken. */
  | { readonly kind: "stopped" };

const defaultTryMs = 5_000;
/** Before the second and the third try, which is the last. */
const waitsMs: readonly number[] = [500, 2_000];
/** All waits together, also those that a server asks for: with 3 tries of 5 seconds all ends within 20. */
const mostWaitingMs = 5_000;

/**
 * Tries until the request is taken, at most three times. `makeCall` is asked again for each try, as what is signed
 * holds the time. Never throws for what a network or a server does.
 */
export async function deliver(makeCall: () => Call, ports: NotifyPorts): Promise<Delivery> {
  const { signal, sleep = waitFor, tryMs = defaultTryMs } = ports;
  let waited = 0;
  for (let tries = 1; !signal.aborted; tries += 1) {
    const end = await tryOnce(makeCall(), tryMs, signal);
    if (end.kind === "taken") return { kind: "taken", tries };
    if (signal.aborted) break;
    const wait = end.kind === "final" ? null : waitBefore(tries, end.retryAfter, ports.now());
    if (wait === null || waited + wait > mostWaitingMs) return { kind: "failed", problem: end.problem, tries };
    await sleep(wait, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    waited += wait;
  }
  return { kind: "stopped" };
}

/** Null after the last try. A server that asks for more time than there is gets what there is, once. */
function waitBefore(tries: number, retryAfter: string | null, now: Date): number | null {
  const usual = waitsMs[tries - 1];
  if (usual === undefined) return null;
  return Math.min(readRetryAfter(retryAfter, now) ?? usual, mostWaitingMs);
}

/** Milliseconds from now on of `120` (seconds) or an HTTP date (RFC 9110, 10.2.3); null if it says nothing. */
function readRetryAfter(value: string | null, now: Date): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

/** Everything of the outside world that a notification is given rather than takes. */
export interface NotifyPorts {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  /** Aborted if the whole call is to stop: what is being sent is given up at once. */
  readonly signal: AbortSignal;
  /** Version of task-phase, for the user-agent. */
  readonly version: string;
  /** Ends after so many milliseconds, or as soon as the signal is aborted; timers of Node without it. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** How long one try may take; 5 seconds. */
  readonly tryMs?: number;
}

export const userAgent = (ports: NotifyPorts): string => `task-phase/${ports.version}`;

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
  const open = warningFinding("TP_NOTIFY_PLAIN", `\`notify.webhook\` sends to ${host} without encryption`, {
    fix: "write https:// in `notify.webhook` of task-phase.yaml",
  });
  const plain = key === "webhook" && isPlain(url) ? [open] : [];
  if (delivery.kind === "taken") return { sent: true, host, findings: plain };
  const what =
    delivery.kind === "stopped"
      ? `the ${key} to ${host} was not sent: the call was stopped`
      : `the ${key} was not delivered: ${host} ${delivery.problem}${delivery.tries === 1 ? "" : `, ${delivery.tries} tries`}`;
  const failed = warningFinding("TP_NOTIFY_FAILED", what, {
    fix: `check what answers at \`notify.${key}\` of task-phase.yaml; the verdict is valid, and STATE.md shows it`,
  });
  return { sent: false, host, findings: [...plain, failed] };
}

/** True if what is sent can be read on the way. */
function isPlain({ protocol, hostname }: URL): boolean {
  const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
  return protocol === "http:" && !loopback;
}
