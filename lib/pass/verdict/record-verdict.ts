import { basename, join } from "node:path";
import { makeNote, tryNotes, type WorkedModel } from "../../agents/rotation/model-notes.ts";
import { formatRecord } from "../../documents/judge-record.ts";
import { renderSummary } from "../../pages/markdown/evidence-parts.ts";
import { renderMade, verdictAndWhy } from "../../rules/made.ts";
import { untoldTrouble } from "../../rules/model-end.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import type { PassRecord } from "../../rules/shapes/pass-record.ts";
import { type HostedCode, maxListedPaths, type VerdictEvent } from "../../rules/verdict-event.ts";
import { type FolderSyncs, makeFolder, neverSynced } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { openIds } from "../../task/open-questions.ts";
import { dropStaged } from "../../task/records/staging.ts";
import { passFolder } from "../../task/records/task-place.ts";
import { accept, type HeldTask } from "../../task/session.ts";
import type { Finding } from "../../text/finding.ts";
import { redactDeep } from "../../text/redact.ts";
import { sha256 } from "../../text/sha256.ts";
import { tryCheckpoint } from "./checkpoint-file.ts";
import { renderLastError } from "./last-error.ts";
import { type Asked, deferredFile } from "./stop-task.ts";
import { type EvidenceTask, modelEvidence, writeEvidence } from "./write-evidence.ts";

export interface VerdictRequest {
  readonly session: HeldTask;
  /** Folders with files of this pass. */
  readonly syncs: FolderSyncs;
  readonly task: EvidenceTask;
  readonly record: PassRecord;
  readonly state: string;
  /** Digests of legal contents besides the last accepted text. Null: leave the file alone. */
  readonly over?: readonly string[] | null;
  readonly asked: Asked;
  readonly at: string;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokens: VerdictEvent["tokens"];
  /** The beginning of the model's words, if it did nothing else. */
  readonly answer: string | null;
  readonly contractSha256: string;
  /** Commits of earlier passes, newest first, for checkpoint.json; null: those that it names already. */
  readonly commits: readonly string[] | null;
  /** Null when closing an interrupted pass: HEAD may not be what it left. */
  readonly code: HostedCode | null;
  readonly worked: WorkedModel | null;
}

/** The event and STATE.md come last, so that no `done` appears without its proof. */
export function recordVerdict(request: VerdictRequest): VerdictEvent {
  const { session, record, syncs } = request;
  const { place, ports } = session;
  const { decision, pass } = record;
  const folder = passFolder(place, pass);
  makeFolder(folder, 0o777, syncs);
  const text = formatRecord(redactDeep(record, ports.redactor));
  putFile(join(folder, "pass.json"), text, { syncs });
  const { files, questions } = request.asked;
  const event = verdictEvent(request, sha256(text), openIds(questions));
  // The pass's own files came after the last compare.
  const known = (path: string) => (Number(basename(path)) < pass ? session.anchor.trees.filesIn(path) : null);
  const evidence = modelEvidence(session, request.task, { event, questions }, { known });
  // While the task is open, STATE.md makes the name of EVIDENCE.md durable, and the next verdict rewrites the page.
  const shown = writeEvidence(session, evidence, isWorkingPhase(decision.to) ? neverSynced : syncs);
  if (decision.to === "done") putFile(place.summary, ports.redactor.redact(renderSummary(evidence, shown)), { syncs });
  syncs.sync();
  dropStaged(session.anchor);
  const note = makeNote(session, record, event, request.worked);
  accept(session, {
    event,
    state: request.over === null ? null : request.state,
    over: request.over ?? [],
    endsPass: true,
    ...(note === null ? {} : { note: { text: JSON.stringify(note), deliver: () => tryNotes(session, note) } }),
    files: [
      { path: "log.txt", text: logLine(event), append: true },
      ...(decision.verdict === "accepted" ? [{ path: "progress.txt", text: progressLine(event), append: true }] : []),
      ...(decision.failure === null
        ? []
        : [{ path: "last_error.txt", text: renderLastError(event, decision.failure, record), append: false }]),
      ...(decision.escalation === null ? [] : deferredFile(decision.escalation, pass, request.at, decision.tickets)),
      ...files,
    ],
  });
  if (note === null) tryNotes(session, null);
  // A recovering run writes this once it knows the contract.
  if (record.model !== null || record.facts.end.kind === "no_model") {
    const reviewers = record.policy.review.reviewers;
    tryCheckpoint(session, { ...request.task, reviewers }, request.commits);
  }
  return event;
}

function verdictEvent(request: VerdictRequest, recordSha256: string, openQuestions: readonly string[]): VerdictEvent {
  const { record } = request;
  const { runner_fields: _fields, exit_name: _exit, ...decided } = record.decision;
  const { checks, fingerprint, end, tampering, put_back, evidence, watched, matrix } = record.facts;
  return {
    type: "verdict",
    at: request.at,
    pass: record.pass,
    model: record.model?.name ?? null,
    ...decided,
    ...{ checks, fingerprint, end, tampering, put_back, evidence, watched, matrix },
    tests_changed: record.policy.tests_changed,
    made: redactDeep(renderMade(record), request.session.ports.redactor),
    answer: request.answer,
    duration_ms: request.durationMs,
    cost_usd: request.costUsd,
    tokens: request.tokens,
    overridden: record.overridden,
    changed_paths: record.changed_paths.slice(0, maxListedPaths),
    open_questions: openQuestions,
    code: request.code,
    ...gitWarnings(request.session.findings),
    features: featuresOf(record),
    state: request.state,
    contract_sha256: request.contractSha256,
    record_sha256: recordSha256,
  };
}

/** For people who see only the task folder: no diff shows this. */
function gitWarnings(findings: readonly Finding[]): Pick<VerdictEvent, "git_warnings"> {
  const told = findings.filter(({ code }) => code === "TP_GIT_SETTINGS" || code === "TP_COMMITS_LOST");
  return told.length === 0 ? {} : { git_warnings: told.map(({ message }) => message) };
}

function featuresOf({ decision, proposal }: PassRecord): string[] {
  const taken = decision.verdict === "accepted" || decision.verdict === "redirected";
  return taken && proposal.kind === "read" ? proposal.state.features.map((row) => row.feature) : [];
}

function logLine(event: VerdictEvent): string {
  const said = verdictAndWhy(event).replace(/\s+/g, " ").slice(0, 500);
  const trouble = untoldTrouble(event);
  const model = trouble === null ? "" : `; the model ${trouble}`;
  return `${event.at} pass ${event.pass} ${event.from} → ${event.to} ${said}${model}${checksOf(event)}\n`;
}

const mostListedChecks = 20;

function checksOf({ checks }: VerdictEvent): string {
  const results = checks?.results ?? [];
  if (results.length === 0) return "";
  const listed = results.slice(0, mostListedChecks).map(({ name, status, required }) => {
    return `${name.replace(/\s+/g, " ")} ${status.replace("_", " ")}${required ? "" : " (optional)"}`;
  });
  const more = results.length - listed.length;
  return `; checks: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function progressLine(event: VerdictEvent): string {
  const made = event.made.join(", ");
  return `${event.at} pass ${event.pass} ${event.from} → ${event.to}${made === "" ? "" : `: ${made}`}\n`;
}
