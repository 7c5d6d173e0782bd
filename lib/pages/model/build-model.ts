import { decodeString } from "micromark-util-decode-string";
import { splitProse } from "../../documents/templates/render-template.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { Held } from "../../rules/held.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { type ManualStanding, standManual } from "../../rules/manual.ts";
import { mayHaveCost } from "../../rules/spend.ts";
import { type Moved, nothingElse, type OpenAsk } from "../../rules/standing-facts.ts";
import { type FieldKey, type StateView, stateFields } from "../../rules/state-view.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import type { ArtifactRow } from "../files/list-artifacts.ts";
import { toBanner } from "./banner.ts";
import { compareChecks, countRequired } from "./compare-checks.ts";
import { listEdits } from "./edits.ts";
import { listReviews } from "./list-reviews.ts";
import { listWatched } from "./list-watched.ts";
import { findMatrix } from "./matrix-section.ts";
import { listPasses } from "./passes.ts";
import { listPatches } from "./patches.ts";

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

export interface EvidenceInput {
  readonly task: { readonly id: string; readonly title: string };
  readonly userFacing: boolean;
  /** The last accepted STATE.md; null if there is none. */
  readonly state: StateView | null;
  /** The journal, whole and checked. */
  readonly events: readonly TaskEvent[];
  /** The sha256 of the journal's last line. */
  readonly head: string | null;
  /** Files that the agent wrote. */
  readonly artifacts: readonly ArtifactRow[];
  /** Texts of the files that were packed when the task was done, by their path relative to the task folder. */
  readonly packed?: ReadonlyMap<string, string>;
  readonly questions: {
    readonly open: readonly OpenAsk[];
    /** Every question of this stop is answered. */
    readonly answered: boolean;
  };
  /** How the repo differs from that of `done`; null if it does not, or was not compared. */
  readonly moved: Moved | null;
  /** The runner's signed statement is there; missing: it is not. */
  readonly attested?: boolean;
  /** Why no pass begins, if no journal says it. */
  readonly held?: Held | null;
}

/** Everything that the evidence says, as plain values: the page, the Markdown and the report are made from it alone. */
export type EvidenceModel = ReturnType<typeof buildEvidenceModel>;
export type CheckSection = NonNullable<EvidenceModel["checks"]>;

/** Pure: the same journal, state and artifacts give the same model, always. */
export function buildEvidenceModel(input: EvidenceInput) {
  const { events, state } = input;
  const history = readHistory(events);
  const verdicts = events.filter((event) => event.type === "verdict");
  const phase = history.phase ?? state?.phase ?? null;
  const gated = verdicts.findLast((verdict) => verdict.gates.length > 0);
  const checks = newestChecks(events);
  const before = newestBefore(events);
  const { rows: watched, seen: watchedAt } = listWatched(events, history);
  const passes = listPasses(events);
  const runnerArtifacts = input.artifacts.filter((row) => row.kind === "runner");
  return {
    task: input.task,
    userFacing: input.userFacing,
    phase,
    standing: toBanner({
      ...nothingElse,
      name: input.task.id,
      history,
      phase,
      blockers: state?.fields.blockers ?? "",
      questions: input.questions.open,
      answered: input.questions.answered,
      moved: input.moved,
      held: input.held ?? history.held,
    }),
    /** A question is open, which DECISIONS.md has. */
    asks: input.questions.open.length > 0 || phase === "needs_user_decision",
    questions: input.questions.open,
    fields: listFields(state),
    gates:
      gated === undefined
        ? null
        : { pass: gated.pass, from: gated.from, proposed: gated.proposed ?? gated.to, results: gated.gates },
    checks,
    before,
    /** The proof at the newest verdict that has one. */
    matrix: findMatrix(verdicts, before?.results ?? null),
    compared: compareChecks(before?.results ?? null, checks?.results ?? null),
    watched,
    watchedAt,
    /** The scenarios that a person plays, and what a person said of the code that was checked last. */
    manual: listManual(verdicts, history),
    reviews: listReviews(events, history, state),
    code: newestCode(verdicts),
    passes,
    tickets: history.tickets,
    findings: phase === "done" ? [] : (state?.findings ?? []),
    features: state?.features ?? [],
    edits: listEdits(events),
    artifacts: input.artifacts.filter((row) => row.kind === "agent"),
    /** Without those that are rewritten with every verdict. */
    runnerArtifacts,
    packed: input.packed ?? new Map<string, string>(),
    patches: listPatches(passes, runnerArtifacts, input.packed),
    ...listChanged(verdicts),
    attested: input.attested === true && phase === "done",
    journal: { events: events.length, head: input.head, lastAt: events.at(-1)?.at ?? null },
    /** Of the passes and the reviewers together. */
    spend: {
      costUsd: history.spend.knownUsd,
      /** Calls of a model with no reported cost. */
      unknownCosts: history.spend.unknownPasses,
      ...sumTokens(events),
      durationMs: history.spend.timeMs,
    },
  };
}

