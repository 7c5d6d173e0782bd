import { manualAt } from "./facts-at-verdict.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { openLooks, refusedLooks, renderLook } from "./manual.ts";

/** No person said no to a manual scenario on exactly this code; if one did, it goes to repair. */
export function manualNotRefused(input: GateInput): Gate[] {
  const refused = refusedLooks(manualAt(input, input.policy));
  if (input.policy.manual.length === 0) return [];
  const told = refused.map(({ name, answer }) => `${name}: ${answer?.said ?? ""}`).join("; ");
  return [
    {
      ...gate(
        "manual_refused",
        "No manual scenario was refused by a person on this code",
        refused.length === 0,
        refused.length === 0 ? "none" : told,
        `a person looked and said no: ${told}`,
      ),
      onFailure: "redirect",
    },
  ];
}

/** A person said yes to every manual scenario on exactly this code; if nobody has answered yet, one is asked. */
export function manualAnswered(input: GateInput): Gate[] {
  if (input.policy.manual.length === 0) return [];
  const open = openLooks(manualAt(input, input.policy));
  const told = open.map(renderLook).join("; ");
  return [
    {
      ...gate(
        "manual_open",
        "A person looked at every manual scenario on this code",
        open.length === 0,
        open.length === 0 ? "no question is open" : `nobody has looked yet at ${told}`,
        `a person has to look before done: ${told}`,
      ),
      onFailure: "ask",
    },
  ];
}
