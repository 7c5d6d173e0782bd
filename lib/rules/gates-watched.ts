import { manualAt } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { nameFailed } from "./gates-matrix.ts";
import { openManual, refusedManual, renderManual } from "./manual.ts";
import { cellHolds, type MatrixFacts } from "./matrix.ts";
import { openChanges, refusedChanges, renderWatched, type WatchedChange } from "./watched.ts";

const mostShown = 12;
const longest = 160;

/** Unanswered changes ask a person; refused ones go to repair. No gate with `tests_changed: show`. */
export function watchedClosed({ watched, policy, matrix }: GateInput): Gate[] {
  if (watched === null || policy.tests_changed !== "block") return [];
  const open = openChanges(watched, matrix);
  const refused = refusedChanges(watched, matrix);
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
    gate(
      "watched_open",
      "Tests and checks are those of pass 1, those of pass 1 still pass, or a person accepted the changes",
      open.length === 0,
      open.length === 0 ? "nothing is open" : list(open),
      `tests or checks changed since pass 1: ${list(open)}${oldChecksFailed(matrix)}`,
    ),
  ];
}

/** The checks of pass 1 on the current work are the reason to ask, so name their log. */
function oldChecksFailed(matrix: MatrixFacts | null): string {
  const oldChecks = matrix?.old_checks ?? null;
  if (oldChecks === null && typeof matrix?.no_old_checks === "string") {
    // If the copy lacks something, name the key that adds it; then no person has to answer.
    const why = matrix.clean !== null && !cellHolds(matrix.clean) ? matrix.calibration.reason : null;
    return `; those of pass 1 have judged nothing: ${matrix.no_old_checks}${why === null ? "" : ` (${why})`}`;
  }
  if (oldChecks === null || cellHolds(oldChecks)) return "";
  return `; with the tests and checks of pass 1 this work does not pass: ${nameFailed(oldChecks)}`;
}

/** Also goes into STATE.md and DECISIONS.md: bounded lines, and no name that hides what follows. */
function list(changes: readonly WatchedChange[]): string {
  const shown = changes.slice(0, mostShown).map((change) => oneLine(renderWatched(change)));
  return `${shown.join("; ")}${changes.length > mostShown ? `; and ${changes.length - mostShown} more, see EVIDENCE.md` : ""}`;
}

function oneLine(text: string): string {
  const characters = Array.from(text.slice(0, 2 * longest).replace(/[\s\p{Cc}\p{Cf}]+/gu, " "));
  const kept = characters.length <= longest ? characters : [...characters.slice(0, longest - 1), "…"];
  return kept.join("").replaceAll("<!--", "< !--");
}

/** Counts on exactly this code; a refusal goes to repair. */
export function manualNotRefused(input: GateInput): Gate[] {
  const refused = refusedManual(manualAt(input, input.policy));
  if (input.policy.manual.length === 0) return [];
  const told = refused.map(({ name, answer }) => `${name}: ${answer?.said ?? ""}`).join("; ");
  return [
    {
      ...gate(
        "manual_refused",
        "No manual scenario was refused by a person on this code",
        refused.length === 0,
        refused.length === 0 ? "none" : told,
        `a person looked and said no: ${told}`,
      ),
      onFailure: "redirect",
    },
  ];
}

/** Counts on exactly this code; without an answer a person is asked. */
export function manualAnswered(input: GateInput): Gate[] {
  if (input.policy.manual.length === 0) return [];
  const open = openManual(manualAt(input, input.policy));
  const told = open.map(renderManual).join("; ");
  return [
    gate(
      "manual_open",
      "A person looked at every manual scenario on this code",
      open.length === 0,
      open.length === 0 ? "no question is open" : `nobody has looked yet at ${told}`,
      `a person has to look before done: ${told}`,
    ),
  ];
}