/** The state's content fields that say something. */
function listFields(state: StateView | null) {
  if (state === null) return [];
  return shownFields
    .map((key) => ({
      label: stateFields.find((field) => field.key === key)?.label ?? key,
      value: undoEscapes(state.fields[key]),
    }))
    .filter((field) => field.value !== "");
}

/** A value as it reads where Markdown renders, code marks kept: the pages escape it in their own way. */
function undoEscapes(source: string): string {
  const parts = splitProse(source);
  return parts.map(({ text, code }) => (code ? `\`${text}\`` : decodeString(text))).join("");
}

function newestChecks(events: readonly TaskEvent[]) {
  const index = events.findLastIndex((event) => event.type === "verdict" && event.checks !== null);
  const event = events[index];
  if (event?.type !== "verdict" || event.checks === null) return null;
  const voided = events.slice(index + 1).some((later) => later.type === "brief_changed");
  const { fingerprint_after: fingerprint, moved, results, taken = null } = event.checks;
  const later = events.findLast((each, at) => at > index && each.type === "verdict");
  return {
    pass: taken?.pass ?? event.pass,
    at: taken?.ran ?? event.at,
    fingerprint,
    moved,
    results,
    required: countRequired(event.checks, event.matrix),
    taken,
    /** The contract changed afterwards, so these results count for nothing any more. */
    voided,
    /** They ran on earlier code: a later pass, or a person before it, changed it. */
    outdated: later?.type === "verdict" && (later.fingerprint.present ?? later.fingerprint.after) !== fingerprint,
  };
}

function newestBefore(events: readonly TaskEvent[]) {
  const event = events.findLast((each) => each.type === "before");
  return event === undefined ? null : { at: event.at, fingerprint: event.fingerprint, results: event.results };
}

function listChanged(verdicts: readonly VerdictEvent[]) {
  const changed = verdicts.flatMap((verdict) => verdict.changed_paths);
  const own = new Set(changed.flatMap(({ path, person }) => (person === undefined ? [path] : [])));
  return {
    changedPaths: [...new Set(changed.map(({ path }) => path))].sort(),
    /** The commit of a person, as `9a01b22 Fix it`, of each path that no pass changed itself. */
    persons: new Map(
      changed.flatMap(({ path, person }) => (person === undefined || own.has(path) ? [] : [[path, person]])),
    ),
  };
}

/** The commit that was checked out at a verdict, before that of the pass itself, and where it can be seen. */
function newestCode(verdicts: readonly VerdictEvent[]) {
  const verdict = verdicts.findLast((event) => event.code !== null);
  if (!verdict?.code) return null;
  const { commit } = verdict.code;
  // An earlier pass may have left its changes for the commit of the task, which may come after the verdict.
  const changer = verdicts.findLast(({ code, changed_paths: paths }) => code?.commit === commit && paths.length > 0);
  return { ...verdict.code, pass: verdict.pass, changedBy: changer?.pass ?? null };
}

/**
 * The manual scenarios as of the newest verdict on checked code. An answer that came after that verdict, about the
 * same code, counts already.
 */
function listManual(
  verdicts: readonly VerdictEvent[],
  { manualAnswers }: Pick<TaskHistory, "manualAnswers">,
): readonly ManualStanding[] {
  const verdict = verdicts.findLast(({ manual }) => manual.length > 0);
  if (verdict === undefined) return [];
  const { fingerprint, checks } = verdict;
  return standManual(
    verdict.manual,
    manualAnswers,
    fingerprint.present ?? checks?.fingerprint_after ?? fingerprint.after,
  );
}

/** Nothing used is something else than nothing said, and a sum of some calls is not that of all. */
export function sumTokens(events: readonly TaskEvent[]) {
  const calls = events.flatMap((event) => (event.type === "verdict" || event.type === "reviewed" ? [event] : []));
  const known = calls.flatMap(({ tokens: { input, output } }) =>
    input === null && output === null ? [] : [(input ?? 0) + (output ?? 0)],
  );
  const silent = calls.filter(({ tokens }) => tokens.input === null && tokens.output === null);
  return {
    /** Input and output, as far as they are known; null if nothing reported any. */
    tokens: known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0),
    /** Calls of a model with no reported tokens. */
    unknownTokens: silent.filter(({ end }) => mayHaveCost(end)).length,
  };
}
