import type { TaskEvent } from "../../rules/events.ts";
import { plural } from "../../rules/wording.ts";

/** Events outside a pass: a person's edits, and the runner's own stops. */
export interface EditRow {
  readonly at: string;
  readonly who: "person" | "runner";
  readonly what: string;
  /** `blocked → repair`; empty if the phase did not move. */
  readonly move: string;
  readonly detail: string;
}

/** In the order of the journal. */
export function listEdits(events: readonly TaskEvent[]): EditRow[] {
  return events.flatMap((event) => {
    const row = toEditRow(event);
    return row === null ? [] : [{ at: event.at, ...row }];
  });
}

function toEditRow(event: TaskEvent): Omit<EditRow, "at"> | null {
  const move = "from" in event && event.from !== event.to ? `${event.from} → ${event.to}` : "";
  switch (event.type) {
    case "adopted":
      // As every task begins.
      if (event.phase === "intake") return null;
      return {
        who: "runner",
        what: "Journal begun",
        move,
        detail: `STATE.md was adopted as it was, in ${event.phase}`,
      };
    case "state_edited": {
      const kept = event.overridden.length === 0 ? "" : `; corrected by the runner: ${event.overridden.join(", ")}`;
      return {
        who: "person",
        what: event.reopened ? "Reopened in STATE.md" : "STATE.md edited",
        move,
        detail: `accepted${kept}`,
      };
    }
    case "edit_refused":
      // Its reason names the move.
      return { who: "person", what: "Edit of STATE.md refused by the runner", move: "", detail: event.reason };
    case "brief_changed":
      return { who: "person", what: "Brief changed", move, detail: renderBriefEdit(event) };
    case "watch_answered":
      return {
        who: "person",
        what: `Changes of tests or checks ${event.accepted ? "accepted" : "refused"}`,
        move,
        detail: `${event.question}, ${plural(event.changes.length, "change")}: ${event.changes.map(({ name }) => name).join(", ")}`,
      };
    case "approved":
      return {
        who: "person",
        what: event.approved ? "Frame approved" : "Frame not approved",
        move,
        detail: event.approved ? event.question : `${event.question}: ${event.said}`,
      };
    case "looked":
      return {
        who: "person",
        what: event.holds ? "Looked and said yes" : "Looked and said no",
        move,
        detail: `${event.question}: ${event.scenarios.map(({ name }) => name).join(", ")}${event.holds ? "" : `: ${event.said}`}`,
      };
    case "resumed":
      return { who: "person", what: "Reopened", move, detail: event.reason };
    case "not_merged":
      return {
        who: "runner",
        what: `Not landed in ${event.into}`,
        move,
        detail: event.paths.length > 0 ? event.paths.join(", ") : event.tickets.map(({ name }) => name).join(", "),
      };
    case "answered":
      return { who: "person", what: "Question answered", move, detail: event.questions.join(", ") };
    case "defaulted":
      return {
        who: "runner",
        what: "Safe default taken",
        move,
        detail: event.questions.map(({ id }) => id).join(", "),
      };
    case "environment_answered":
      return {
        who: "person",
        what: event.part_of_task ? "Mending the checks is part of the task" : "Checks were mended",
        move,
        detail: event.question,
      };
    case "advanced":
      return { who: "runner", what: "Moved on without a model", move, detail: "every gate of the move holds" };
    case "escalated":
      return { who: "runner", what: "Stopped by the runner", move, detail: event.blockers };
    default:
      return null;
  }
}

function renderBriefEdit({ keys }: Extract<TaskEvent, { type: "brief_changed" }>): string {
  const what = keys === null || keys.length === 0 ? "" : `${keys.join(", ")}; `;
  return `${what}earlier results of the checks no longer count`;
}
