import type { TestContext } from "node:test";
import { decide } from "../../../lib/rules/decide.ts";
import type { Facts, Policy, Proposal } from "../../../lib/rules/facts.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import type { PassRecord } from "../../../lib/rules/shapes/pass-record.ts";
import { clearStaging, openAnchor } from "../../../lib/task/records/anchor.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { type HeldTask, openHeld } from "../../../lib/task/session.ts";
import { eventsAt } from "../../cli/task-states.ts";
import { makeTaskWorld, portsOf, type TaskCase, type TaskSpec } from "../../cli/task-world.ts";
import { before, facts, policy, proposal } from "../../rules/arrange.ts";

export const noon = "2026-11-21T12:00:00.000Z";

export interface Held {
  readonly task: TaskCase;
  readonly session: HeldTask;
}

/** A task in this phase under no lock; no pass was made, and the clock says noon. */
export async function holdTask(t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}): Promise<Held> {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase }, events: (at) => eventsAt(phase, at), ...spec });
  const ports = portsOf(world, () => new Date(noon));
  const place = placeOf(task.taskDir);
  const anchor = openAnchor(place, ports);
  clearStaging(anchor);
  return { task, session: openHeld(place, anchor, ports) };
}

/** The record of a pass from this phase whose proposal is judged as `decide` judges it. */
export function judged(
  from: Phase,
  to: Phase | Proposal,
  seen: Partial<Facts> = {},
  rules: Partial<Policy> = {},
): PassRecord {
  const was = before(from);
  const proposed = typeof to === "string" ? proposal(to) : to;
  const pass = 2;
  const all = facts({ pass, ...seen });
  const rule = policy(rules);
  return {
    version: 1,
    task: "T-1",
    pass,
    model: { name: "prepared", adapter: "command", turns: null, session_id: null, cost_source: null, error: null },
    stages: [],
    before: was,
    proposal: proposed,
    facts: all,
    policy: rule,
    decision: decide(was, proposed, all, rule),
    overridden: [],
    changed_paths: [],
    output: null,
    ended_processes: [],
    note: null,
  };
}
