import { checkText } from "../documents/check-text.ts";
import { plainPhase } from "../documents/plain-phase.ts";
import { readState, type StateRead } from "../documents/read-state.ts";
import { isFile } from "../git/list-tree.ts";
import { blobName } from "../git/objects.ts";
import type { TaskHistory } from "../rules/history.ts";
import { judgePastEdit } from "../rules/person-edit.ts";
import type { Phase } from "../rules/phases.ts";
import type { JournalVersion } from "./journal-chain.ts";
import type { Problem } from "./problem.ts";
import { type BlobSource, continuations, type TaskJournals } from "./read-journals.ts";
import type { CommittedStep } from "./walk-tasks.ts";

type StateProblem = Pick<Problem, "severity" | "code" | "exit" | "text" | "line" | "fix" | "move">;

interface StateJudgement {
  readonly problem: StateProblem | null;
  /** Whether it could be read; a later commit may repair it. */
  readonly readable: boolean;
}

export const maxStateBytes = 1024 * 1024;

const drop =
  "remove this commit from the branch; a later commit does not undo it, unless task-phase refuses this very edit and the journal that records it is committed";

const holds: StateJudgement = { problem: null, readable: true };

/**
 * Whether a commit's STATE.md is the last accepted one of its journal, or a legal edit by a person. Expects a readable
 * journal or none. `cut`: the journal lacks what an earlier commit had, which is already reported.
 */
export async function judgeState(
  step: CommittedStep,
  version: JournalVersion | null,
  journals: TaskJournals,
  source: BlobSource,
  cut: boolean,
): Promise<StateJudgement> {
  const entry = step.now.state;
  if (entry === null) return holds;
  const history = version === null ? null : (version.chain.histories[version.count] ?? null);
  const accepted = history?.state ?? null;
  if (isFile(entry) && accepted !== null && blobName(Buffer.from(accepted), entry.oid.length) === entry.oid)
    return holds;
  if (!isFile(entry)) return { problem: unreadable("it is not a regular file", null), readable: false };
  const object = await source.read(entry.oid, maxStateBytes);
  // An unreadable file may contain anything.
  if (object.kind === "missing") return { problem: unreadable("it is not in this repository", null), readable: true };
  if (object.kind === "too_big")
    return { problem: unreadable(`it is too large (${object.size} bytes)`, null), readable: false };
  if (accepted !== null && keepsPhase(object.bytes, accepted)) return holds;
  const read: StateRead = readState(object.bytes, "STATE.md");
  if (read.kind === "unreadable") {
    const [finding] = read.findings;
    return { problem: unreadable(finding?.message ?? "", finding?.line ?? null), readable: false };
  }
  const { view, fields } = read.document;
  const { line } = fields.phase;
  if (history === null || accepted === null) {
    if (view.phase === "intake") return holds;
    const text = `STATE.md says ${view.phase}, but no journal shows that it was ever accepted; expected intake, or artifacts/journal.jsonl in the same commit`;
    return settle({ code: "TP_HISTORY_NO_JOURNAL", text, line, move: { from: null, to: view.phase } });
  }
  const before = readState(Buffer.from(accepted), "STATE.md");
  // An unreadable STATE.md is reported at the event that accepted it.
  if (before.kind === "unreadable") return holds;
  const judgement = judgePastEdit(before.document.view, view, history);
  if (judgement.kind === "accepted") return holds;
  const from = before.document.view.phase;
  const code = view.phase === "done" ? "TP_HISTORY_DONE" : "TP_HISTORY_MOVE";
  const text = `STATE.md says ${view.phase}, but the last accepted phase is ${from}: ${judgement.reason}`;
  return settle({ code, text, line, move: { from, to: view.phase } });

  /** A later commit's journal shows what the runner wrote or refused. */
  function settle(problem: Pick<StateProblem, "code" | "text" | "line" | "move">): StateJudgement {
    const oid = entry?.oid ?? "";
    const wrong = { ...problem, severity: "error", exit: "rejected", fix: drop } as const;
    const told = { ...wrong, severity: "info" } as const;
    const later = findVersion(oid, problem.move, version, continuations(journals, version, step.order));
    if (later === "accepted") {
      const text = `STATE.md says ${problem.move?.to}, which the journal of a later commit accepted exactly as it is`;
      const fix = "commit STATE.md and artifacts/ together";
      return { problem: { ...told, code: "TP_HISTORY_LATE_JOURNAL", text, fix }, readable: true };
    }
    if (later === "refused") {
      const text = `${problem.text}; task-phase refused that later`;
      return { problem: { ...told, code: "TP_HISTORY_REFUSED", text, fix: null }, readable: true };
    }
    // STATE.md matches the whole journal, ahead of a cut one: the cut is the problem.
    const ahead = cut && findVersion(oid, null, version, continuations(journals, version, -1)) === "accepted";
    return ahead ? holds : { problem: wrong, readable: true };
  }
}

/** A person may edit anything below an unchanged phase. Most edits do just that, and this needs no parser. */
function keepsPhase(bytes: Buffer, accepted: string): boolean {
  const phase = plainPhase(bytes.toString("utf8"));
  return phase !== null && phase === plainPhase(accepted) && checkText(bytes, "STATE.md").kind === "text";
}

function findVersion(
  oid: string,
  move: { readonly from: Phase | null; readonly to: Phase } | null,
  version: JournalVersion | null,
  chains: ReturnType<typeof continuations>,
): "accepted" | "refused" | null {
  for (const [{ events, histories }, end] of chains) {
    for (let index = version?.count ?? 0; index < end; index++) {
      const event = events[index];
      if (event === undefined) break;
      if ("state" in event && event.state !== null && blobName(Buffer.from(event.state), oid.length) === oid)
        return "accepted";
      const before: TaskHistory | undefined = histories[index];
      if (event.type === "edit_refused" && before?.phase === move?.from && event.to === move?.to) return "refused";
    }
  }
  return null;
}

function unreadable(why: string, line: number | null): StateProblem {
  const fix = "correct STATE.md, and commit it";
  const text = `STATE.md cannot be read: ${why}`;
  return { severity: "error", code: "TP_HISTORY_STATE_UNREADABLE", exit: "data", text, line, fix, move: null };
}
