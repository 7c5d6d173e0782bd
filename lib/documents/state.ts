export { editState, type FieldEdits } from "./edit-state.ts";
export { readState, type StateDocument, stateText } from "./read-state.ts";
export { writePlain } from "./write-plain.ts";
