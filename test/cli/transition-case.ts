import type { Phase } from "../../lib/rules/phases.ts";
import { eventsAt, openQuestion, type StateSpec, stateFile } from "./task-states.ts";
import type { Proposal, TaskCase, TaskSpec, TaskWorld } from "./task-world.ts";

/** A task that stands in `from`; a pass that only proposes `to` would pass every gate. */
export function arrange(
  world: TaskWorld,
  name: string,
  from: Phase,
  spec: Partial<TaskSpec> & { before?: Partial<StateSpec> } = {},
): Promise<TaskCase> {
  const { before, ...rest } = spec;
  return world.makeTask(name, {
    state: { phase: from, ...(from === "blocked" ? { fields: { Blockers: "no key" } } : {}), ...before },
    files: from === "needs_user_decision" ? { "DECISIONS.md": openQuestion } : {},
    events: (place) => eventsAt(from, place),
    ...rest,
  });
}

/** The stages of a pass: REPAIR only if it leads there, DONE only at done. */
export function stagesTo(from: Phase, to: Phase): string[] {
  return [
    ...["PLAN", "PREP", "EXEC", "VALIDATE", "DIAGNOSE"],
    ...(to === "repair" && from !== "repair" ? ["REPAIR"] : []),
    "CHECKPOINT",
    ...(to === "done" ? ["DONE"] : []),
  ];
}

/** What the pass leaves behind: every gate of every transition holds, but where the spec says otherwise. */
export function propose(from: Phase, to: Phase, spec: Partial<StateSpec> = {}): Proposal {
  const fields = {
    "Next step": `tried ${from} → ${to}`,
    ...(to === "blocked" ? { Blockers: "no key" } : {}),
    ...spec.fields,
  };
  return {
    task: {
      "STATE.md": stateFile({ phase: to, findings: to === "repair" ? ["the header is missing"] : [], ...spec, fields }),
      ...(to === "needs_user_decision" ? { "DECISIONS.md": openQuestion } : {}),
    },
  };
}
