import type { StateView } from "../rules/state-view.ts";
import { plainPhase } from "./plain-phase.ts";
import { readState } from "./read-state.ts";

/** Each text is read twice in a row: after one event and before the next. */
let newest: { readonly text: string; readonly view: StateView | null } | null = null;

/** The STATE.md that an event of a journal accepted, as `judgeEvent` asks for it; null if it cannot be read. */
export function readAccepted(text: string): StateView | null {
  if (newest?.text === text) return newest.view;
  const read = readState(Buffer.from(text), "STATE.md");
  newest = { text, view: read.kind === "state" ? read.document.view : null };
  return newest.view;
}

/** Its phase alone, which most texts show without being parsed. */
export function readAcceptedPhase(text: string): StateView["phase"] | null {
  return plainPhase(text) ?? readAccepted(text)?.phase ?? null;
}
