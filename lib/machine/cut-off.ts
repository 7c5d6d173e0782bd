import type { TaskEvent } from "./events.ts";

/**
 * How many passes in a row, up to the newest, were claimed and never heard of again, since their runner was killed. A
 * person's word about the task begins the count anew.
 */
export function countCutOff(events: readonly TaskEvent[]): number {
  let count = 0;
  let claimed: string | null = null;
  for (const event of events) {
    switch (event.type) {
      case "claimed":
      case "pass_started":
        if (claimed !== null && claimed !== event.runner?.attempt) count += 1;
        claimed = event.type === "claimed" ? event.runner.attempt : null;
        break;
      case "verdict":
        count = event.end.kind === "interrupted" && event.end.cause === "cut_off" ? count + 1 : 0;
        break;
      case "released":
        claimed = null;
        break;
      case "brief_changed":
      case "state_edited":
      case "resumed":
      case "answered":
      case "controlled":
        count = 0;
        break;
      default:
    }
  }
  return claimed === null ? count : count + 1;
}
