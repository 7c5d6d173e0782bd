import { currentMark, readProcess } from "../anchor/records.ts";
import { leftGraceMs } from "../machine/grace.ts";
import { endSurvivors } from "../process/survivors.ts";
import { exitCodes } from "../report/exit-codes.ts";

/**
 * Ends the processes of a pass whose runner was killed. `folder`: the runner's own record of the task. The mark is that
 * of the pass for which the guard was set: by now the next run may have begun another one.
 */
export async function endOrphans([folder = "", id = "", tetherPath = ""]: readonly string[]): Promise<number> {
  const noted = currentMark(folder) === id ? readProcess(folder) : [];
  await endSurvivors({ id, tetherPath }, noted, leftGraceMs);
  return exitCodes.ok;
}
