import { exitCodes } from "../text/exit-codes.ts";

/** Sets `process.exitCode` to the result of `work`; process.exit would cut piped output. */
export async function endWith(work: () => Promise<number>): Promise<void> {
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
  const code = await work();
  process.exitCode = lost === null ? code : exitCodes.failure;
}
