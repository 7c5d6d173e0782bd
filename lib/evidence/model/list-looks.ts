import type { TaskHistory } from "../../machine/history.ts";
import { type ManualStanding, standManual } from "../../machine/manual.ts";
import type { VerdictEvent } from "../../machine/verdict-event.ts";

/**
 * The manual scenarios as of the newest verdict on checked code. An answer that came after that verdict, about the
 * same code, counts already.
 */
export function listLooks(
  verdicts: readonly VerdictEvent[],
  { looks }: Pick<TaskHistory, "looks">,
): readonly ManualStanding[] {
  const verdict = verdicts.findLast(({ manual }) => manual !== undefined);
  if (verdict?.manual === undefined) return [];
  const { fingerprint, checks } = verdict;
  return standManual(verdict.manual, looks, fingerprint.present ?? checks?.fingerprint_after ?? fingerprint.after);
}
