import { dirname, join, relative } from "node:path";
import { updateWatch } from "../../checks/watch-repo.ts";
import { holdTask } from "../../pass/recovery/recover.ts";
import { refreshPages } from "../../pass/verdict/write-evidence.ts";
import { goingOn, writeState } from "../../pass/verdict/write-state.ts";
import type { PassRunner } from "../../rules/events.ts";
import { reopenedFields } from "../../rules/runner-fields.ts";
import { makeFolder } from "../../store/folder.ts";
import { findRepo } from "../../task/load-contract.ts";
import { openTask } from "../../task/open-task.ts";
import { unpackPasses } from "../../task/pack-passes.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { placeOf } from "../../task/records/task-place.ts";
import type { Finding } from "../../text/finding.ts";
import { branchName } from "../../text/ref-name.ts";
import { changeOnBranch } from "../run-local.ts";
import { inLandClone, installIn, type Landing, type MergeResult } from "./land-task.ts";

interface SendBack extends Landing {
  /** The name of the task's folder in the tasks root. */
  readonly folder: string;
  readonly result: Extract<MergeResult, { kind: "conflict" | "failed" }>;
  readonly runner: PassRunner;
  readonly configFlag: string | null;
}

/**
 * The task goes back to repair on its branch, on the merge of both, with a ticket for each thing that keeps it from being
 * landed. From then on its work is what it has beyond the target. Throws as `changeOnBranch` and `mergeAndCheck`.
 */
export async function sendBack(
  { work, task, target, folder, result, runner, configFlag }: SendBack,
  ports: PassPorts,
): Promise<readonly Finding[]> {
  const into = branchName(target.ref);
  const merge = { task, into: target };
  const request = { tasksRoot: work.tasksRoot, folder, task: task.id, runner, config: configFlag, merge };
  const words = `done → repair (not landed in ${into})`;
  const { findings } = await changeOnBranch({ ...request, words }, ports, async (taskDir) => {
    const place = placeOf(taskDir);
    await holdTask(place, ports, async (session) => {
      const contract = openTask(place, configFlag, ports);
      unpackPasses(place);
      const at = ports.now().toISOString();
      const from = session.history.phase ?? "done";
      const names = result.tickets.map(({ name }) => name).join(", ");
      const paths = result.kind === "conflict" ? result.paths : [];
      const event = { type: "not_merged", at, from, to: "repair", into, commit: target.commit, paths } as const;
      writeState(session, contract.state, {
        at,
        fields: { phase: "repair", ...reopenedFields, status: goingOn },
        event: (state) => ({ ...event, state, tickets: result.tickets }),
        files: [{ path: "log.txt", text: `${at} ${from} → repair not landed in ${into}: ${names}\n`, append: true }],
      });
      await inLandClone({ work, task, target }, target.commit, ports, async (made) => {
        await installIn(made, taskDir, work, ports);
        const there = join(made.git.top, task.path);
        // The briefs may be in no commit of the target.
        makeFolder(dirname(there));
        const repo = join(there, relative(taskDir, findRepo(place, contract.contract, null, ports)));
        await updateWatch(session, repo, contract.contract, session.history.lastPass, placeOf(there));
      });
      refreshPages(session, contract);
    });
  });
  return findings;
}
