import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { findLostState } from "../../documents/lost-state.ts";
import type { Phase } from "../../rules/phases.ts";
import { makeFolder } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { removeEntry, saveTree } from "../../store/replace-entry.ts";
import { type OpenTask, openTask } from "../../task/open-task.ts";
import { accept, type Stop, stop, type TaskSession } from "../../task/session.ts";
import { sha256 } from "../../text/sha256.ts";

/**
 * Puts the last accepted STATE.md in the place of one that is gone or cannot be read, as after any other edit that is
 * refused. Null if nothing of it is lost, or nothing was accepted yet.
 */
export function refuseLostState(session: TaskSession): Stop | null {
  const { phase, state } = session.history;
  const lost = state === null || phase === null ? null : findLostState(session.place.taskDir);
  if (lost === null || phase === null) return null;
  const { bytes, reason, isReplaced } = lost;
  const refused = putBack(session, bytes, { from: phase, to: phase, reason, isReplaced });
  session.findings.push(...lost.findings);
  return refused;
}

/** The task as it is once a lost STATE.md is put back, and the stop that says so; null if none was lost. */
export function openOrPutBack(session: TaskSession, config: string | null): { refused: Stop | null; task: OpenTask } {
  const { place, ports } = session;
  try {
    return { refused: null, task: openTask(place, config, ports) };
  } catch (error) {
    const refused = refuseLostState(session);
    if (refused === null) throw error;
    return { refused, task: openTask(place, config, ports) };
  }
}

/** The edited bytes, or what has their place, are kept beside the passes, and the accepted ones are restored. */
export function putBack(
  session: TaskSession,
  edited: Buffer | null,
  { isReplaced, ...moved }: { from: Phase; to: Phase; reason: string; isReplaced: boolean },
): Stop {
  const { place, ports, history } = session;
  const kept = join("artifacts", "passes", "refused", `${String(session.journal.seq + 1).padStart(4, "0")}-STATE.md`);
  if (edited !== null) {
    // Byte by byte where it is no UTF-8.
    const coding = isUtf8(edited) ? "utf8" : "latin1";
    session.write(() => {
      makeFolder(join(place.passes, "refused"));
      putFile(join(place.taskDir, kept), Buffer.from(ports.redactor.redact(edited.toString(coding)), coding));
    });
  }
  if (isReplaced) {
    // If the run is killed after this, STATE.md is gone, which the next run mends.
    session.write(() => {
      saveTree(Buffer.from(place.state), join(place.taskDir, kept), ports.redactor);
      removeEntry(Buffer.from(place.state));
    });
  }
  const isKept = edited !== null || isReplaced;
  const at = ports.now().toISOString();
  const event = { type: "edit_refused", at, ...moved, kept: isKept ? kept : null } as const;
  accept(session, { event, state: history.state, over: edited === null ? [] : [sha256(edited)] });
  const where = isKept ? `. ${isReplaced ? "What was there" : "The edited file"} is kept at ${kept}` : "";
  const back = edited === null ? ". The last accepted one is back" : "";
  return stop("rejected", `the hand edit of STATE.md is refused: ${moved.reason}${back}${where}`, moved.from);
}
