import type { Attempt } from "../machine/claim.ts";
import type { Engine, Hold } from "./engine/engine.ts";

/**
 * Ends what is held for attempts that are over, as the journal of their task says it: what has a verdict is spent, and
 * what never became a claim is free, if `isFenced` says that it cannot become one any more. What is open stays held,
 * since an agent that is dead may have spent. Gives the number of holds that ended.
 */
export async function settleHolds(
  engine: Engine,
  holds: readonly Hold[],
  attempts: readonly Pick<Attempt, "attempt" | "used">[],
  isFenced: (hold: Hold) => boolean,
): Promise<number> {
  const known = new Map(attempts.map(({ attempt, used }) => [attempt, used]));
  let ended = 0;
  for (const hold of holds) {
    const used = known.get(hold.attempt);
    const isOver = used === undefined ? !hold.alive && isFenced(hold) : used !== null;
    if (isOver && (await engine.settle(hold.attempt, used ?? null))) ended += 1;
  }
  return ended;
}
