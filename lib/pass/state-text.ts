import type { StateDocument } from "../task-folder/state.ts";

/** The whole text of a STATE.md, its byte-order mark included: what the journal keeps. */
export function stateText(document: StateDocument): string {
  return document.bom ? `\ufeff${document.text}` : document.text;
}
