import { isDeepStrictEqual } from "node:util";
import { readIfGood, readOptionalFile, taskFiles } from "../../documents/read-task-file.ts";
import { type StateDocument, stateText } from "../../documents/state.ts";
import type { Held } from "../../rules/held.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import { gatherSyncs } from "../../store/folder.ts";
import { editFile } from "../../store/put-file.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { modelEvidence, refreshPages, writeEvidence } from "./write-evidence.ts";
import { goingOn, stamp, statusHeld, writeState } from "./write-state.ts";

/**
 * Writes why no pass begins to where a reader sees it who has nothing but the files: Status, EVIDENCE.md and the page.
 * False if they say it already, or say what matters more: the task is done, stopped or cancelled. A task without a
 * journal gets none by that. Throws TP_DISK.
 */
export function holdBack(session: TaskSession, held: Held, task: Pick<TaskContract, "contract"> | null): boolean {
  const { history, place } = session;
  if (!isWorkingPhase(history.phase ?? "intake") || history.cancelled !== null || history.stop !== null) return false;
  const document = readIfGood(taskFiles.state, place.taskDir)?.document ?? null;
  const status = statusHeld(session, held, document?.view.fields.blockers ?? "");
  if (history.phase === null) return document !== null && writeUnbegun(session, document, held, status, task);
  if (isDeepStrictEqual(history.held, held)) return false;
  const at = session.ports.now().toISOString();
  // An edit of the file is a person's until a run has judged it.
  if (document === null || history.state !== stateText(document))
    accept(session, { event: { type: "held", at, held, state: null }, state: null });
  else writeState(session, document, { at, fields: { status }, event: (state) => ({ type: "held", at, held, state }) });
  if (task === null) writeParts(session, held, task);
  else refreshPages(session, task);
  return true;
}

/** A pass can begin: Status says so before anything of the pass is made. Returns STATE.md afterwards. */
export function letGoOn(session: TaskSession, document: StateDocument): StateDocument {
  const { held, phase } = session.history;
  const isOwn = held !== null || document.view.fields.status.startsWith(refusedMark);
  if (!isOwn || !isWorkingPhase(phase ?? "intake")) return document;
  const at = session.ports.now().toISOString();
  const event = (state: string) => ({ type: "held", at, held: null, state }) as const;
  return writeState(session, document, { at, fields: { status: goingOn }, event });
}

const refusedMark = "refused: ";

function writeUnbegun(
  session: TaskSession,
  document: StateDocument,
  held: Held,
  status: string,
  task: Pick<TaskContract, "contract"> | null,
): boolean {
  const { place, ports } = session;
  const said = document.view.fields.status;
  // Whatever else is there is a person's.
  if (said === status || (said !== "new" && !said.startsWith(refusedMark))) return false;
  const text = stateText(stamp(document, { status }, ports.now().toISOString()));
  const before = stateText(document);
  const read = () => readOptionalFile(place.state);
  editFile(place.state, read, (there) => (there?.toString() === before ? text : (there ?? text)));
  writeParts(session, held, task);
  return true;
}

/** With what is known of a brief that cannot be read, too. */
function writeParts(session: TaskSession, held: Held, task: Pick<TaskContract, "contract"> | null): void {
  const { place } = session;
  const read = task?.contract ?? readIfGood(taskFiles.brief, place.taskDir)?.contract;
  const { id, title, userFacing } = read ?? { id: place.name, title: "", userFacing: false };
  const syncs = gatherSyncs();
  writeEvidence(session, modelEvidence(session, { id, title, userFacing }, null, { held }), syncs);
  syncs.sync();
}
