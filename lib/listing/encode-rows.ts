import type { Phase } from "../machine/phases.ts";
import { type IndexedRow, type ListedChecks, type ListedFiles, type ListedHistory, noHistory } from "./listed-files.ts";

/** One row as JSON; what most rows have in common is a place in a table of texts. */
type Encoded = readonly [
  name: string,
  present: number,
  id: string,
  title: string,
  priority: number,
  dependsOn: readonly string[] | 0,
  repo: string | null,
  questionWaitMs: number,
  checks: number,
  unready: number,
  phase: Phase,
  blockers: string,
  edited: 0 | 1,
  history: Partial<ListedHistory> | 0,
  movedAt: string | null,
  questions: ListedFiles["questions"] | 0,
  paused: string | null,
  retry: 0 | 1,
  has: number,
  anchor: string,
];

const none: readonly never[] = [];

/** Rows as JSON, some at a time. What most of them have in common is in `texts` after the last. */
export function openEncoder(): { encode(rows: readonly IndexedRow[]): Buffer; texts(): string[] } {
  const texts = new Map<string, number>();
  const known = new Map<unknown, number>();
  const place = (text: string): number => {
    const at = texts.get(text) ?? texts.size;
    texts.set(text, at);
    return at;
  };
  return {
    encode: (rows) => Buffer.from(JSON.stringify(rows.map((row) => encode(row, place, known)))),
    texts: () => [...texts.keys()],
  };
}

function encode(
  { name, present, files, anchor }: IndexedRow,
  place: (text: string) => number,
  known: Map<unknown, number>,
): Encoded {
  const { brief, history } = files;
  const { validators, scenarios, heldOut } = brief;
  // Rows that were read with one contract hold the same lists.
  const checks = known.get(validators) ?? place(JSON.stringify({ validators, scenarios, heldOut }));
  if (scenarios.length + heldOut.length === 0) known.set(validators, checks);
  return [
    name,
    present,
    brief.id,
    brief.title,
    brief.priority,
    brief.dependsOn.length === 0 ? 0 : brief.dependsOn,
    brief.repo,
    brief.questionWaitMs,
    checks,
    files.unready === null ? -1 : place(files.unready),
    files.phase,
    files.blockers,
    files.edited ? 1 : 0,
    history === noHistory ? 0 : encodeHistory(history),
    files.movedAt,
    files.questions.length === 0 ? 0 : files.questions,
    files.paused,
    files.retry ? 1 : 0,
    entriesOf(files),
    anchor,
  ];
}

function entriesOf({ hasPage, hasGit, hasState, hasEvidence, hasDecisions }: ListedFiles): number {
  const all = [hasPage, hasGit, hasState, hasEvidence, hasDecisions];
  return all.reduce((bits, has, bit) => (has ? bits | (1 << bit) : bits), 0);
}

const usual = Object.entries(noHistory).map(([key, value]) => [key, JSON.stringify(value)] as const);

/** What differs from the history of a task without a journal. */
function encodeHistory(history: ListedHistory): Partial<ListedHistory> {
  const values: Readonly<Record<string, unknown>> = { ...history };
  return Object.fromEntries(
    usual.filter(([key, text]) => JSON.stringify(values[key]) !== text).map(([key]) => [key, values[key]]),
  );
}

/** Makes rows again of what the encoder made of them, some at a time. */
export function openDecoder(texts: readonly string[]): (json: string) => IndexedRow[] {
  const checks = new Map<number, ListedChecks>();
  const checksAt = (at: number): ListedChecks => {
    const found = checks.get(at) ?? (JSON.parse(texts[at] ?? "") as ListedChecks);
    checks.set(at, found);
    return found;
  };
  return (json) =>
    (JSON.parse(json) as Encoded[]).map((row) => {
      const files = decode(row, checksAt(row[8]), texts);
      return { kind: "read", name: row[0], files, anchor: row[19], present: row[1] };
    });
}

function decode(row: Encoded, { validators, scenarios, heldOut }: ListedChecks, texts: readonly string[]): ListedFiles {
  const [, , id, title, priority, dependsOn, repo, questionWaitMs, , unready, phase, blockers] = row;
  return {
    brief: {
      id,
      title,
      priority,
      dependsOn: dependsOn === 0 ? none : dependsOn,
      repo,
      questionWaitMs,
      validators,
      scenarios,
      heldOut,
    },
    unready: texts[unready] ?? null,
    phase,
    blockers,
    edited: row[12] === 1,
    history: row[13] === 0 ? noHistory : { ...noHistory, ...row[13] },
    movedAt: row[14],
    questions: row[15] === 0 ? none : row[15],
    paused: row[16],
    retry: row[17] === 1,
    hasPage: (row[18] & 1) !== 0,
    hasGit: (row[18] & 2) !== 0,
    hasState: (row[18] & 4) !== 0,
    hasEvidence: (row[18] & 8) !== 0,
    hasDecisions: (row[18] & 16) !== 0,
  };
}
