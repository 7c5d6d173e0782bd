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
  await endWith(() => runCli(name, argv, io));
}
