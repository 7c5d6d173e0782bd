import { join } from "node:path";
import { briefChanges } from "../../documents/brief.ts";
import type { Question } from "../../documents/decisions.ts";
import { readOptionalFile } from "../../documents/read-task-file.ts";
import { type StateDocument, stateText } from "../../documents/state.ts";
import type { CommitFile } from "../../task/commit-event.ts";
import type { OpenTask } from "../../task/open-task.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { accept, parseAccepted, type Stop, type TaskSession } from "../../task/session.ts";
import { dataError, TaskPhaseError } from "../../text/errors.ts";
import { infoFinding } from "../../text/finding.ts";

import { writeState } from "../verdict/write-state.ts";
import { followClosedAnswers } from "./follow-closed-answers.ts";
import { type EditInput, judgeHandEdit, secretIn } from "./judge-hand-edit.ts";
import { followAnswer } from "./reopen.ts";
import { noJournal } from "./resume-command.ts";
import { takeDefaults } from "./take-defaults.ts";

export interface SettleInput extends EditInput {
  readonly task: OpenTask;
  /** `question_wait` of the contract, in milliseconds; null: no safe default is taken now. */
  readonly questionWaitMs: number | null;
}

export type Settled =
  | Stop
  | {
      readonly kind: "settled";
      readonly document: StateDocument;
      /** Of DECISIONS.md, with the safe defaults that were taken just now. */
      readonly questions: readonly Question[];
    };

/**
 * Decides where the task is before a pass. Bytes that differ from the last accepted ones are a person's edit, and are
 * judged; a task without a journal is adopted at intake; past their deadline, safe defaults are taken; once no question
 * is open, the task goes back to the phase that asked.
 */
export async function settleState(session: TaskSession, input: SettleInput): Promise<Settled> {
  const { place, history } = session;
  const { state: document, questions, sha256 } = input.task;
  if (history.state === null) {
    adoptTask(session, input.task);
    return { kind: "settled", document, questions };
  }
  const accepted = parseAccepted(history.state, place.journal);
  const settled =
    stateText(document) === history.state
      ? ({ kind: "settled", document: accepted } as const)
      : await judgeHandEdit(session, accepted, document, input);
  if (settled.kind === "stopped") return settled;
  const current =
    history.contractSha256 === sha256 ? settled.document : recordBriefChange(session, settled.document, input);
  const taken =
    input.questionWaitMs === null
      ? { document: current, questions }
      : takeDefaults(session, current, questions, input.questionWaitMs);
  followClosedAnswers(session, taken.questions);
  return { kind: "settled", ...taken, document: followAnswer(session, taken.document, taken.questions) };
}

/** Starts the journal of a task that has none. Throws a data error if STATE.md is not that of a new task. */
export function adoptTask(session: TaskSession, task: OpenTask): void {
  const { place, ports } = session;
  const document = task.state;
  const phase = document.view.phase;
  if (phase !== "intake") throw new TaskPhaseError("data", [noJournal(place, phase, ports.fence?.checkout ?? null)]);
  const secret = secretIn(session, document);
  if (secret !== null)
    throw dataError("TP_SECRET", secret, { file: place.state, fix: "remove it; name where it is kept instead" });
  const taken = { phase, state: stateText(document), contract_sha256: task.sha256 };
  const event = { type: "adopted", at: ports.now().toISOString(), ...taken } as const;
  accept(session, { event, state: null, files: keptBrief(session, task.sha256) });
}

/** The validator results under the earlier contract are void, and STATE.md shows it. */
function recordBriefChange(session: TaskSession, document: StateDocument, { task }: SettleInput): StateDocument {
  const pending = { validator_status: "pending", revalidation_status: "pending" };
  const at = session.ports.now().toISOString();
  const was = session.history.contractSha256 ?? "";
  const keys = changedKeys(session, session.history.contractSha256);
  const after = writeState(session, document, {
    at,
    fields: pending,
    event: (state) => ({ type: "brief_changed", at, was, contract_sha256: task.sha256, keys, state }),
    files: keptBrief(session, task.sha256),
  });
  session.findings.push(
    infoFinding("TP_BRIEF_CHANGED", "the brief was edited since the last pass; earlier validator results are invalid", {
      file: session.place.readme,
    }),
  );
  return after;
}

/** A copy of the brief beside the passes, so that a reader can see later what a person changed in it. */
export function keptBrief({ place }: TaskSession, sha256: string): CommitFile[] {
  const bytes = readOptionalFile(place.readme);
  return bytes === null ? [] : [{ path: pathOf(sha256), text: bytes.toString("utf8"), append: false }];
}

/** The differences from the brief with this digest; null if there is no copy of it. */
export function changedKeys({ place, ports }: TaskSession, was: string | null): readonly string[] | null {
  const before = was === null ? null : readOptionalFile(join(place.taskDir, pathOf(was)));
  const after = readOptionalFile(place.readme);
  if (before === null || after === null) return null;
  return briefChanges(before, Buffer.from(ports.redactor.redact(after.toString("utf8"))));
}

/** The brief with this digest, if there is a copy of it. */
export function readKeptBrief({ taskDir }: Pick<TaskPlace, "taskDir">, sha256: string): string | null {
  return readOptionalFile(join(taskDir, pathOf(sha256)))?.toString("utf8") ?? null;
}

function pathOf(sha256: string): string {
  return `artifacts/passes/briefs/${sha256.slice(0, 16)}.md`;
}
