import { closeSync, openSync } from "node:fs";
import { runBounded } from "../../lib/process/bounded.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { boundedSpec } from "./arrange.ts";

/** Starts a program with 0 to 24 free descriptors left, and prints what was said each time. To be run with few allowed. */
const folder = process.argv[2] ?? "";
const said: string[] = [];
// What is loaded on the first call needs descriptors of its own.
await runBounded(boundedSpec(folder, ["true"]));
for (let free = 0; free <= 24; free += 1) {
  const held: number[] = [];
  const spec = boundedSpec(folder, ["true"]);
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    for (const descriptor of held.splice(0, free)) closeSync(descriptor);
  }
  const one = await runBounded(spec).then(
    ({ kind, exitCode, problem }) => [kind, exitCode, problem].filter((word) => word !== null).join(" "),
    (error: unknown) =>
      error instanceof TaskPhaseError
        ? [error.exitName, error.findings[0]?.code, error.message].join(" ")
        : `thrown: ${String(error)}`,
  );
  for (const descriptor of held) closeSync(descriptor);
  said.push(one);
}
process.stdout.write(JSON.stringify(said));
