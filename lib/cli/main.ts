import { exitCodes } from "../report/exit-codes.ts";
import type { CommandName } from "./command-table.ts";
import { type Io, processIo } from "./io.ts";
import { runCli } from "./run-cli.ts";

/**
 * The program. `name` is the command that the called file stands for, null if the first word says it. Sets
 * `process.exitCode` and nothing else: process.exit would cut what is still on its way into a pipe.
 */
export async function runMain(
  name: CommandName | null,
  argv: readonly string[] = process.argv.slice(2),
  io: Io = processIo(),
): Promise<void> {
  // Stands until the end is known: a promise that never settles must not end as a success.
  process.exitCode = exitCodes.failure;
  let lost: NodeJS.ErrnoException | null = null;
  // A reader that has gone (| head) is not a failure; a disk that is full is one.
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    lost = error;
    process.exitCode = exitCodes.failure;
  };
  process.stdout.on("error", onError);
  process.stderr.on("error", onError);
  const code = await runCli(name, argv, io);
  process.exitCode = lost === null ? code : exitCodes.failure;
}
