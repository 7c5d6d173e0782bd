import type { TaskEvent } from "../../rules/events.ts";
import { mayHaveCost } from "../../rules/spend.ts";

/** Nothing used is something else than nothing said, and a sum of some calls is not that of all. */
export function sumTokens(events: readonly TaskEvent[]) {
  const calls = events.flatMap((event) => (event.type === "verdict" || event.type === "reviewed" ? [event] : []));
  const known = calls.flatMap(({ tokens: { input, output } }) =>
    input === null && output === null ? [] : [(input ?? 0) + (output ?? 0)],
  );
  const silent = calls.filter(({ tokens }) => tokens.input === null && tokens.output === null);
  return {
    /** Input and output, as far as they are known; null if nothing reported any. */
    tokens: known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0),
    /** Calls of a model with no reported tokens. */
    unknownTokens: silent.filter(({ end }) => mayHaveCost(end)).length,
  };
}
