import { renderOverBounds } from "../../rules/bounds.ts";
import { failedChecks } from "../../rules/check-run.ts";
import type { DegradeStep, TaskEvent } from "../../rules/events.ts";
import { untoldTrouble } from "../../rules/model-end.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { countRequired } from "./compare-checks.ts";

export type PassRow = ReturnType<typeof listPasses>[number];

/** The passes in the order of their verdicts; one that was cut off and recovered has a row too. */
export function listPasses(events: readonly TaskEvent[]) {
  const judged = new Set(events.flatMap((event) => (event.type === "verdict" ? [event.pass] : [])));
  const asides = readAsides(events);
  return events.flatMap((event) => {
    if (event.type !== "verdict" && (event.type !== "recovered" || judged.has(event.pass))) return [];
    const aside: Aside = asides.get(event.pass) ?? { degrade: [], reviews: null };
    return [{ ...(event.type === "verdict" ? verdictRow(event) : cutOffRow(event)), ...aside }];
  });
}

/** Facts about a pass from events other than its verdict. */
interface Aside {
  /** How the pass was made cheaper, in the order in which it came to that; empty: as usual. */
  readonly degrade: readonly DegradeStep[];
  /** The reviewers that worked before its model; their cost is not in `costUsd`. Null if none did. */
  readonly reviews: {
    readonly count: number;
    /** The sum of what is known; null if nothing is. */
    readonly costUsd: number | null;
    readonly unknownCosts: number;
  } | null;
}

/** By the number of the pass. */
function readAsides(events: readonly TaskEvent[]): Map<number, Aside> {
  const asides = new Map<number, Aside>();
  for (const event of events) {
    if (event.type !== "pass_started" && event.type !== "reviewed") continue;
    const aside = asides.get(event.pass) ?? { degrade: [], reviews: null };
    asides.set(
      event.pass,
      event.type === "reviewed"
        ? { ...aside, reviews: addReview(aside.reviews, event.cost_usd) }
        : { ...aside, degrade: event.degrade },
    );
  }
  return asides;
}

function addReview(reviews: Aside["reviews"], costUsd: number | null): Aside["reviews"] {
  const before = reviews ?? { count: 0, costUsd: null, unknownCosts: 0 };
  return {
    count: before.count + 1,
    costUsd: costUsd === null ? before.costUsd : (before.costUsd ?? 0) + costUsd,
    unknownCosts: before.unknownCosts + (costUsd === null ? 1 : 0),
  };
}

function verdictRow(event: VerdictEvent) {
  return {
    pass: event.pass,
    at: event.at,
    model: event.model,
    from: event.from,
    proposed: event.proposed,
    to: event.to,
    verdict: event.verdict,
    reason: event.reason,
    /** In words; empty if nothing counts. */
    made: event.made,
    failed: event.checks === null ? [] : failedChecks(event.checks).map(({ name }) => name),
    /** How the model's program ended badly; null if it did not, or if the reason says it. */
    trouble: untoldTrouble(event),
    escalation: event.escalation?.cause ?? null,
    checks: event.checks === null ? null : countRequired(event.checks, event.matrix),
    durationMs: event.duration_ms,
    costUsd: event.cost_usd,
    tokens: event.tokens,
    warned: [
      ...(event.over_bounds === null ? [] : [renderOverBounds(event.over_bounds)]),
      ...(event.git_warnings ?? []),
    ],
    overridden: event.overridden,
    tampering: [...event.tampering, ...event.put_back].map((tamper) => `${tamper.path} (${tamper.change})`),
    /** As far as the journal lists them. */
    changed: event.changed_paths.length,
    record: event.record_sha256,
  };
}

function cutOffRow(event: Extract<TaskEvent, { type: "recovered" }>) {
  const restored =
    event.restored.length === 0 ? "nothing had to be restored" : `restored: ${event.restored.join(", ")}`;
  return {
    ...{ pass: event.pass, at: event.at, model: null, from: "", proposed: null, to: "", verdict: "interrupted" },
    reason: `cut off before its verdict; the next run recovered the last accepted state (${restored})`,
    ...{ made: [], failed: [], trouble: null, escalation: null, checks: null, durationMs: null, costUsd: null },
    ...{ tokens: { input: null, output: null }, warned: [], overridden: [], tampering: [], changed: 0 },
    record: null,
  };
}
