import type { TaskEvent } from "../../rules/events.ts";
import { mayHaveCost } from "../../rules/spend.ts";

export interface TokenSum {
  /** Input and output, as far as they are known; null if nothing reported any. */
  readonly tokens: number | null;
  /** Number of calls of a model with no reported tokens. */
  readonly unknownTokens: number;
}

/** Nothing used is something else than nothing said, and a sum of some calls is not that of all. */
export function sumTokens(events: readonly TaskEvent[]): TokenSum {
  const calls = events.flatMap((event) => (event.type === "verdict" || event.type === "reviewed" ? [event] : []));
  const known = calls.flatMap(({ tokens: { input, output } }) =>
    input === null && output === null ? [] : [(input ?? 0) + (output ?? 0)],
  );
  const silent = calls.filter(({ tokens }) => tokens.input === null && tokens.output === null);
  return {
    tokens: known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0),
    unknownTokens: silent.filter(({ end }) => mayHaveCost(end)).length,
  };
}
