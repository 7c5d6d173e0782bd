import type { TaskEvent } from "../../rules/events.ts";
import { plural } from "../../rules/wording.ts";

/** Events outside a pass, in the order of the journal: a person's edits, and the runner's own stops. */
export function listEdits(events: readonly TaskEvent[]) {
  return events.flatMap((event) => {
    const words = wordsOf(event);
    if (words === null) return [];
    const [who, what, detail] = words;
    // The reason of a refused edit names its move.
    const moved = event.type !== "edit_refused" && "from" in event && event.from !== event.to;
    return [{ at: event.at, who, what, move: moved ? `${event.from} → ${event.to}` : "", detail }];
  });
}

function wordsOf(event: TaskEvent): [who: "person" | "runner", what: string, detail: string] | null {
  switch (event.type) {
    case "adopted":
      // As every task begins.
      if (event.phase === "intake") return null;
      return ["runner", "Journal begun", `STATE.md was adopted as it was, in ${event.phase}`];
    case "state_edited": {
      const kept = event.overridden.length === 0 ? "" : `; corrected by the runner: ${event.overridden.join(", ")}`;
      return ["person", event.reopened ? "Reopened in STATE.md" : "STATE.md edited", `accepted${kept}`];
    }
    case "edit_refused":
      return ["person", "Edit of STATE.md refused by the runner", event.reason];
    case "brief_changed":
      return ["person", "Brief changed", renderBriefEdit(event)];
    case "watch_answered": {
      const names = event.changes.map(({ name }) => name).join(", ");
      const what = `Changes of tests or checks ${event.accepted ? "accepted" : "refused"}`;
      return ["person", what, `${event.question}, ${plural(event.changes.length, "change")}: ${names}`];
    }
    case "approved":
      return event.approved
        ? ["person", "Frame approved", event.question]
        : ["person", "Frame not approved", `${event.question}: ${event.said}`];
    case "looked": {
      const names = event.scenarios.map(({ name }) => name).join(", ");
      return event.holds
        ? ["person", "Looked and said yes", `${event.question}: ${names}`]
        : ["person", "Looked and said no", `${event.question}: ${names}: ${event.said}`];
    }
    case "resumed":
      return ["person", "Reopened", event.reason];
    case "not_merged": {
      const named = event.paths.length > 0 ? event.paths : event.tickets.map(({ name }) => name);
      return ["runner", `Not landed in ${event.into}`, named.join(", ")];
    }
    case "answered":
      return ["person", "Question answered", event.questions.join(", ")];
    case "defaulted":
      return ["runner", "Safe default taken", event.questions.map(({ id }) => id).join(", ")];
    case "environment_answered":
      return [
        "person",
        event.part_of_task ? "Mending the checks is part of the task" : "Checks were mended",
        event.question,
      ];
    case "advanced":
      return ["runner", "Moved on without a model", "every gate of the move holds"];
    case "escalated":
      return ["runner", "Stopped by the runner", event.blockers];
    default:
      return null;
  }
}

function renderBriefEdit({ keys }: Extract<TaskEvent, { type: "brief_changed" }>): string {
  const what = keys === null || keys.length === 0 ? "" : `${keys.join(", ")}; `;
  return `${what}earlier results of the checks no longer count`;
}
