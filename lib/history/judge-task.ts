import { isDeepStrictEqual } from "node:util";
import { judgeRecord, maxRecordBytes, type RecordJudgement } from "../documents/judge-record.ts";
import { passName, readPack } from "../documents/pass-pack.ts";
import { readAccepted, readAcceptedPhase } from "../documents/read-accepted.ts";
import type { TreeEntry } from "../git/list-tree.ts";
import type { TaskEvent } from "../rules/events.ts";
import type { TaskHistory } from "../rules/history.ts";
import { judgeEvent } from "../rules/judge-event.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import type { JournalVersion } from "./journal-chain.ts";
import { type Bases, judgeGrowth } from "./judge-growth.ts";
import { judgeState } from "./judge-state.ts";
import type { Problem } from "./problem.ts";
import { type BlobSource, readJournals } from "./read-journals.ts";
import { type CommittedStep, isSameEntry, journalFile, type WalkedTask } from "./walk-tasks.ts";

export async function judgeTask(task: WalkedTask, source: BlobSource, path: string) {
  const journals = await readJournals(task, source, path);
  const bases: Bases = new Map();
  const judged = new Set<string>();
  const unrecorded = new Map<number, CommittedStep>();
  const problems: Problem[] = [];
  const states: ReadStep[] = [];
  // First: on another branch, a trusted commit may come after one that is not.
  for (const { now, judged: isJudged } of task.steps) {
    const version = journals.versions.get(now.journal?.oid ?? "");
    if (!isJudged && typeof version === "object") newEvents(version, judged);
  }
  const taken = judged.size;
  for (const step of task.steps.filter(({ judged: isJudged }) => isJudged)) {
    const place = { order: step.order, sha: step.commit.sha, task: task.name };
    const { version, problem } = judgeGrowth(step, journals, bases);
    if (problem !== null) problems.push({ ...problem, ...place, file: journalFile, move: null });
    for (const [index, event] of newEvents(version, judged)) {
      const found = await judgeAddedEvent(event, index, version, task, source);
      for (const one of found.problems) problems.push({ ...one, ...place });
      if (found.unrecorded && event.type === "verdict") unrecorded.set(event.pass, step);
    }
    // Without a readable journal, which is already reported, nothing can judge STATE.md.
    if (step.now.journal === null ? problem !== null : version === null || version.problem !== null) continue;
    const state = await judgeState(step, version, journals, source, problem?.severity === "error");
    states.push({ entry: step.now.state, problem: state.readable ? null : problems.length });
    if (state.problem !== null) problems.push({ ...state.problem, ...place, file: "STATE.md" });
  }
  const settled = judgeUnreadable(problems, states, task.head.state);
  const last = [...unrecorded.values()].at(-1);
  if (last !== undefined) settled.push(makeUnrecorded(task.name, [...unrecorded.keys()], last));
  return { problems: settled, events: judged.size - taken };
}

/** From the newest back to the first judged one: a line's digest covers all lines before it. */
function newEvents(version: JournalVersion | null, judged: Set<string>): [index: number, event: TaskEvent][] {
  const added: [number, TaskEvent][] = [];
  if (version === null) return added;
  const { heads, events } = version.chain;
  for (let index = version.count - 1; index >= 0; index--) {
    const head = heads[index] ?? "";
    const event = events[index];
    if (event === undefined || judged.has(head)) break;
    judged.add(head);
    added.push([index, event]);
  }
  return added.reverse();
}

type EventProblem = Omit<Problem, "order" | "sha" | "task">;

async function judgeAddedEvent(
  event: TaskEvent,
  index: number,
  version: JournalVersion | null,
  task: WalkedTask,
  source: BlobSource,
): Promise<{ problems: EventProblem[]; unrecorded: boolean }> {
  const chain = version?.chain;
  const before = chain?.histories[index];
  if (chain === undefined || before === undefined) return { problems: [], unrecorded: false };
  const move = "to" in event ? { from: before.phase, to: event.to } : null;
  const tell = (code: string, text: string): EventProblem => ({
    severity: "error",
    code,
    exit: "rejected",
    text,
    file: journalFile,
    line: index + 1,
    fix: "remove this commit from the branch; only task-phase writes the journal",
    move,
  });
  const wrong = judgeEvent(event, {
    before,
    previous: chain.events[index - 1] ?? null,
    next: chain.events[index + 1] ?? null,
    read: readAccepted,
    readPhase: readAcceptedPhase,
  });
  const problems = wrong.map((text) => tell("TP_HISTORY_EVENT", `no runner wrote the event ${event.type}: ${text}`));
  if (event.type !== "verdict") return { problems, unrecorded: false };
  const record = await judgeCommittedRecord(event, before, task, source);
  if (record.kind === "holds") return { problems, unrecorded: false };
  if (record.kind === "wrong") return { problems: [...problems, tell(record.code, record.text)], unrecorded: false };
  if (event.to !== "done") return { problems, unrecorded: true };
  const text = `done without its record: no commit has the pass.json of pass ${event.pass}`;
  const fix = "commit artifacts/passes/ too, with the pass.json that the journal names";
  return { problems: [...problems, { ...tell("TP_HISTORY_RECORD_MISSING", text), fix }], unrecorded: false };
}

