import { closeSync } from "node:fs";
import { isatty } from "node:tty";
import { exitCodes } from "../text/exit-codes.ts";

/** Sets `process.exitCode` to the result of `work`; process.exit would cut piped output. */
export async function endWith(work: () => Promise<number>): Promise<void> {
  // Stands until the end is known: a promise that never settles must not end as a success.
  process.exitCode = exitCodes.failure;
  let lost: NodeJS.ErrnoException | null = null;
  const terminals = [0, 1, 2].filter(isatty);
  const listHungUp = () => terminals.filter((descriptor) => !isatty(descriptor));
  // Node aborts at its end where it cannot put back the mode of a terminal that hung up.
  process.once("exit", () => listHungUp().forEach(closeSync));
  // A reader that has gone (| head, a window that was closed) is not a failure; a disk that is full is one.
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || (error.code === "EIO" && listHungUp().length > 0)) return;
    process.exitCode = exitCodes.failure;
    const isFirst = lost === null;
    lost = error;
    if (isFirst) process.stderr.write(`error: the output could not be written: ${error.message} [TP_DISK]\n`);
  };
  process.stdout.on("error", onError);
  process.stderr.on("error", onError);
  const code = await work();
  process.exitCode = lost === null ? code : exitCodes.failure;
}
