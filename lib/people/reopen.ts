import type { Phase } from "../machine/phases.ts";
import { reopenedFields } from "../machine/runner-fields.ts";
import type { CommitFile } from "../task/commit-event.ts";
import { accept, type TaskSession } from "../task/session.ts";
import { editState, type StateDocument } from "../task-folder/state.ts";
import { phaseDiagram } from "../templates/phase-diagram.ts";
import { goingOn } from "../verdict/stop-status.ts";

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
export function reopenTask(session: TaskSession, document: StateDocument, { from, to, reason, files = [] }: Reopening) {
  const { ports, history } = session;
  const at = ports.now().toISOString();
  const own = history.stop !== null && document.view.fields.blockers === history.stop.blockers;
  const edited = editState(
    document,
    { phase: to, status: goingOn, ...reopenedFields, ...(own ? { blockers: "none" } : {}), last_updated: at },
    { diagram: phaseDiagram(to) },
  );
  const state = edited.bytes.toString("utf8");
  const text = `${at} ${from} → ${to} resumed by a person: ${oneLine(reason)}\n`;
  accept(session, {
    event: { type: "resumed", at, from, to, reason, state },
    state,
    files: [{ path: "log.txt", text, append: true }, ...files],
  });
  return edited.document;
}

/** The task was cancelled while it worked, and continues there. Gives STATE.md as it is afterwards. */
export function liftCancel(session: TaskSession, document: StateDocument, phase: Phase, reason: string): StateDocument {
  const at = session.ports.now().toISOString();
  const text = `${at} ${phase} → ${phase} continued by a person: ${oneLine(reason)}\n`;
  const edited = editState(document, { status: goingOn });
  const state = edited.bytes.toString("utf8");
  accept(session, {
    event: { type: "resumed", at, from: phase, to: phase, reason, state },
    state,
    files: [{ path: "log.txt", text, append: true }],
  });
  return edited.document;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
