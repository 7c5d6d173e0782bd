import { dataError, TaskPhaseError } from "../report/errors.ts";
import { infoFinding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import { editState, readState, type StateDocument } from "../task-folder/state.ts";
import { followAnswer } from "./follow-answer.ts";
import { followWatchAnswer } from "./follow-watch-answer.ts";
import { type EditInput, judgeHandEdit, secretIn } from "./judge-hand-edit.ts";
import { changedKeys, keptBrief } from "./kept-brief.ts";
import { unreadableFile } from "./look.ts";
import { accept, parseAccepted, type Stop, type TaskSession } from "./session.ts";
import { stateText } from "./state-text.ts";
import { takeDefaults } from "./take-defaults.ts";

export interface SettleInput extends EditInput {
  /** `question_wait` of the contract, in milliseconds; null: no safe default is taken now. */
  readonly questionWaitMs: number | null;
}

export type Settled =
  | Stop
  | {
      readonly kind: "settled";
      readonly document: StateDocument;
      /** The questions whose safe default was taken just now; in a dry run they stand open in the file. */
      readonly defaulted: readonly string[];
    };

/**
 * Where the task stands before a pass. Bytes that differ from the last accepted ones are a person's edit, and are
 * judged; a task without a journal is adopted at intake; where nobody answered in time, safe defaults are taken; once
 * no question is open, the task goes back to the phase that asked.
 */
export async function settleState(session: TaskSession, input: SettleInput): Promise<Settled> {
  const { place, history } = session;
  const bytes = readStateBytes(place.state);
  const document = parseState(bytes, place.state);
  if (history.state === null) return adopt(session, document, input);
  const accepted = parseAccepted(history.state, place.journal);
  const settled =
    stateText(document) === history.state
      ? ({ kind: "settled", document: accepted } as const)
      : await judgeHandEdit(session, accepted, document, input);
  if (settled.kind === "stopped") return settled;
  const current =
    history.contractSha256 === input.contractSha256
      ? settled.document
      : noteBriefChange(session, settled.document, input);
  const taken =
    input.questionWaitMs === null
      ? { document: current, defaulted: [] }
      : takeDefaults(session, current, input.questionWaitMs);
  followWatchAnswer(session);
  return { kind: "settled", ...taken, document: followAnswer(session, taken.document) };
}

export function readStateBytes(path: string): Buffer {
  const read = readRegularFile(path, 1024 * 1024);
  if (read.kind !== "file") throw unreadableFile(path, read);
  return read.bytes;
}

export function parseState(bytes: Buffer, path: string): StateDocument {
  const read = readState(bytes, path);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read.document;
}

function adopt(session: TaskSession, document: StateDocument, input: EditInput): Settled {
  const { place, ports } = session;
  const phase = document.view.phase;
  if (phase !== "intake") {
    throw dataError("TP_NO_JOURNAL", `STATE.md says ${phase}, and no journal says that it was ever accepted`, {
      file: place.state,
      fix: `set Phase to intake, or start a journal with: task-phase resume --task-dir ${place.taskDir} --to ${phase === "done" || phase === "blocked" || phase === "needs_user_decision" ? "intake" : phase} --reason "..."`,
    });
  }
  const secret = secretIn(session, document);
  if (secret !== null)
    throw dataError("TP_SECRET", secret, { file: place.state, fix: "take it out; name where it is kept instead" });
  accept(session, {
    event: {
      type: "adopted",
      at: ports.now().toISOString(),
      phase,
      state: stateText(document),
      contract_sha256: input.contractSha256,
    },
    state: null,
    files: keptBrief(session, input.contractSha256),
  });
  return { kind: "settled", document, defaulted: [] };
}

/** What the earlier contract's validators said is void, and STATE.md says so. */
function noteBriefChange(session: TaskSession, document: StateDocument, input: EditInput): StateDocument {
  const pending = { validator_status: "pending", revalidation_status: "pending" };
  const edited = editState(document, pending);
  const state = stateText(edited.document);
  const changed = state !== stateText(document);
  const keys = changedKeys(session, session.history.contractSha256);
  accept(session, {
    event: {
      type: "brief_changed",
      at: session.ports.now().toISOString(),
      was: session.history.contractSha256 ?? "",
      contract_sha256: input.contractSha256,
      ...(keys === null ? {} : { keys }),
      state,
    },
    state: changed ? state : null,
    files: keptBrief(session, input.contractSha256),
  });
  session.findings.push(
    infoFinding("TP_BRIEF_CHANGED", "the brief was edited since the last pass; earlier validator results are void", {
      file: session.place.readme,
    }),
  );
  return edited.document;
}
