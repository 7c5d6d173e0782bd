import type { TaskEvent } from "../../lib/rules/events.ts";
import { passStarted, verdictEvent } from "../rules/arrange.ts";

/**
 * An event by a short name: `adopted`, or one letter, the pass, and after a colon the attempt. `C`: claimed ahead; `S`: the
 * pass started; `V`: accepted; `I`: interrupted; `R`: released. Events of claims also have the hour of the clock, as
 * `S1@0:m0.1`.
 */
export type EventKey = string;

export const epoch = Date.parse("2026-01-02T03:00:00.000Z");
export const claimMs = 600_000;
export const hourMs = 3_600_000;

const known = new Map<EventKey, TaskEvent>();

/** A key in its parts. */
export function partsOf(key: EventKey): { readonly letter: string; readonly pass: number; readonly attempt: string } {
  const [, letter = "", pass = "0", attempt = ""] = /^([A-Z])(\d+)(?:@\d+)?:(.*)$/.exec(key) ?? [];
  return { letter, pass: Number(pass), attempt };
}

/** Accepted passes that end the task. */
const wanted = 2;

export function isOver(keys: readonly EventKey[]): boolean {
  return keys.filter((key) => partsOf(key).letter === "V").length >= wanted;
}

export function eventOf(key: EventKey): TaskEvent {
  const found = known.get(key) ?? makeEvent(key);
  known.set(key, found);
  return found;
}

function makeEvent(key: EventKey): TaskEvent {
  const at = new Date(epoch).toISOString();
  const moved = { state: "", contract: "0".repeat(64) };
  if (key === "adopted") {
    return { type: "adopted", at, phase: "implement", state: "", contract_sha256: moved.contract };
  }
  const [, letter = "", pass = "", hour = "0", attempt = ""] = /^([A-Z])(\d+)(?:@(\d+))?:(.*)$/.exec(key) ?? [];
  const runner = { worker: attempt, host: null, attempt, task_phase: "0", node: "0" };
  const number = Number(pass);
  const now = new Date(epoch + Number(hour) * hourMs).toISOString();
  switch (letter) {
    case "S":
      return passStarted(number, { at: now, timeout_ms: claimMs, runner });
    case "V":
      return verdictEvent("implement", "implement", moved, { pass: number, reason: attempt });
    case "I": {
      const end = { kind: "interrupted", cause: "cut_off", reason: "" } as const;
      return verdictEvent("implement", "implement", moved, {
        pass: number,
        verdict: "interrupted",
        end,
        reason: attempt,
      });
    }
    case "R":
      return { type: "released", at: now, pass: number };
    case "C":
      return {
        ...{ type: "claimed", at: now, pass: number, phase: "implement", model: "mine", estimate_usd: null },
        ...{ reviewers: 1, timeout_ms: claimMs, runner },
      };
    default:
      throw new Error(`no event is named ${key}`);
  }
}
