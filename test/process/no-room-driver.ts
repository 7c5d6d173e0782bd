import { closeSync, openSync } from "node:fs";
import { runBounded } from "../../lib/process/bounded.ts";
import { guardOrphans } from "../../lib/process/orphan-guard.ts";
import { runTool } from "../../lib/process/run-tool.ts";
import { talkToTool } from "../../lib/process/talk-to-tool.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { boundedSpec } from "./arrange.ts";

/**
 * Starts programs in each way with 0 to 24 free descriptors left, and prints what was said each time. To be run with few
 * allowed.
 */
const folder = process.argv[2] ?? "";
const said: string[] = [];
const tools: string[] = [];
const tool = {
  argv: ["cat"],
  cwd: "/",
  env: { PATH: process.env.PATH ?? "" },
  timeoutMs: 60_000,
  maxBytes: 100,
} as const;

async function useTools(): Promise<void> {
  const { exitCode, said: why } = await runTool(tool);
  tools.push(`ran ${exitCode ?? why}`);
  const talk = talkToTool(tool, ({ said: words }) => new Error(words));
  const answer = talk.ask("word\n", (reader) => reader.line());
  tools.push(`talked ${await answer.catch(({ message }: Error) => message)}`);
  talk.close();
  try {
    guardOrphans(["true"], tool.env).release();
  } catch (error) {
    // It looks into /proc first.
    if (!(error instanceof TaskPhaseError)) throw error;
  }
}

await useTools();
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
  await useTools();
  for (const descriptor of held) closeSync(descriptor);
  said.push(one);
}
process.stdout.write(JSON.stringify({ said, tools }));
