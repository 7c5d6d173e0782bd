import { setTimeout as sleep } from "node:timers/promises";
import type { PassPorts } from "../anchor/ports.ts";

/** Waits so many milliseconds. False: it would last beyond that time, or a signal came, and nothing is to be tried again. */
export type WaitUntil = (ms: number, until: Date) => Promise<boolean>;

export function waitUntil({ signal, now }: Pick<PassPorts, "signal" | "now">): WaitUntil {
  return async (ms, until) => {
    if (signal.aborted || now().getTime() + ms > until.getTime()) return false;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  };
}
