import type { TaskCheckout } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { Phase } from "../machine/phases.ts";
import { errorFinding, type Finding } from "../report/finding.ts";
import { startsJournal } from "./resume-command.ts";

/** What keeps a run from a task past intake whose STATE.md was never accepted. */
export function noJournal(place: TaskPlace, phase: Phase, checkout: TaskCheckout | null): Finding {
  return errorFinding("TP_NO_JOURNAL", `STATE.md says ${phase}, but no journal shows that it was ever accepted`, {
    file: place.state,
    fix: startsJournal(place, phase, checkout),
  });
}
