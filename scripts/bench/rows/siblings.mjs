import { join } from "node:path";
import { measureRounds } from "../series.mjs";
import { withSiblings } from "./growth.mjs";
import { passVariants } from "./pass.mjs";
import { againstFloor } from "./row.mjs";

/** One pass beside 200 worked tasks against floor2, which does not look at them. */
export function measureSiblings({ folder, n }) {
  const world = withSiblings(folder, 200);
  const { pass, floor2 } = passVariants(world, join(folder, "kept"), { isChecked: true, hasCopy: false });
  const runs = measureRounds({ pass, floor2 }, { n });
  return [againstFloor("siblings.200", "one pass beside 200 worked tasks", runs.pass, "floor2", runs.floor2)];
}
