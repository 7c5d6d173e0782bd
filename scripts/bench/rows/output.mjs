import { measureRounds } from "../series.mjs";
import { makeWorld, walkTo } from "../worlds.mjs";
import { passArgv } from "./pass.mjs";
import { peakRow } from "./row.mjs";

/** The memory of a pass whose agent prints 300 MB. */
export function measureOutput({ folder }) {
  const world = makeWorld(folder);
  walkTo(world, "verify");
  const loud = { argv: passArgv(world, "loud"), cwd: folder, env: world.env, rss: true };
  return [peakRow("output.rss", "a pass with 300 MB of agent output: memory", measureRounds({ loud }, { n: 1 }).loud)];
}
