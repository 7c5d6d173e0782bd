import type { Phase } from "../machine/phases.ts";
import { reopenedFields } from "../machine/runner-fields.ts";
import type { CommitFile } from "../task/commit-event.ts";
import type { TaskSession } from "../task/session.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { goingOn, goOnFields, type StateChange, writeState } from "../verdict/write-state.ts";

/** Where a person lets a task continue, and why. */
export interface Reopening {
  readonly from: Phase;
  readonly to: Phase;
  readonly reason: string;
  /** What changes with it besides STATE.md. */
  readonly files?: readonly CommitFile[];
}

/**
 * A person opens a stopped task again: the runner's own Blockers go, and the counters of repairs and retries begin
 * anew. Gives STATE.md as it is afterwards.
 */
export function reopenTask(session: TaskSession, document: StateDocument, reopening: Reopening): StateDocument {
  return writeResumed(session, document, "resumed", reopening, {
    phase: reopening.to,
    ...reopenedFields,
    ...goOnFields(session.history, document),
  });
}

/** The task was cancelled while it worked, and continues there. Gives STATE.md as it is afterwards. */
export function liftCancel(session: TaskSession, document: StateDocument, phase: Phase, reason: string): StateDocument {
  return writeResumed(session, document, "continued", { from: phase, to: phase, reason }, { status: goingOn });
}

function writeResumed(
  session: TaskSession,
  document: StateDocument,
  word: string,
  { from, to, reason, files = [] }: Reopening,
  fields: StateChange["fields"],
): StateDocument {
  const at = session.ports.now().toISOString();
  const text = `${at} ${from} → ${to} ${word} by a person: ${reason.replace(/\s+/g, " ")}\n`;
  return writeState(session, document, {
    at,
    fields,
    event: (state) => ({ type: "resumed", at, from, to, reason, state }),
    files: [{ path: "log.txt", text, append: true }, ...files],
  });
}
