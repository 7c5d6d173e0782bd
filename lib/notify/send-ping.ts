import type { NotifyConfig } from "../documents/config/config-schema.ts";
import { signalExits } from "../rules/exits.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { deliver, type NotifyPorts, nothingToTell, type Told, toldOf, userAgent } from "./deliver.ts";

/** The message to the monitor of a cron job: the call worked, a person must repair it, or none. */
export type PingOutcome = "success" | "fail" | "none";

const repairs: readonly ExitName[] = ["failure", "usage", "data", "config"];
const silent: readonly ExitName[] = ["locked", ...Object.values(signalExits)];

/**
 * The monitor watches that cron still calls task-phase and that the calls work, not the state of the tasks: a blocked
 * task is not a broken cron job, and STATE.md and the webhook tell of it. A second start beside a running one, and one
 * that was stopped by a signal, say nothing: the one that works will.
 */
export function pingOutcome(exitName: ExitName): PingOutcome {
  if (repairs.includes(exitName)) return "fail";
  return silent.includes(exitName) ? "none" : "success";
}

/**
 * Calls the monitor with a GET: its URL, or the same with `/fail` at the end of the path, as Healthchecks and Better
 * Stack have it. Bounded and retried like the webhook.
 */
export async function sendPing(target: NotifyConfig, outcome: PingOutcome, ports: NotifyPorts): Promise<Told> {
  if (target.pingUrl === null || outcome === "none") return nothingToTell;
  const url = new URL(target.pingUrl);
  if (outcome === "fail") url.pathname = `${url.pathname.replace(/\/+$/, "")}/fail`;
  const headers = { "user-agent": userAgent(ports) };
  return toldOf("ping", url, await deliver(() => ({ url, method: "GET", headers, body: null }), ports));
}
