import { nameSome } from "../../text/shorten.ts";
import type { PassRow } from "../model/passes.ts";
import { words } from "./format.ts";

/** So many names of checks tell the story. */
const namedChecks = 5;

/** What happened in a pass, for a line that begins with its number. */
export function renderPassStory(row: PassRow): string {
  const end = row.escalation === null ? "" : `; the runner stopped the task: ${words(row.escalation)}`;
  return `${renderVerdict(row)}${end}`;
}

function renderVerdict({ verdict, model, from, proposed, to, reason, made, failed }: PassRow): string {
  const asked = proposed === null || proposed === from ? null : words(proposed);
  const who = model === null ? "the runner tried" : "the agent asked for";
  const told = failed.length === 0 ? reason : `${nameSome(failed, namedChecks)} failed`;
  switch (verdict) {
    case "accepted":
      return [move(from, to), to === "done" ? reason.replace(/^Done\. /, "") : made.join(", ")]
        .filter((part) => part !== "")
        .join(": ");
    case "redirected":
      return `${who} ${asked ?? words(from)}; ${told}, the task went to ${words(to)}`;
    case "rejected":
      return asked === null ? `rejected: ${reason}` : `${who} ${asked}; rejected: ${reason}`;
    case "no_progress":
      return `nothing that counts changed: ${reason}`;
    case "unavailable":
      return `no model did the work: ${reason}`;
    default:
      return reason;
  }
}

/** For example `implement → verify`, or the one phase if the pass stayed in it. */
export function move(from: string, to: string): string {
  return from === to ? words(from) : `${words(from)} → ${words(to)}`;
}
