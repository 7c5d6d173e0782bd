import type { HostedCode, TaskEvent, VerdictEvent } from "../machine/events.ts";
import type { CheckResult, GateResult, Ticket } from "../machine/facts.ts";
import { readHistory } from "../machine/history.ts";
import type { Phase } from "../machine/phases.ts";
import type { Moved } from "../machine/standing-done.ts";
import { nothingElse, type OpenAsk } from "../machine/standing-facts.ts";
import { type FeatureRow, type FieldKey, type StateView, stateFields } from "../machine/state-view.ts";
import { type BriefEdit, listBriefEdits } from "./brief-edits.ts";
import { type ComparedCheck, compareChecks } from "./compare-checks.ts";
import { type EditRow, listEdits } from "./edits.ts";
import type { ArtifactRow } from "./list-artifacts.ts";
import { listReviews, type ReviewRow } from "./list-reviews.ts";
import { listWatchAnswers, listWatched, type WatchAnswer, type WatchedAt, type WatchedRow } from "./list-watched.ts";
import { listPasses, type PassRow } from "./passes.ts";
import { listPatches, type PatchRow } from "./patches.ts";
import { findSquare, type SquareSection } from "./square.ts";
import { type Banner, describeStanding } from "./standing.ts";
import { sumTokens, type TokenSum } from "./sum-tokens.ts";

export interface EvidenceInput {
  readonly task: { readonly id: string; readonly title: string };
  readonly userFacing: boolean;
  /** The last accepted STATE.md; null where there is none. */
  readonly state: StateView | null;
  /** The journal, whole and checked. */
  readonly events: readonly TaskEvent[];
  /** The sha256 of the journal's last line. */
  readonly head: string | null;
  readonly artifacts: readonly ArtifactRow[];
  /** The questions of DECISIONS.md. */
  readonly questions: {
    readonly open: readonly OpenAsk[];
    /** Every question of this stop is answered. */
    readonly answered: boolean;
  };
  /** How the repo differs from that of `done`; null if it does not, or nobody looked. */
  readonly moved: Moved | null;
}

export interface CheckSection {
  readonly pass: number;
  readonly at: string;
  readonly fingerprint: string;
  readonly attempts: number;
  readonly moved: readonly string[];
  readonly results: readonly CheckResult[];
  /** The contract changed afterwards, so these results count for nothing any more. */
  readonly voided: boolean;
}

/** The commit that was checked out at a verdict, before that of the pass itself. */
export type CodeThen = HostedCode & {
  readonly pass: number;
  readonly at: string;
  /** The pass changed code, which a commit after the verdict may hold. */
  readonly changed: boolean;
};

/** Everything that the evidence says, as plain values: the page, the Markdown and the report are made from it alone. */
export interface EvidenceModel {
  readonly task: { readonly id: string; readonly title: string };
  readonly userFacing: boolean;
  readonly phase: Phase | null;
  readonly standing: Banner;
  /** A question is open, which DECISIONS.md holds. */
  readonly asks: boolean;
  /** The phases on the way to done, and beside them the one where the task stopped. */
  readonly strip: readonly { readonly phase: Phase; readonly mark: "here" | "been" | "ahead" }[];
  /** The state's content fields that say something. */
  readonly fields: readonly { readonly label: string; readonly value: string }[];
  readonly gates: {
    readonly pass: number;
    readonly from: string;
    readonly proposed: string;
    readonly results: readonly GateResult[];
  } | null;
  readonly checks: CheckSection | null;
  readonly baseline: {
    readonly at: string;
    readonly fingerprint: string;
    readonly results: readonly CheckResult[];
  } | null;
  /** The proof square at the newest verdict that has one; null before. */
  readonly square: SquareSection | null;
  /** Every check as it was at the baseline, and as it is now. */
  readonly compared: readonly ComparedCheck[];
  /** What differs from pass 1 of tests and of what the checks run; what no person accepted stands first. */
  readonly watched: readonly WatchedRow[];
  /** When that was last looked at; null where it never was. */
  readonly watchedAt: WatchedAt | null;
  readonly watchAnswers: readonly WatchAnswer[];
  /** The newest report of each reviewer. */
  readonly reviews: readonly ReviewRow[];
  /** Which commit stood there at the newest verdict that says so, and where it can be seen. */
  readonly code: CodeThen | null;
  /** Oldest first. */
  readonly passes: readonly PassRow[];
  readonly tickets: readonly Ticket[];
  readonly features: readonly FeatureRow[];
  readonly edits: readonly EditRow[];
  /** Edits of the brief by a person; they stand among `edits` too. */
  readonly briefEdits: readonly BriefEdit[];
  /** What the agent wrote. */
  readonly artifacts: readonly ArtifactRow[];
  /** What the runner wrote beside what it rewrites with every verdict. */
  readonly runnerArtifacts: readonly ArtifactRow[];
  /** The diffs among those that together show what the task changed, oldest first. */
  readonly patches: readonly PatchRow[];
  /** Paths of the repo that passes changed, each once, sorted. */
  readonly changedPaths: readonly string[];
  readonly journal: { readonly events: number; readonly head: string | null; readonly lastAt: string | null };
  /** Of the passes and the reviewers together. */
  readonly spend: {
    readonly costUsd: number | null;
    /** Calls of a model whose cost nobody reported. */
    readonly unknownCosts: number;
    readonly durationMs: number;
  } & TokenSum;
}

