import { findOverBounds, renderOverBounds } from "./bounds.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";

/** With `over: block` a change that is larger than the bounds is rejected, whatever the pass proposes. */
export function withinBounds({ before, change, policy }: GateInput): Gate[] {
  const over = findOverBounds(before.phase, change, policy.bounds);
  if (over === null || policy.bounds.over !== "block") return [];
  const told = renderOverBounds(over);
  return [gate("within_bounds", "The change of the repo is within the bounds of the phase", false, told, told)];
}
