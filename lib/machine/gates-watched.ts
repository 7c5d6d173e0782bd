import { type Gate, type GateInput, gate } from "./gate.ts";
import { nameFailed } from "./gates-square.ts";
import { cellHolds, type SquareFacts } from "./square.ts";
import { openChanges, refusedChanges, renderWatched } from "./watched.ts";
import type { WatchedChange } from "./watched-change.ts";

const mostShown = 12;
/** Characters of one change. */
const longest = 160;

/**
 * No change of tests or checks is open. One that nobody answered yet asks a person; one that a person did not
 * accept goes to repair. With `tests_changed: show`, and before anything is watched, there is no such gate.
 */
export function watchedClosed({ watched, policy, square }: GateInput): Gate[] {
  if (watched === null || policy.tests_changed !== "block") return [];
  const open = openChanges(watched, square);
  const refused = refusedChanges(watched, square);
  return [
    {
      ...gate(
        "watched_refused",
        "No change of tests or checks that a person refused is left",
        refused.length === 0,
        refused.length === 0 ? "none" : list(refused),
        `a person did not accept these changes of tests or checks: ${list(refused)}`,
      ),
      onFailure: "redirect",
    },
    {
      ...gate(
        "watched_open",
        "Tests and checks are those of pass 1, those of pass 1 still pass, or a person accepted the changes",
        open.length === 0,
        open.length === 0 ? "nothing is open" : list(open),
        `tests or checks changed since pass 1: ${list(open)}${guardFailed(square)}`,
      ),
      onFailure: "ask",
    },
  ];
}

/** The checks of pass 1 on the current work are the reason to ask, so their log is named. */
function guardFailed(square: SquareFacts | null): string {
  const guard = square?.guard ?? null;
  if (guard === null || cellHolds(guard)) return "";
  return `; with the tests and checks of pass 1 this work does not pass: ${nameFailed(guard)}`;
}

/** Stands in STATE.md and DECISIONS.md too, where a line has its bounds and a name must not hide what follows it. */
function list(changes: readonly WatchedChange[]): string {
  const shown = changes.slice(0, mostShown).map((change) => oneLine(renderWatched(change)));
  return `${shown.join("; ")}${changes.length > mostShown ? `; and ${changes.length - mostShown} more, see EVIDENCE.md` : ""}`;
}

function oneLine(text: string): string {
  const characters = Array.from(text.slice(0, 2 * longest).replace(/[\s\p{Cc}\p{Cf}]+/gu, " "));
  const kept = characters.length <= longest ? characters : [...characters.slice(0, longest - 1), "…"];
  return kept.join("").replaceAll("<!--", "< !--");
}
