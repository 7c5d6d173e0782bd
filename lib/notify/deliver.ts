import type { Call } from "./exchange.ts";
import type { NotifyPorts } from "./ports.ts";
import { tryOnce } from "./try-once.ts";

export type Delivery =
  | { readonly kind: "taken"; readonly tries: number }
  /** `problem` is the middle of a sentence that begins with the host. */
  | { readonly kind: "failed"; readonly problem: string; readonly tries: number }
  /** The signal was aborted before the request was taken. */
  | { readonly kind: "stopped" };

const defaultTryMs = 5_000;
/** After the first and the second try; there is no fourth. */
const waitsMs: readonly number[] = [500, 2_000];
/** Sum of all waits, so that everything ends within 20 seconds: 3 tries of 5 seconds, and this. */
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

/** Ends after so many milliseconds, or as soon as the signal is aborted. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
