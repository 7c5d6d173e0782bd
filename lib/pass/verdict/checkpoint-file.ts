import type { OpenClaim } from "../../rules/claim.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import { type Checkpoint, checkpointShape } from "../../rules/shapes/checkpoint.ts";
import type { StageTime } from "../../rules/shapes/pass-record.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { plural } from "../../rules/wording.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { putOwnFile } from "../../task/records/own-writes.ts";
import type { HeldTask } from "../../task/session.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { warningFinding } from "../../text/finding.ts";
import { msBetween } from "../../text/moment.ts";
import { redactDeep } from "../../text/redact.ts";
import { readShape } from "../../text/shape.ts";
import { renderResult } from "../review/review-files.ts";

export interface PassUnderWay extends Pick<OpenClaim, "pass" | "phase" | "model"> {
  readonly startedAt: Date;
  readonly timeoutMs: number;
  /** The roles that are asked now. */
  readonly reviewing?: readonly string[];
  /** Empty before EXEC. */
  readonly stages: readonly StageTime[];
}

/** Limits attempts and paths in the file; the journal has them all. */
const mostAttempts = 50;
const mostPaths = 1_000;

interface CheckpointTask {
  readonly id: string;
  readonly title: string;
  readonly reviewers?: readonly string[];
}

export function checkpointTask({ contract: { id, title }, policy }: TaskContract): CheckpointTask {
  return { id, title, reviewers: policy.review.reviewers };
}

/**
 * Writes artifacts/checkpoint.json: the task's state, for other programs. It caches the journal; only `git_commits` is
 * read back. `commits` replaces those, null keeps them if readable. `under`: the running pass, if any. Throws TP_DISK.
 */
export function writeCheckpoint(
  session: HeldTask,
  task: CheckpointTask,
  under: PassUnderWay | null,
  commits: readonly string[] | null = null,
): void {
  const { place, anchor, ports } = session;
  const value = checkpointOf(session, task, under, commits ?? knownCommits(session));
  const text = `${JSON.stringify(redactDeep(value, ports.redactor), null, 2)}\n`;
  if (under !== null) {
    putOwnFile(place, anchor, place.checkpoint, text);
    return;
  }
  // A power cut may take a cache.
  putFile(place.checkpoint, text, { durable: false });
}

function checkpointOf(
  { history, journal, ports }: HeldTask,
  task: CheckpointTask,
  under: PassUnderWay | null,
  commits: readonly string[],
): Checkpoint {
  const now = ports.now();
  const verdicts = journal.events.filter((event): event is VerdictEvent => event.type === "verdict");
  const last = under === null ? history.lastVerdict : null;
  const { spend, counts } = history;
  const elapsedMs = under === null ? (last?.duration_ms ?? null) : Math.round(msBetween(under.startedAt, now));
  return {
    version: 1,
    project_id: task.id,
    state: history.phase ?? "intake",
    timestamp: now.toISOString(),
    request: task.title,
    mode: history.run === null ? "run" : "loop",
    agents: [...listModels(history, under), ...listReviewers(history, task.reviewers ?? [], under)],
    self_heal: {
      current_problem: currentProblem(history),
      attempt: counts.repairs,
      history: verdicts
        .filter(({ from, to }) => from === "repair" || to === "repair")
        .slice(-mostAttempts)
        .map(toAttempt),
    },
    files_modified: changedPaths(verdicts),
    git_commits: commits,
    pass: under?.pass ?? (history.lastPass === 0 ? null : history.lastPass),
    step: under === null ? null : (under.stages.at(-1)?.stage ?? "PREP"),
    verdict: last?.verdict ?? null,
    run: history.run?.id ?? null,
    model: under?.model ?? last?.model ?? null,
    elapsed_ms: elapsedMs === null ? null : Math.max(0, elapsedMs),
    spend: {
      known_usd: spend.knownUsd,
      charged_usd: spend.chargedUsd,
      unknown_costs: spend.unknownPasses,
      tokens: spend.tokens,
      time_ms: spend.timeMs,
    },
    journal: { seq: journal.seq, head: journal.head },
  };
}

type Agent = Checkpoint["agents"][number];

function listModels({ started, lastVerdict }: HeldTask["history"], under: PassUnderWay | null): Agent[] {
  return Object.entries(started).map(([name, passes]) => {
    const works = under?.model === name;
    const last = lastVerdict?.model === name ? `, the last one ${lastVerdict.verdict}` : "";
    const progress = works ? `pass ${under.pass}, in ${under.phase}` : `${plural(passes, "pass", "passes")}${last}`;
    return { name, kind: "model", model: name, state: works ? "working" : "idle", progress, findings: [] };
  });
}

/** The contract's roles, and any other that has reported. */
function listReviewers(
  { reviews }: HeldTask["history"],
  roles: readonly string[],
  under: PassUnderWay | null,
): Agent[] {
  return [...new Set([...roles, ...Object.keys(reviews)])].map((name) => {
    const review = reviews[name];
    if (under?.reviewing?.includes(name) === true) {
      const progress = `reviews before pass ${under.pass}`;
      return { name, kind: "reviewer", model: under.model, state: "working", progress, findings: [] };
    }
    if (review === undefined)
      return { name, kind: "reviewer", model: null, state: "waiting", progress: "has not reported yet", findings: [] };
    const { model, problem, pass, findings } = review;
    const state = problem === null ? "reported" : "no_report";
    return {
      name,
      kind: "reviewer",
      model,
      state,
      progress: `${renderResult(review)}, before pass ${pass}`,
      findings,
    };
  });
}

function currentProblem({ tickets, counts, lastVerdict, phase }: HeldTask["history"]): string | null {
  if (phase === null || !isWorkingPhase(phase)) return null;
  if (phase === "repair" && tickets.length > 0) return tickets.map(({ text }) => text.split("\n")[0] ?? "").join("; ");
  // A row of redirects outlives accepted passes of its repair, whose reasons are no problem.
  return counts.failure === null || lastVerdict?.verdict === "accepted" ? null : (lastVerdict?.reason ?? null);
}

function toAttempt({ pass, at, from, to, verdict, reason }: VerdictEvent) {
  return { pass, at, from, to, verdict, reason };
}

function changedPaths(verdicts: readonly VerdictEvent[]): string[] {
  const paths = verdicts.flatMap((event) => event.changed_paths.map(({ path }) => path));
  return [...new Set(paths)].sort().slice(0, mostPaths);
}

/** From the present file; reports damage once, since it is rewritten. */
function knownCommits({ place, findings }: HeldTask): readonly string[] {
  const read = readRegularFile(place.checkpoint, 16 * 1024 * 1024);
  // Anything but a file is reported by the failing write.
  if (read.kind !== "file") return [];
  const written = readShape(checkpointShape, read.bytes);
  if (written.kind === "read") return written.value.git_commits;
  const message = `artifacts/checkpoint.json was damaged (${written.problem}): it is rewritten without the commits that it named`;
  findings.push(warningFinding("TP_CHECKPOINT", message, { file: place.checkpoint }));
  return [];
}

/** Like `writeCheckpoint`, but a failed write is a warning: this file is a cache. */
export function tryCheckpoint(session: HeldTask, task: CheckpointTask, commits: readonly string[] | null = null): void {
  try {
    writeCheckpoint(session, task, null, commits);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const message = `artifacts/checkpoint.json could not be written: ${error.message}`;
    session.findings.push(warningFinding("TP_CHECKPOINT", message, { file: session.place.checkpoint }));
  }
}