/** An ignore file usually leaves out all artifacts: one remark covers all passes. */
function makeUnrecorded(task: string, passes: readonly number[], { order, commit }: CommittedStep): Problem {
  const shown = passes.slice(0, 10).join(", ");
  const which = passes.length === 1 ? `pass ${shown}` : `passes ${shown}${passes.length > 10 ? " and more" : ""}`;
  return {
    severity: "warning",
    code: "TP_HISTORY_RECORD_MISSING",
    exit: "rejected",
    text: `no commit has the pass.json of ${which}, so its verdict cannot be decided again`,
    order,
    sha: commit.sha,
    task,
    file: journalFile,
    line: null,
    fix: "commit artifacts/passes/*/pass.json too",
    move: null,
  };
}

interface ReadStep {
  readonly entry: TreeEntry | null;
  /** Index of the problem that it cannot be read; null if readable or gone. */
  readonly problem: number | null;
}

/**
 * An unreadable STATE.md claims no transition: it is a warning if a later commit has a readable one or none. HEAD's,
 * and what led to it without a readable one between, stays an error.
 */
function judgeUnreadable(problems: readonly Problem[], steps: readonly ReadStep[], head: TreeEntry | null): Problem[] {
  const isHeads = ({ entry }: ReadStep) => isSameEntry(entry, head);
  const broken = steps.some((step) => step.problem !== null && isHeads(step));
  const readAgain = broken ? steps.findLastIndex(({ problem }) => problem === null) : steps.length;
  const settled = new Set(
    steps.flatMap((step, index) =>
      step.problem !== null && index < readAgain && !isHeads(step) ? [step.problem] : [],
    ),
  );
  return problems.map((problem, index) =>
    settled.has(index)
      ? { ...problem, severity: "warning", text: `${problem.text}; a later commit corrected it`, fix: null }
      : problem,
  );
}

type CommittedRecord =
  | { readonly kind: "holds" }
  | { readonly kind: "missing" }
  | { readonly kind: "wrong"; readonly code: string; readonly text: string };

/** Whether a committed pass.json has the verdict's digest and leads to that verdict, in whichever commit. */
async function judgeCommittedRecord(
  event: VerdictEvent,
  before: TaskHistory,
  task: WalkedTask,
  { read }: Pick<BlobSource, "read">,
): Promise<CommittedRecord> {
  let worst: CommittedRecord = { kind: "missing" };
  for await (const bytes of listRecords(event, task, read)) {
    const judgement = judgeRecord(bytes, event, before);
    if (judgement.kind === "holds") return compareWithJournal(event, before, judgement);
    // A record with the right digest says more.
    if (worst.kind === "missing" || judgement.code !== "TP_RECORD_CHANGED") {
      worst = { kind: "wrong", code: judgement.code.replace("TP_", "TP_HISTORY_"), text: judgement.message };
    }
  }
  return worst;
}

/** Lists records in packs last. */
async function* listRecords(event: VerdictEvent, task: WalkedTask, read: BlobSource["read"]): AsyncGenerator<Buffer> {
  const name = passName(event.pass);
  for (const oid of task.records.get(name) ?? []) {
    const object = await read(oid, maxRecordBytes);
    if (object.kind === "blob") yield object.bytes;
  }
  for (const oid of task.packs) {
    const object = await read(oid, maxRecordBytes);
    const pack = object.kind === "blob" ? readPack(object.bytes) : null;
    const text = pack?.kind === "read" ? pack.files.get(`${name}/pass.json`) : undefined;
    if (text !== undefined) yield Buffer.from(text);
  }
}

/** Whether the journal agrees with the record, so that the judgement of one holds for the other. */
function compareWithJournal(
  event: VerdictEvent,
  before: TaskHistory,
  { record }: Extract<RecordJudgement, { kind: "holds" }>,
): CommittedRecord {
  const { facts, decision } = record;
  const reviewed = event.to === "done" ? facts.reviewed_fingerprint : before.reviewedFingerprint;
  const pairs = {
    "the checks": [event.checks, facts.checks],
    "the gates": [event.gates, decision.gates],
    "the proposal": [event.proposed, decision.proposed],
    "the fingerprint of the repo": [event.fingerprint, facts.fingerprint],
    "the end of the model": [event.end, facts.end],
    "what must not change": [event.tampering, facts.tampering],
    "the fingerprint of the accepted verify → review": [before.reviewedFingerprint, reviewed],
  };
  const differs = Object.entries(pairs).flatMap(([name, [told, was]]) => (isDeepStrictEqual(told, was) ? [] : [name]));
  if (differs.length === 0) return { kind: "holds" };
  const text = `the record of pass ${event.pass} and the journal disagree about ${differs.join(", ")}`;
  return { kind: "wrong", code: "TP_HISTORY_RECORD_DIFFERS", text };
}
