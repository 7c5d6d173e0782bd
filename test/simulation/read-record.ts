import { existsSync, readFileSync } from "node:fs";
import { passCostUsd } from "./fates.ts";
import type { Night } from "./make-night.ts";

/** What the journal of a task says, read line by line and by no code of the program. */
export interface TaskRecord {
  readonly verdicts: readonly { readonly verdict: string; readonly to: string; readonly run: string }[];
  /** What counts against money: what a pass cost, or what it was taken to cost where nobody said. */
  readonly charges: readonly { readonly usd: number; readonly at: string; readonly run: string }[];
  readonly repairs: number;
  readonly firstPassAt: string | null;
  readonly doneAt: string | null;
  /** Why the runner stopped it; null where it did not. */
  readonly cause: string | null;
  /** The STATE.md that was accepted last. */
  readonly state: string | null;
  /** What no journal may say. */
  readonly problems: readonly string[];
}

interface Line {
  readonly type: string;
  readonly at: string;
  readonly pass?: number;
  readonly run?: string | null;
  readonly from?: string;
  readonly to?: string;
  readonly verdict?: string;
  readonly state?: string;
  readonly cost_usd?: number | null;
  readonly end?: { readonly kind: string };
  readonly cause?: string;
  readonly escalation?: { readonly cause: string } | null;
  readonly checks?: { readonly results: readonly { readonly status: string }[] } | null;
}

/** Moves that a person makes, by a command or by an edit. */
const byPeople: ReadonlySet<string> = new Set([
  "answered",
  "defaulted",
  "resumed",
  "cancelled",
  "state_edited",
  "edit_refused",
  "controlled",
]);

const legal: ReadonlySet<string> = new Set([
  "intake shape",
  "shape implement",
  "shape blocked",
  "shape needs_user_decision",
  "implement verify",
  "implement blocked",
  "implement needs_user_decision",
  "verify review",
  "verify repair",
  "verify blocked",
  "verify needs_user_decision",
  "review done",
  "review repair",
  "review needs_user_decision",
  "repair verify",
  "repair blocked",
  "repair needs_user_decision",
]);

export function readRecord(night: Night, id: string): TaskRecord {
  const file = night.taskPath(id, "artifacts", "journal.jsonl");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  const starts = lines.filter(({ type }) => type === "pass_started");
  const verdicts = lines.filter(({ type }) => type === "verdict");
  const moves = lines.filter(({ from, to }) => from !== undefined && to !== undefined && from !== to);
  const escalated = lines.findLast(({ cause, escalation }) => cause !== undefined || (escalation ?? null) !== null);
  return {
    verdicts: verdicts.map((line) => ({ verdict: line.verdict ?? "", to: line.to ?? "", run: runOf(starts, line) })),
    charges: verdicts.map((line) => ({ usd: chargeOf(line), at: line.at, run: runOf(starts, line) })),
    repairs: verdicts.filter(({ from, to }) => to === "repair" && from !== "repair").length,
    firstPassAt: starts[0]?.at ?? null,
    doneAt: verdicts.find(({ to }) => to === "done")?.at ?? null,
    cause: escalated?.cause ?? escalated?.escalation?.cause ?? null,
    state: lines.findLast(({ state }) => state !== undefined)?.state ?? null,
    problems: [
      ...starts.flatMap(({ pass }, index) =>
        pass === index + 1 ? [] : [`the ${index + 1}th pass that began has the number ${pass}`],
      ),
      ...starts.flatMap(({ pass }) => {
        const count = verdicts.filter((verdict) => verdict.pass === pass).length;
        return count === 1 ? [] : [`pass ${pass} has ${count} verdicts`];
      }),
      ...moves
        .filter(({ type, from, to }) => !byPeople.has(type) && !legal.has(`${from} ${to}`))
        .map(({ type, from, to }) => `${type}: ${from} to ${to} was accepted`),
      ...verdicts
        .filter(({ to, checks }) => to === "done" && checks?.results.every(({ status }) => status === "pass") !== true)
        .map(({ pass }) => `pass ${pass} was accepted as done without a check that passed`),
    ],
  };
}

function runOf(starts: readonly Line[], { pass }: Line): string {
  return starts.find((start) => start.pass === pass)?.run ?? "none";
}

/** A call that was turned away or never came about costs nothing. */
function chargeOf({ cost_usd, end }: Line): number {
  return cost_usd ?? (["exited", "interrupted", "timed_out"].includes(end?.kind ?? "") ? passCostUsd : 0);
}
