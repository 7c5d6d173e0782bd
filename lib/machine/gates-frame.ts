import { type Gate, type GateInput, gate } from "./gate.ts";
import { type FieldKey, isFilled, stateFields } from "./state-view.ts";

/** What intake has to say. */
export function frameFilled(input: GateInput): Gate[] {
  const frame: readonly FieldKey[] = ["objective", "done_gate", "not_doing", "reality_constraints"];
  return frame.map((key) => filled(key, input));
}

export function filled(key: FieldKey, input: GateInput): Gate {
  const label = stateFields.find((field) => field.key === key)?.label ?? key;
  const ok = isFilled(key, input.state.fields[key]);
  const empty = `${label} is empty or a placeholder; state it in one line`;
  return gate(`${key}_filled`, `${label} is filled`, ok, ok ? "filled" : empty, empty);
}
