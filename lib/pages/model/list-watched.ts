import type { TaskEvent } from "../../rules/events.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { needsAnswer, type WatchedChange, type WatchedDigest } from "../../rules/watched.ts";

/**
 * The answer to a change. `open`: nothing yet; `allowed`: the brief accepts it beforehand; `shown`: no person is asked.
 */
type WatchedStanding = "open" | "refused" | "accepted" | "allowed" | "shown";

export interface WatchedRow extends WatchedChange {
  readonly standing: WatchedStanding;
  /**
   * A check can pass because of it, and running did not settle that it does not. If it is `shown` all the same, the
   * brief says so.
   */
  readonly hides: boolean;
}

const order: readonly WatchedStanding[] = ["open", "refused", "accepted", "allowed", "shown"];

/**
 * What differs from pass 1, by the newest verdict that compared: unaccepted changes first. An answer that came after
 * that verdict counts already.
 */
export function listWatched(events: readonly TaskEvent[], { watchAnswers }: Pick<TaskHistory, "watchAnswers">) {
  const { accepted, refused } = watchAnswers;
  const verdict = events.findLast((event) => event.type === "verdict" && event.watched !== null);
  if (verdict?.type !== "verdict") return { rows: [], seen: null };
  const base = events.findLast((event) => event.type === "watched");
  // How many things are watched is null if the journal does not say.
  const seen = { pass: verdict.pass, at: verdict.at, count: base?.count ?? null };
  const [yes, no] = [keysOf(accepted), keysOf(refused)];
  const unanswered = verdict.tests_changed === "show" ? "shown" : "open";
  const rows = (verdict.watched ?? []).map((change): WatchedRow => {
    if (!needsAnswer(change, verdict.matrix)) return { ...change, standing: "shown", hides: false };
    const key = keyOf(change);
    const before = change.answer_by === "brief" ? "allowed" : change.answer;
    const said = yes.has(key) ? "accepted" : no.has(key) ? "refused" : before;
    return { ...change, standing: said ?? unanswered, hides: true };
  });
  const sorted = order.flatMap((standing) => rows.filter((row) => row.standing === standing));
  // A change that could hide nothing is always shown, and so is last.
  return { rows: [...sorted.filter(({ hides }) => hides), ...sorted.filter(({ hides }) => !hides)], seen };
}

function keysOf(digests: readonly WatchedDigest[]): Set<string> {
  return new Set(digests.map(keyOf));
}

function keyOf({ name, digest }: WatchedDigest): string {
  return JSON.stringify([name, digest]);
}