const way: readonly Phase[] = ["intake", "shape", "implement", "verify", "repair", "review", "done"];

const shownFields: readonly FieldKey[] = [
  "objective",
  "done_gate",
  "not_doing",
  "reality_constraints",
  "validation_plan",
  "current_result",
  "next_step",
  "blockers",
];

/** Pure: the same journal, state and artifacts give the same model, always. */
export function buildEvidenceModel(input: EvidenceInput): EvidenceModel {
  const { events, state } = input;
  const history = readHistory(events);
  const verdicts = events.filter((event) => event.type === "verdict");
  const phase = history.phase ?? state?.phase ?? null;
  const gated = verdicts.findLast((verdict) => verdict.gates.length > 0);
  const checks = newestChecks(events);
  const baseline = newestBaseline(events);
  const { rows: watched, seen: watchedAt } = listWatched(events, history);
  const passes = listPasses(events);
  const runnerArtifacts = input.artifacts.filter((row) => row.kind === "runner");
  return {
    task: input.task,
    userFacing: input.userFacing,
    phase,
    standing: describeStanding({
      ...nothingElse,
      history,
      phase,
      blockers: state?.fields.blockers ?? "",
      questions: input.questions.open,
      answered: input.questions.answered,
      moved: input.moved,
    }),
    asks: input.questions.open.length > 0 || phase === "needs_user_decision",
    strip: makeStrip(phase, verdicts),
    fields: listFields(state),
    gates:
      gated === undefined
        ? null
        : { pass: gated.pass, from: gated.from, proposed: gated.proposed ?? gated.to, results: gated.gates },
    checks,
    baseline,
    square: findSquare(verdicts, baseline?.results ?? null),
    compared: compareChecks(baseline?.results ?? null, checks?.results ?? null),
    watched,
    watchedAt,
    watchAnswers: listWatchAnswers(events),
    reviews: listReviews(events, history),
    code: newestCode(verdicts),
    passes,
    tickets: history.tickets,
    features: state?.features ?? [],
    edits: listEdits(events),
    briefEdits: listBriefEdits(events),
    artifacts: input.artifacts.filter((row) => row.kind === "agent"),
    runnerArtifacts,
    patches: listPatches(passes, runnerArtifacts),
    changedPaths: [...new Set(verdicts.flatMap((verdict) => verdict.changed_paths.map((each) => each.path)))].sort(),
    journal: { events: events.length, head: input.head, lastAt: events.at(-1)?.at ?? null },
    spend: {
      costUsd: history.spend.knownUsd,
      unknownCosts: history.spend.unknownPasses,
      ...sumTokens(events),
      durationMs: history.spend.timeMs,
    },
  };
}

/** Repair is a detour, so it is shown only where it was taken. */
function makeStrip(phase: Phase | null, verdicts: readonly VerdictEvent[]): EvidenceModel["strip"] {
  const been = new Set(verdicts.flatMap((verdict) => [verdict.from, verdict.to]));
  const shown = phase === null || way.includes(phase) ? way : [...way, phase];
  return shown
    .filter((name) => name !== "repair" || name === phase || been.has(name))
    .map((name) => ({ phase: name, mark: name === phase ? "here" : been.has(name) ? "been" : "ahead" }));
}

function listFields(state: StateView | null): EvidenceModel["fields"] {
  if (state === null) return [];
  const shown = stateFields.filter((field) => shownFields.includes(field.key));
  return shown
    .map((field) => ({ label: field.label, value: state.fields[field.key] }))
    .filter((field) => field.value !== "");
}

function newestChecks(events: readonly TaskEvent[]): CheckSection | null {
  const index = events.findLastIndex((event) => event.type === "verdict" && event.checks !== null);
  const event = events[index];
  if (event?.type !== "verdict" || event.checks === null) return null;
  const voided = events.slice(index + 1).some((later) => later.type === "brief_changed");
  const { fingerprint_after: fingerprint, attempts, moved, results } = event.checks;
  return { pass: event.pass, at: event.at, fingerprint, attempts, moved, results, voided };
}

function newestBaseline(events: readonly TaskEvent[]): EvidenceModel["baseline"] {
  const event = events.findLast((each) => each.type === "baseline");
  return event === undefined ? null : { at: event.at, fingerprint: event.fingerprint, results: event.results };
}

function newestCode(verdicts: readonly VerdictEvent[]): EvidenceModel["code"] {
  const verdict = verdicts.findLast((event) => event.code !== undefined);
  if (verdict?.code === undefined) return null;
  return { ...verdict.code, pass: verdict.pass, at: verdict.at, changed: verdict.changed_paths.length > 0 };
}
