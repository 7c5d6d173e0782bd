import { leasedPassWord } from "../fleet/leased-pass-word.ts";
import { leftGraceMs } from "../process/grace.ts";
import { endOrphansWord } from "../process/orphan-guard.ts";
import { endSurvivors } from "../process/survivors.ts";
import { currentMark, readProcess } from "../task/records/records.ts";
import { exitCodes } from "../text/exit-codes.ts";
import type { CommandName } from "./command-table.ts";
import { type Io, processIo } from "./io.ts";
import { endWith } from "./program-end.ts";
import { runCli } from "./run-cli.ts";

/** The program. `name`: the command implied by the executable; null if argv[0] names it. */
export async function runMain(
  name: CommandName | null,
  argv: readonly string[] = process.argv.slice(2),
  io: Io = processIo(),
): Promise<void> {
  if (name === null && argv[0] === endOrphansWord) {
    return await endWith(() => endOrphans(argv.slice(1)));
  }
  if (name === null && argv[0] === leasedPassWord) {
    const { leasedPass } = await import("./leased-pass.ts");
    return await endWith(() => leasedPass(io));
  }
  await endWith(() => runCli(name, argv, io));
}

/**
 * Ends the processes of a pass whose runner was killed. `folder`: the runner's own record of the task. The mark is that
 * of the pass for which the guard was set: by now the next run may have begun another one.
 */
async function endOrphans([folder = "", id = "", keepalivePath = ""]: readonly string[]): Promise<number> {
  const noted = currentMark(folder) === id ? readProcess(folder) : [];
  await endSurvivors({ id, keepalivePath }, noted, leftGraceMs);
  return exitCodes.ok;
}
