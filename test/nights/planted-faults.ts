import type { PlantedFault } from "../simulation/plant-fault.ts";

export interface NightFault extends PlantedFault {
  /** Only a night in which a task has this fate, or this word in its plan, can show it. */
  readonly shownBy?: string;
}

/** Mistakes in the rules and in what carries them out. A night must notice each. */
export const plantedFaults: readonly NightFault[] = [
  {
    name: "a check that fails has passed",
    file: "lib/rules/gates-checks.js",
    from: 'const ok = result.status === "pass";',
    to: "const ok = true;",
    shownBy: "spends its repairs",
  },
  {
    name: "the promise need not be given",
    file: "lib/rules/promise.js",
    from: 'return "it is not there";',
    to: "return null;",
    shownBy: "without-promise",
  },
  {
    name: "a pass more than the budget",
    file: "lib/rules/budgets.js",
    from: "if (used >= limit - rounding)",
    to: "if (used >= limit + 1 - rounding)",
    shownBy: "spends its passes",
  },
  {
    name: "a pass that was cut off costs nothing",
    file: "lib/rules/add-verdict.js",
    from: "estimateUsd: history.unfinishedPass === event.pass ? history.estimateUsd : null",
    to: "estimateUsd: null",
    shownBy: "spends its money",
  },
  {
    name: "repairs are not counted",
    file: "lib/rules/add-verdict.js",
    from: "return (entersRepair(event.from, event.to) && !isPersons) || gaveUpRepair(event);",
    to: "return false;",
    shownBy: "spends its repairs",
  },
  {
    name: "a call that did no work is a pass",
    file: "lib/rules/add-verdict.js",
    from: 'return verdict === "unavailable" || verdict === "interrupted";',
    to: 'return verdict === "interrupted";',
  },
  {
    name: "timeouts are not counted",
    file: "lib/rules/add-verdict.js",
    from: 'return end.kind === "timed_out" ? before + 1 : 0;',
    to: "return 0;",
    shownBy: "hangs for ever",
  },
  {
    name: "tampering is no reason",
    file: "lib/rules/reasons.js",
    from: "return facts.tampering.map(",
    to: "return [].map(",
  },
  {
    name: "any transition is legal",
    file: "lib/rules/phases.js",
    from: "export function mayPropose(",
    to: "export function mayPropose() {\n    return true;\n}\nfunction unused(",
  },
  {
    name: "no dependency is open",
    file: "lib/task/judge-dependencies.js",
    from: "if (dependsOn.length === 0 || tasks.isDone(place.taskDir))",
    to: "if (true)",
  },
  {
    name: "a lock is granted while it is held",
    file: "lib/store/lock.js",
    from: "if (!lockNow(descriptor, exclusive))",
    to: "if (!lockNow(descriptor, exclusive) && false)",
  },
  {
    name: "a changed file is not put back",
    file: "lib/task/guard/guard.js",
    from: "const restored = putBack(guard, change, name);",
    to: "const restored = true;",
  },
  {
    name: "an accepted event is not carried out by the next run",
    file: "lib/pass/recovery/recover.js",
    from: "return finishCommit(place, anchor, ports.redactor).map(makeKeptFinding);",
    to: "return [];",
  },
  {
    name: "a pass that was cut off gets no verdict",
    file: "lib/pass/recovery/recover.js",
    from: "if (session.history.unfinishedPass === pass)",
    to: "if (false)",
  },
];
