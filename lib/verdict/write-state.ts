import type { TaskEvent } from "../machine/events.ts";
import type { TaskHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import type { FieldKey } from "../machine/state-view.ts";
import type { CommitFile } from "../task/commit-event.ts";
import { accept, type TaskSession } from "../task/session.ts";
import { editState, type FieldEdits, type StateDocument, stateText } from "../task-folder/state.ts";
import { phaseDiagram } from "../templates/phase-diagram.ts";
import { goingOn } from "./stop-status.ts";

/** New values by key; fields that are not named stay. */
type StateValues = FieldEdits & { readonly phase?: Phase };

/** The runner's change of STATE.md, and the event that accepts it. */
export interface StateChange {
  /** ISO 8601, UTC; becomes Last updated. */
  readonly at: string;
  readonly fields: StateValues;
  readonly event: (state: string) => TaskEvent;
  readonly files?: readonly CommitFile[];
  /** The digests of what the file may contain if that is not the last accepted text. */
  readonly over?: readonly string[];
}

/**
 * Writes STATE.md and accepts the event of it: each change outside a verdict is made here. If no value
 * changes, the accepted file stays as it is, Last updated too. Gives STATE.md as it is afterwards.
 */
export function writeState(
  session: TaskSession,
  document: StateDocument,
  { at, fields, event, ...others }: StateChange,
): StateDocument {
  const changes =
    others.over !== undefined ||
    Object.entries(fields).some(([key, value]) => document.view.fields[key as FieldKey] !== value);
  const written = changes ? stamp(document, fields, at) : document;
  const state = stateText(written);
  accept(session, { ...others, event: event(state), state: changes ? state : null });
  return written;
}

/** STATE.md with these values, Last updated and the diagram of its phase. */
export function stamp(document: StateDocument, fields: StateValues, at: string): StateDocument {
  const diagram = phaseDiagram(fields.phase ?? document.view.phase);
  return editState(document, { ...fields, last_updated: at }, { diagram }).document;
}

type GoOnFields = Pick<StateValues, "status" | "blockers">;

/** The values of a task that a person lets go on: the Blockers that the runner wrote at its stop go with the stop. */
export function goOnFields({ stop }: Pick<TaskHistory, "stop">, { view }: StateDocument): GoOnFields {
  const own = stop !== null && view.fields.blockers === stop.blockers;
  return { status: goingOn, ...(own ? { blockers: "none" } : {}) };
}
