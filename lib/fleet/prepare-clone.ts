import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkEnvironment } from "../checks/runs/environment.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { someOf } from "../git/swap-ref.ts";
import { createMark, markVariable } from "../process/mark.ts";
import { runTool } from "../process/run-tool.ts";
import { statEntry } from "../store/folder.ts";
import { endingOrphans } from "../task/guard/end-orphans.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { configError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { quoteWord } from "../text/shell-words.ts";
import { shorten } from "../text/shorten.ts";
import { stoppedError } from "./clone.ts";

/** What a person has in their working tree of submodules, and a clone has not: checks fail there for another reason. */
export async function findMissingSubmodules(
  tree: GitPlace,
  clone: GitPlace,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  if (statEntry(join(clone.top, ".gitmodules")) === null) return [];
  const { stdout } = await runGit(clone, ["ls-files", "-s", "-z"], { env });
  const paths = splitNul(stdout).flatMap((line) => /^160000 [^\t]*\t(.+)$/s.exec(String(line))?.[1] ?? []);
  const isEmpty = (folder: string) => statEntry(folder)?.isDirectory() !== true || readdirSync(folder).length === 0;
  const missing = paths.filter((path) => isEmpty(join(clone.top, path)) && !isEmpty(join(tree.top, path)));
  if (missing.length === 0) return [];
  const what = missing.length === 1 ? "the submodule" : "the submodules";
  const message = `${what} ${someOf(missing)} of your working tree ${missing.length === 1 ? "is" : "are"} empty in the clone of the task`;
  const fix = "in task-phase.yaml: fleet: { prepare: [[git, submodule, update, --init]] }";
  return [warningFinding("TP_SUBMODULE", message, { fix })];
}

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
  // In the clone's own repository, which goes with it.
  const folder = join(cwd, ".git");
  const mark = createMark(folder);
  const env = { ...checkEnvironment(ports.env), [markVariable]: mark.id };
  const bounds = { timeoutMs: longestMs, maxBytes: mostOutput, signal: ports.signal };
  const run = () => runTool({ argv: [program, ...words], cwd, env, ...bounds });
  const end = await endingOrphans(folder, mark, ports.env, run);
  rmSync(mark.keepalivePath, { force: true });
  if (end.exitCode === 0) return;
  if (ports.signal.aborted)
    throw stoppedError(ports.signal, "while the working tree was being prepared; no pass was started");
  const last = ports.redactor.redact(end.said.trim().split("\n").at(-1) ?? "");
  const why = end.exitCode === null ? end.said : `it ended with ${end.exitCode}${last === "" ? "" : `: ${last}`}`;
  const message = `${shown} of fleet.prepare could not prepare the working tree: ${shorten(why, 300)}`;
  throw configError("TP_PREPARE", message, { fix: "run it in a fresh clone by hand; no model was called" });
}
