import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit, splitNul } from "../git/run-git.ts";
import { copyCarried, findCarried } from "../proof/carry.ts";
import { configError, TaskPhaseError } from "../report/errors.ts";
import { carriedByDefault } from "../task-folder/contract-defaults.ts";
import { readTaskFile, taskFiles } from "../task-folder/task-files.ts";
import type { LocalWork } from "./local-work.ts";

/**
 * The dependencies that git ignores, from the working tree into the clone, by the same rule as for a clean copy of the
 * proof. Nothing that is written there reaches the person's own. Throws a config error for one that is too large.
 */
export async function carryDependencies(
  { tree, config }: LocalWork,
  clone: GitPlace,
  treeDir: string,
  ports: Pick<PassPorts, "env" | "signal">,
): Promise<void> {
  const { stdout } = await runGit(clone, ["ls-files", "-z"], { env: ports.env });
  const listed = new Set(splitNul(stdout).map(String));
  for (const folder of findCarried(tree.top, listed, namesOf(treeDir, config))) {
    const target = { repo: tree.top, folder, target: clone.top, listed, pins: null, signal: ports.signal };
    const { problem } = await copyCarried(target);
    if (problem === null) continue;
    throw configError("TP_CARRY", `the dependencies cannot be carried into the clone of the task: ${problem}`, {
      file: join(tree.top, folder),
      fix: "leave it out of proof.carry, and have fleet.prepare make it, such as prepare: [[npm, ci]]",
    });
  }
}

/** Of the brief; one that cannot be read is told of by the pass. */
function namesOf(treeDir: string, { defaults }: LocalWork["config"]): readonly string[] {
  try {
    return readTaskFile(taskFiles.brief, treeDir, defaults).contract.proof.carry;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return carriedByDefault;
  }
}
