import { configCandidates } from "../documents/config/find-config.ts";
import type { Question } from "../documents/decisions.ts";
import type { AgentEvidence } from "../documents/evidence-file.ts";
import { findLostState } from "../documents/lost-state.ts";
import { readTaskFile, taskFiles } from "../documents/read-task-file.ts";
import type { StateDocument } from "../documents/state.ts";
import type { ListedItem } from "../rules/state-view.ts";
import { createStatCache } from "../store/cache-file.ts";
import { recallTrees } from "./known-trees.ts";
import { loadContract, reviewPolicy, type TaskContract } from "./load-contract.ts";
import { requireOwnFolders } from "./own-folders.ts";
import { anchorFolder, refuseInside, waitsForRecovery } from "./records/anchor.ts";
import type { PassPorts } from "./records/ports.ts";
import { emptyJournal, readTaskJournal, type TaskJournal } from "./records/task-journal.ts";
import { stands, type TaskPlace } from "./records/task-place.ts";

/** Everything that a pass reads of its task before the model works: read once, and handed on. */
export interface OpenTask extends TaskContract {
  readonly state: StateDocument;
  /** The items of TASKS.md. */
  readonly steps: readonly ListedItem[];
  /** Of DECISIONS.md. */
  readonly questions: readonly Question[];
  readonly evidence: AgentEvidence;
  readonly journal: TaskJournal;
}

type OpenPorts = Pick<PassPorts, "env" | "home" | "cwd">;

// A pass opens its task before the locks and under them; what did not change in between is not read again.
const opened = createStatCache<OpenTask>(1);

/** Reads and parses every file of the task. Throws a TaskPhaseError if one of them cannot be read or is wrong. */
export function openTask(place: TaskPlace, configFlag: string | null, ports: OpenPorts): OpenTask {
  return opened(filesOf(place, configFlag, ports), () => readTask(place, configFlag, ports));
}

/** Like `openTask`, but always reads the disk. */
export function readTask(place: TaskPlace, configFlag: string | null, ports: OpenPorts): OpenTask {
  const contract = loadContract(place, configFlag, ports);
  const { taskDir } = place;
  const { document: state } = readTaskFile(taskFiles.state, taskDir);
  requireOwnFolders(place);
  const journal = readTaskJournal(place.journal) ?? emptyJournal;
  const { policy, wish } = contract;
  return {
    ...contract,
    policy: { ...policy, ...reviewPolicy(contract.contract, wish, changedPaths(journal)) },
    state,
    steps: readTaskFile(taskFiles.steps, taskDir).items,
    questions: readTaskFile(taskFiles.decisions, taskDir).questions,
    evidence: readTaskFile(taskFiles.evidence, taskDir),
    journal,
  };
}

function changedPaths({ events }: TaskJournal): string[] {
  return [
    ...new Set(
      events.flatMap((event) => (event.type === "verdict" ? event.changed_paths : [])).map(({ path }) => path),
    ),
  ];
}

/** Every path that `readTask` depends on. */
export function filesOf(place: TaskPlace, configFlag: string | null, { env, home, cwd }: OpenPorts): string[] {
  const { readme, state, steps, decisions, evidence, artifacts, passes, journal } = place;
  const configs = configCandidates({ configFlag, env, home, cwd, taskDir: place.taskDir });
  return [readme, state, steps, decisions, evidence, artifacts, passes, journal, ...configs];
}

/**
 * Opens the task before the first lock file is made, so that bad input leaves nothing behind; it is opened again under
 * the locks. Null if a pass is running or was cut off, whose files may be anything before they are recovered, and if only
 * STATE.md is lost, which PREP puts back.
 */
export function openBeforeLocking(place: TaskPlace, configFlag: string | null, ports: PassPorts): OpenTask | null {
  refuseInside(anchorFolder(place.taskDir, ports), place.tasksRoot, "the tasks root");
  recallTrees(place, ports);
  if (waitsForRecovery(place, ports)) return null;
  try {
    return openTask(place, configFlag, ports);
  } catch (error) {
    if (stands(place.journal) && findLostState(place.taskDir) !== null) return null;
    throw error;
  }
}
