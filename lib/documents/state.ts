export { editState, type FieldEdits, writePlain } from "./edit-state.ts";
export { readState, type StateDocument, stateText } from "./read-state.ts";
