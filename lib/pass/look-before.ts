import { anchorFolder, refuseInside } from "./anchor.ts";
import { findRepo, loadContract, type TaskContract } from "./load-contract.ts";
import { requireOwnFolders, requireReadable } from "./look.ts";
import type { PassPorts } from "./ports.ts";
import { waitsForRecovery } from "./recover.ts";
import type { PassRequest } from "./request.ts";
import { parseState, readStateBytes } from "./settle-state.ts";
import { readTaskJournal } from "./task-journal.ts";
import type { TaskPlace } from "./task-place.ts";

/**
 * Reads everything once before the first lock file is made, so that bad input leaves nothing behind. All of it is read
 * again under the locks. Where a pass is under way, or was cut off, the files may be anything: the locks, or the
 * recovery, come first then, and null is given back.
 */
export function lookBeforeLocking(place: TaskPlace, configFlag: string | null, ports: PassPorts): TaskContract | null {
  refuseInside(anchorFolder(place.taskDir, ports), place.tasksRoot, "the tasks root");
  if (waitsForRecovery(place, ports)) return null;
  const contract = loadContract(place, configFlag, ports);
  parseState(readStateBytes(place.state), place.state);
  requireOwnFolders(place);
  requireReadable(place);
  readTaskJournal(place.journal);
  return contract;
}

/** The same where the repo is worked on too; gives both, or null as above. */
export function lookBeforeWorking(
  place: TaskPlace,
  request: Pick<PassRequest, "config" | "repo">,
  ports: PassPorts,
): { contract: TaskContract; repo: string } | null {
  const contract = lookBeforeLocking(place, request.config, ports);
  return contract === null ? null : { contract, repo: findRepo(place, contract.contract, request.repo, ports) };
}
