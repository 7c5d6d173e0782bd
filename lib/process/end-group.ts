import { setTimeout as sleep } from "node:timers/promises";
import { killForMs } from "../machine/grace.ts";
import { send } from "./send-signal.ts";

const lookEveryMs = 20;

/**
 * Where there is no /proc: ends the process group of a process that was just started in a group of its own. Children
 * that left the group are not reached; `containment()` says so. True if the group is gone.
 */
export async function endGroup(group: number, graceMs: number): Promise<boolean> {
  if (send(-group, "SIGTERM") === "gone") return true;
  send(-group, "SIGCONT");
  if (await isGone(group, graceMs)) return true;
  send(-group, "SIGKILL");
  return isGone(group, killForMs);
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (send(-group, 0) !== "gone") {
    if (performance.now() >= end) return false;
    await sleep(lookEveryMs);
  }
  return true;
}
