import { renderOverBounds } from "../../rules/bounds.ts";
import { failedChecks } from "../../rules/check-run.ts";
import type { DegradeStep, TaskEvent } from "../../rules/events.ts";
import { untoldTrouble } from "../../rules/model-end.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { countRequired } from "./compare-checks.ts";

export interface PassRow {
  readonly pass: number;
  readonly at: string;
  readonly model: string | null;
  readonly from: string;
  readonly proposed: string | null;
  readonly to: string;
  readonly verdict: string;
  readonly reason: string;
  /** What it made, in words; empty if nothing counts. */
  readonly made: readonly string[];
  /** The required checks that did not pass; empty if none ran. */
  readonly failed: readonly string[];
  /** How the model's program ended badly; null if it did not, or if the reason says it. */
  readonly trouble: string | null;
  readonly escalation: string | null;
  /** Required checks that passed, and how many ran; null if none ran. */
  readonly checks: { readonly passed: number; readonly ran: number } | null;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  /** How the pass was made cheaper, in the order in which it came to that; empty: as usual. */
  readonly degrade: readonly DegradeStep[];
  /** The reviewers that worked before its model; their cost is not in `costUsd`. Null if none did. */
  readonly reviews: {
    readonly count: number;
    /** The sum of what is known; null if nothing is. */
    readonly costUsd: number | null;
    readonly unknownCosts: number;
  } | null;
  /** How much more it changed than its phase allows; null if it did not. */
  readonly overBounds: string | null;
  readonly overridden: readonly string[];
  readonly tampering: readonly string[];
  /** How many paths of the repo it changed, as far as the journal lists them. */
  readonly changed: number;
  /** The sha256 of the pass's pass.json. */
  readonly record: string | null;
}

/** The passes in the order of their verdicts; one that was cut off and recovered has a row too. */
export function listPasses(events: readonly TaskEvent[]): PassRow[] {
  const judged = new Set(events.flatMap((event) => (event.type === "verdict" ? [event.pass] : [])));
  const asides = readAsides(events);
  return events.flatMap((event) => {
    if (event.type !== "verdict" && (event.type !== "recovered" || judged.has(event.pass))) return [];
    const aside = asides.get(event.pass) ?? { degrade: [], reviews: null };
    return [{ ...(event.type === "verdict" ? verdictRow(event) : cutOffRow(event)), ...aside }];
  });
}

type Aside = Pick<PassRow, "degrade" | "reviews">;

/** Facts about a pass, by its number, from events other than its verdict. */
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

function addReview(reviews: PassRow["reviews"], costUsd: number | null): PassRow["reviews"] {
  const before = reviews ?? { count: 0, costUsd: null, unknownCosts: 0 };
  return {
    count: before.count + 1,
    costUsd: costUsd === null ? before.costUsd : (before.costUsd ?? 0) + costUsd,
    unknownCosts: before.unknownCosts + (costUsd === null ? 1 : 0),
  };
}

/** The folder of a pass, relative to the task folder. */
export function passFolder(pass: number): string {
  return `artifacts/passes/${String(pass).padStart(4, "0")}`;
}

function verdictRow(event: VerdictEvent): Omit<PassRow, keyof Aside> {
  return {
    pass: event.pass,
    at: event.at,
    model: event.model,
    from: event.from,
    proposed: event.proposed,
    to: event.to,
    verdict: event.verdict,
    reason: event.reason,
    made: event.made,
    failed: event.checks === null ? [] : failedChecks(event.checks).map(({ name }) => name),
    trouble: untoldTrouble(event),
    escalation: event.escalation?.cause ?? null,
    checks: event.checks === null ? null : countRequired(event.checks, event.matrix),
    durationMs: event.duration_ms,
    costUsd: event.cost_usd,
    tokens: event.tokens,
    overBounds: event.over_bounds === null ? null : renderOverBounds(event.over_bounds),
    overridden: event.overridden,
    tampering: [...event.tampering, ...event.put_back].map((tamper) => `${tamper.path} (${tamper.change})`),
    changed: event.changed_paths.length,
    record: event.record_sha256,
  };
}

function cutOffRow(event: Extract<TaskEvent, { type: "recovered" }>): Omit<PassRow, keyof Aside> {
  const restored =
    event.restored.length === 0 ? "nothing had to be restored" : `restored: ${event.restored.join(", ")}`;
  return {
    pass: event.pass,
    at: event.at,
    model: null,
    from: "",
    proposed: null,
    to: "",
    verdict: "interrupted",
    reason: `cut off before its verdict; the next run recovered the last accepted state (${restored})`,
    made: [],
    failed: [],
    trouble: null,
    escalation: null,
    checks: null,
    durationMs: null,
    costUsd: null,
    tokens: { input: null, output: null },
    overBounds: null,
    overridden: [],
    tampering: [],
    changed: 0,
    record: null,
  };
}
