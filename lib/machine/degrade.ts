import { keyOf, type UsedShare } from "./budgets.ts";
import type { DegradeStep } from "./events.ts";
import { degradeSteps } from "./words.ts";

export interface DegradeInput {
  /** The share from which passes are made cheaper; null switches it off. */
  readonly over: number | null;
  readonly shares: readonly UsedShare[];
  /** The steps that are in force. */
  readonly current: readonly DegradeStep[];
  /** A pass was started since they came into force. */
  readonly tried: boolean;
}

export interface Degrading {
  readonly steps: readonly DegradeStep[];
  /** Why, in half a sentence. */
  readonly reason: string;
}

/** Sums of decimal fractions are off by less than this. */
const rounding = 1e-9;

/**
 * How the next pass is made cheaper: one step more than the last as long as a budget is nearly used up, else not at
 * all.
 */
export function chooseSteps({ over, shares, current, tried }: DegradeInput): Degrading {
  if (over === null) return { steps: [], reason: "`degrade` is switched off" };
  const [fullest] = [...shares].sort((one, other) => other.share - one.share);
  if (fullest === undefined || fullest.share < over - rounding)
    return { steps: [], reason: `no budget is ${percent(over)} used any longer` };
  const reason = `\`${keyOf(fullest)}\` of the ${fullest.scope} is ${percent(fullest.share)} used`;
  return { steps: degradeSteps.slice(0, current.length === 0 || tried ? current.length + 1 : current.length), reason };
}

/** Whole per cent, rounded down: 99.9 % is not all of it. */
function percent(share: number): string {
  return `${Math.floor(share * 100 + rounding)} %`;
}
