import type { TaskEvent, VerdictEvent } from "../machine/events.ts";

/** One pass as the timeline shows it. */
export interface PassRow {
  readonly pass: number;
  readonly at: string;
  readonly model: string | null;
  readonly from: string;
  readonly proposed: string | null;
  readonly to: string;
  readonly verdict: string;
  readonly reason: string;
  readonly progress: readonly string[];
  readonly escalation: string | null;
  /** Required checks that passed, and how many ran; null where none ran. */
  readonly checks: { readonly passed: number; readonly ran: number } | null;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly overridden: readonly string[];
  readonly tampering: readonly string[];
  /** The sha256 of the pass's pass.json. */
  readonly record: string | null;
}

/** The passes in the order of their verdicts; one that was cut off and recovered has a row too. */
export function listPasses(events: readonly TaskEvent[]): PassRow[] {
  const judged = new Set(events.flatMap((event) => (event.type === "verdict" ? [event.pass] : [])));
  return events.flatMap((event) => {
    if (event.type === "verdict") return [verdictRow(event)];
    if (event.type !== "recovered") return [];
    return judged.has(event.pass) ? [] : [cutOffRow(event)];
  });
}

/** The folder of a pass, relative to the task folder. */
export function passFolder(pass: number): string {
  return `artifacts/passes/${String(pass).padStart(4, "0")}`;
}

function verdictRow(event: VerdictEvent): PassRow {
  const required = event.checks?.results.filter((result) => result.required);
  return {
    pass: event.pass,
    at: event.at,
    model: event.model,
    from: event.from,
    proposed: event.proposed,
    to: event.to,
    verdict: event.verdict,
    reason: event.reason,
    progress: event.progress,
    escalation: event.escalation?.cause ?? null,
    checks:
      required === undefined
        ? null
        : { passed: required.filter((result) => result.status === "pass").length, ran: required.length },
    durationMs: event.duration_ms,
    costUsd: event.cost_usd,
    tokens: event.tokens,
    overridden: event.overridden,
    tampering: event.tampering.map((tamper) => `${tamper.path} (${tamper.change})`),
    record: event.record_sha256,
  };
}

function cutOffRow(event: Extract<TaskEvent, { type: "recovered" }>): PassRow {
  const restored =
    event.restored.length === 0 ? "nothing had to be put back" : `put back: ${event.restored.join(", ")}`;
  return {
    pass: event.pass,
    at: event.at,
    model: null,
    from: "",
    proposed: null,
    to: "",
    verdict: "interrupted",
    reason: `cut off before its verdict; the next run recovered the last accepted state (${restored})`,
    progress: [],
    escalation: null,
    checks: null,
    durationMs: null,
    costUsd: null,
    tokens: { input: null, output: null },
    overridden: [],
    tampering: [],
    record: null,
  };
}
