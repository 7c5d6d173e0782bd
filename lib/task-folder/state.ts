export { type EditedState, type EditOptions, editState, type FieldEdits } from "./edit-state.ts";
export { readState, type StateDocument, type StateRead } from "./read-state.ts";
export { writePlain } from "./write-plain.ts";
