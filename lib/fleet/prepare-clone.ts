import { checkEnvironment } from "../checks/runs/environment.ts";
import { runTool } from "../process/run-tool.ts";
import { exitOfAbort } from "../rules/exits.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { configError, TaskPhaseError } from "../text/errors.ts";
import { errorFinding } from "../text/finding.ts";
import { quoteWord } from "../text/shell-words.ts";
import { shorten } from "../text/shorten.ts";

/** As long as the slowest installation of dependencies is expected to take. */
const longestMs = 30 * 60_000;
const mostOutput = 64 * 1024 * 1024;

/** Runs a command of `fleet.prepare` in a new working tree. A config error if it fails, before a model is called. */
export async function prepareClone(
  [program = "", ...words]: readonly string[],
  cwd: string,
  ports: PassPorts,
): Promise<void> {
  const shown = shorten([program, ...words].map(quoteWord).join(" "), 120);
  ports.tell("PREP", `preparing the working tree: ${shown}`);
  const env = checkEnvironment(ports.env);
  const bounds = { timeoutMs: longestMs, maxBytes: mostOutput, signal: ports.signal };
  const end = await runTool({ argv: [program, ...words], cwd, env, ...bounds });
  if (end.exitCode === 0) return;
  if (ports.signal.aborted) {
    const message = "stopped by a signal while the working tree was being prepared; no pass was started";
    throw new TaskPhaseError(exitOfAbort(ports.signal), [errorFinding("TP_STOPPED", message)]);
  }
  const last = ports.redactor.redact(end.said.trim().split("\n").at(-1) ?? "");
  const why = end.exitCode === null ? end.said : `it ended with ${end.exitCode}: ${last}`;
  throw configError(
    "TP_PREPARE",
    `${shown} of fleet.prepare could not prepare the working tree: ${shorten(why, 300)}`,
    {
      fix: "run it in a fresh clone by hand; no model was called",
    },
  );
}
