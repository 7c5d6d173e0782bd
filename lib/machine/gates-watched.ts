import type { WatchedChange } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { openChanges, refusedChanges, tellWatched } from "./watched.ts";

const mostShown = 12;
/** Characters of one change. */
const longest = 160;

/**
 * No change of tests or checks stands open. One that nobody answered yet asks a person; one that a person did not
 * accept goes to repair. With `tests_changed: show`, and before anything is watched, there is no such gate.
 */
export function watchedClosed({ watched, policy }: GateInput): Gate[] {
  if (watched === undefined || policy.tests_changed !== "block") return [];
  const open = openChanges(watched);
  const refused = refusedChanges(watched);
  return [
    {
      ...gate(
        "watched_refused",
        "No change of tests or checks stands that a person refused",
        refused.length === 0,
        refused.length === 0 ? "none" : list(refused),
        `a person did not accept these changes of tests or checks: ${list(refused)}`,
      ),
      onFailure: "redirect",
    },
    {
      ...gate(
        "watched_open",
        "Tests and checks are those of pass 1, or a person accepted the changes",
        open.length === 0,
        open.length === 0 ? "nothing stands open" : list(open),
        `tests or checks changed since pass 1: ${list(open)}`,
      ),
      onFailure: "ask",
    },
  ];
}

/** Stands in STATE.md and DECISIONS.md too, where a line has its bounds and a name must not hide what follows it. */
function list(changes: readonly WatchedChange[]): string {
  const shown = changes.slice(0, mostShown).map((change) => oneLine(tellWatched(change)));
  return `${shown.join("; ")}${changes.length > mostShown ? `; and ${changes.length - mostShown} more, see EVIDENCE.md` : ""}`;
}

function oneLine(text: string): string {
  const characters = Array.from(text.slice(0, 2 * longest).replace(/[\s\p{Cc}\p{Cf}]+/gu, " "));
  const kept = characters.length <= longest ? characters : [...characters.slice(0, longest - 1), "…"];
  return kept.join("").replaceAll("<!--", "< !--");
}
