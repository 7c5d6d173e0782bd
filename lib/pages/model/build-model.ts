import { decodeString } from "micromark-util-decode-string";
import { splitProse } from "../../documents/templates/render-template.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { type ManualStanding, standManual } from "../../rules/manual.ts";
import { nothingElse } from "../../rules/standing-facts.ts";
import { type FieldKey, type StateView, stateFields } from "../../rules/state-view.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { toBanner } from "./banner.ts";
import { compareChecks, countRequired } from "./compare-checks.ts";
import { listEdits } from "./edits.ts";
import type { CheckSection, EvidenceInput, EvidenceModel } from "./evidence-model.ts";
import { listReviews } from "./list-reviews.ts";
import { listWatched } from "./list-watched.ts";
import { findMatrix } from "./matrix-section.ts";
import { listPasses } from "./passes.ts";
import { listPatches } from "./patches.ts";
import { sumTokens } from "./sum-tokens.ts";

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
    asks: input.questions.open.length > 0 || phase === "needs_user_decision",
    questions: input.questions.open,
    fields: listFields(state),
    gates:
      gated === undefined
        ? null
        : { pass: gated.pass, from: gated.from, proposed: gated.proposed ?? gated.to, results: gated.gates },
    checks,
    before,
    matrix: findMatrix(verdicts, before?.results ?? null),
    compared: compareChecks(before?.results ?? null, checks?.results ?? null),
    watched,
    watchedAt,
    manual: listManual(verdicts, history),
    reviews: listReviews(events, history, state),
    code: newestCode(verdicts),
    passes,
    tickets: history.tickets,
    findings: phase === "done" ? [] : (state?.findings ?? []),
    features: state?.features ?? [],
    edits: listEdits(events),
    artifacts: input.artifacts.filter((row) => row.kind === "agent"),
    runnerArtifacts,
    packed: input.packed ?? new Map(),
    patches: listPatches(passes, runnerArtifacts, input.packed),
    ...listChanged(verdicts),
    attested: input.attested === true && phase === "done",
    journal: { events: events.length, head: input.head, lastAt: events.at(-1)?.at ?? null },
    spend: {
      costUsd: history.spend.knownUsd,
      unknownCosts: history.spend.unknownPasses,
      ...sumTokens(events),
      durationMs: history.spend.timeMs,
    },
  };
}

function listFields(state: StateView | null): EvidenceModel["fields"] {
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

function newestChecks(events: readonly TaskEvent[]): CheckSection | null {
  const index = events.findLastIndex((event) => event.type === "verdict" && event.checks !== null);
  const event = events[index];
  if (event?.type !== "verdict" || event.checks === null) return null;
  const voided = events.slice(index + 1).some((later) => later.type === "brief_changed");
  const { fingerprint_after: fingerprint, attempts, moved, results, taken = null } = event.checks;
  const later = events.findLast((each, at) => at > index && each.type === "verdict");
  return {
    pass: taken?.pass ?? event.pass,
    at: taken?.ran ?? event.at,
    fingerprint,
    attempts,
    moved,
    results,
    required: countRequired(event.checks, event.matrix),
    taken,
    voided,
    outdated: later?.type === "verdict" && (later.fingerprint.present ?? later.fingerprint.after) !== fingerprint,
  };
}

function newestBefore(events: readonly TaskEvent[]): EvidenceModel["before"] {
  const event = events.findLast((each) => each.type === "before");
  return event === undefined ? null : { at: event.at, fingerprint: event.fingerprint, results: event.results };
}

function listChanged(verdicts: readonly VerdictEvent[]): Pick<EvidenceModel, "changedPaths" | "persons"> {
  const changed = verdicts.flatMap((verdict) => verdict.changed_paths);
  const own = new Set(changed.flatMap(({ path, person }) => (person === undefined ? [path] : [])));
  return {
    changedPaths: [...new Set(changed.map(({ path }) => path))].sort(),
    persons: new Map(
      changed.flatMap(({ path, person }) => (person === undefined || own.has(path) ? [] : [[path, person]])),
    ),
  };
}

function newestCode(verdicts: readonly VerdictEvent[]): EvidenceModel["code"] {
  const verdict = verdicts.findLast((event) => event.code !== null);
  if (!verdict?.code) return null;
  const { commit } = verdict.code;
  // An earlier pass may have left its changes for the commit of the task.
  const changer = verdicts.findLast(({ code, changed_paths: paths }) => code?.commit === commit && paths.length > 0);
  return { ...verdict.code, pass: verdict.pass, at: verdict.at, changedBy: changer?.pass ?? null };
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
