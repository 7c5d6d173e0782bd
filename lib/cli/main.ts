import { leasedPassWord } from "../fleet/leased-pass-word.ts";
import { endOrphansWord } from "../process/orphan-guard.ts";
import type { CommandName } from "./command-table.ts";
import { type Io, processIo } from "./io.ts";
import { endWith } from "./program-end.ts";
import { runCli } from "./run-cli.ts";

/** The program. `name` is the command that the called file stands for, null if the first word says it. */
export async function runMain(
  name: CommandName | null,
  argv: readonly string[] = process.argv.slice(2),
  io: Io = processIo(),
): Promise<void> {
  if (name === null && argv[0] === endOrphansWord) {
    const { endOrphans } = await import("./end-orphans.ts");
    return await endWith(() => endOrphans(argv.slice(1)));
  }
  if (name === null && argv[0] === leasedPassWord) {
    const { leasedPass } = await import("./leased-pass.ts");
    return await endWith(() => leasedPass(io));
  }
  await endWith(() => runCli(name, argv, io));
}
