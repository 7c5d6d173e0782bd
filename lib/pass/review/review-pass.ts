import { join } from "node:path";
import { readCode } from "../../checks/read-code.ts";
import { contentBounds } from "../../git/content-bounds.ts";
import { diffAgainst } from "../../git/diff.ts";
import { diffFingerprints, type Fingerprint } from "../../git/fingerprint-entries.ts";
import { orderlyGraceMs } from "../../process/grace.ts";
import { endSurvivors } from "../../process/survivors.ts";
import type { ReviewedEvent } from "../../rules/events.ts";
import type { Tamper } from "../../rules/facts.ts";
import type { ModelEnd } from "../../rules/model-end.ts";
import { estimateOf } from "../../rules/spend.ts";
import { gatherSyncs, makeFolder, neverSynced } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { removeTree } from "../../store/remove-tree.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import { compareAndRestore, type Guard } from "../../task/guard/guard.ts";
import { putBackState } from "../../task/guard/state-file.ts";
import { clearCurrent, recordCheckpoint, recordCurrent } from "../../task/records/records.ts";
import { dropStaged, saveStaged } from "../../task/records/staging.ts";
import { passFolder } from "../../task/records/task-place.ts";
import { reviewFolder } from "../../task/records/work-folder.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { configError } from "../../text/errors.ts";
import { warningFinding } from "../../text/finding.ts";
import { setIdFindings } from "./model-findings.ts";
import { type CopyPlan, isTooBig, planCopy } from "./review-copy.ts";
import { logLine, mergedFile, renderResult, reportFile } from "./review-files.ts";
import { prepareRole, type ReviewRound, type RoleOutcome, runRole } from "./review-run.ts";

export type ReviewsDone =
  | {
      readonly kind: "done";
      readonly tampering: readonly Tamper[];
      /** How a reviewer ended that could not be asked: the model cannot do the pass either. Null if all could. */
      readonly end: ModelEnd | null;
    }
  | { readonly kind: "aborted" };

/** Lists what every copy will contain. A config error if that is too much for any reviewer to get a copy. */
export function planReview({ place }: Pick<TaskSession, "place">, repo: string, fingerprint: Fingerprint): CopyPlan {
  const plan = planCopy(repo, fingerprint);
  if (!isTooBig(plan)) return plan;
  const has = `${plan.contents.size} files with ${Math.ceil(plan.bytes / 2 ** 20)} MiB`;
  const most = `${contentBounds.files} files and ${contentBounds.bytes / 2 ** 20} MiB`;
  throw configError("TP_REVIEW_COPY", `the repo is too large for scratch copies: ${has}; at most ${most}`, {
    file: place.readme,
    fix: "remove `review` from the front matter, or set `repo` to a smaller folder",
  });
}

/**
 * Runs the reviewers at the same time, each on scratch copies of its own, and accepts their reports. A change that they
 * must not make is restored, and then none of their reports counts, since its author is unknown; likewise if the repo's
 * code moved under them.
 */
export async function runReviews(request: ReviewRequest): Promise<ReviewsDone> {
  const { session, guard, roles, pass } = request;
  const { place, ports } = session;
  const { anchor } = guard;
  const { reviews: earlier } = session.history;
  const folder = reviewFolder(anchor.folder, pass);
  const round = await openRound(request, folder);
  ports.tell("PREP", `reviewers running: ${roles.join(", ")}`);
  ports.live?.running(roles.map((role) => `reviewer ${role}`));
  ports.reviewing?.(roles);
  const settled = await Promise.allSettled(
    roles.map((role) => runRole(round, role, session.history.reviews[role]?.findings ?? [])),
  );
  ports.live?.running([]);
  await endSurvivors(guard.current.mark, [], orderlyGraceMs);
  const tampering = compareAndRestore(guard, "reviewers").tampering;
  putBackState(guard, session);
  // Only after all of them have ended: a thrown error must leave no reviewer running.
  const done = settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  session.findings.push(...done.flatMap(({ outcome }) => setIdFindings(request.model, outcome)));
  const after = await readCode(request.repo, place, "reviewers");
  const moved = diffFingerprints(request.fingerprint, after.fingerprint).map(({ path }) => path);
  const spoilt = renderVoid(tampering, moved);
  const events = done.filter(({ started }) => started).map((one) => toEvent(request, one, spoilt));
  if (!removeTree(folder)) {
    const fix = "remove that folder";
    session.findings.push(
      warningFinding("TP_SCRATCH_LEFT", "a reviewer's copy could not be removed", { file: folder, fix }),
    );
  }
  journalReviews(request, events, new Map(done.map(({ role, outcome }) => [role, outcome.finalText])));
  ports.reviewing?.([]);
  if (ports.signal.aborted) return { kind: "aborted" };
  return {
    kind: "done",
    tampering: [...tampering, ...(after.problem === null ? [] : [after.problem])],
    end: firstEnd(done, earlier),
  };
}

async function openRound(request: ReviewRequest, folder: string): Promise<ReviewRound> {
  const { session, guard, contract, model, timeoutMs, phase, pass, plan, roles } = request;
  const { place, ports, history } = session;
  const logs = join(guard.anchor.staging, "reviews");
  makeFolder(logs, 0o777, neverSynced);
  makeFolder(folder, 0o700);
  const round: ReviewRound = {
    ...{ place, contract, model, timeoutMs, phase, pass, plan, folder, logs, ports },
    stateText: history.state ?? "",
    diff: await readDiff(request, join(folder, "git")),
    current: guard.current,
    playedRecordings: history.started[model.name] ?? 0,
  };
  for (const role of roles) await prepareRole(round, role);
  // A run that is killed from here on may have spent this, and the next one charges it.
  const reviewers = roles.map((role) => cutOffEvent(request, role));
  recordCurrent(guard.anchor, { ...guard.current, reviewers });
  return round;
}

async function readDiff({ session, repo }: ReviewRequest, scratch: string): Promise<ReviewRound["diff"]> {
  const { place, ports, journal } = session;
  const first = journal.events.find((event) => event.type === "pass_started" && event.head_commit !== undefined);
  const commit = first?.type === "pass_started" ? (first.head_commit ?? null) : null;
  const diff = await diffAgainst(repo, commit, { scratch, leaveOut: fingerprintExcludes(place, repo), env: ports.env });
  if (diff.kind === "none") return { bytes: null, note: diff.why };
  const base = diff.base === null ? "nothing, since there is no commit yet" : `commit ${diff.base.slice(0, 12)}`;
  const known = diff.base !== null && diff.base === commit ? ", where the task began" : "";
  const size = diff.bytes.length === 0 ? "empty: nothing differs" : diff.cut ? "cut at 1 MiB" : "whole";
  return { bytes: diff.bytes, note: `against ${base}${known}; ${size}` };
}

function renderVoid(tampering: readonly Tamper[], moved: readonly string[]): string | null {
  const paths = (all: readonly string[]) => `${all.slice(0, 20).join(", ")}${all.length > 20 ? " and more" : ""}`;
  if (tampering.length > 0)
    return `void: a reviewer changed something protected: ${paths(tampering.map(({ path }) => path))}`;
  return moved.length > 0 ? `void: the repo changed while the reviewers worked: ${paths(moved)}` : null;
}

/** The reasons not to call the model, the longest-lasting first. */
const unaskable = ["limited", "auth_failed", "not_started", "timed_out"] as const;

function firstEnd(done: readonly RoleOutcome[], earlier: TaskSession["history"]["reviews"]): ModelEnd | null {
  for (const kind of unaskable) {
    const found = done.find(({ outcome }) => outcome.end.kind === kind);
    if (found !== undefined) return named(found);
  }
  // The pass could come to nothing without its report, and would be paid for. Killed again, it counts as any missing report:
  // else a reviewer that always dies would be paid for again and again, and no task would ever be stuck by it.
  const killed = done.find(
    ({ role, problem, outcome: { end } }) =>
      end.kind === "exited" && end.signal !== null && earlier[role]?.problem !== problem,
  );
  return killed === undefined ? null : { kind: "not_started", reason: `reviewer ${killed.role}: ${killed.problem}` };
}

function named({ role, outcome: { end } }: RoleOutcome): ModelEnd {
  if (end.kind === "timed_out") return { ...end, role };
  return "reason" in end ? { ...end, reason: `reviewer ${role}: ${end.reason}` } : end;
}

interface ReviewRequest extends Pick<ReviewRound, "contract" | "model" | "timeoutMs" | "phase" | "pass" | "plan"> {
  readonly session: TaskSession;
  readonly repo: string;
  /** The call of the loop whose budget pays, or null. */
  readonly run: string | null;
  /** The roles to ask; at least one. */
  readonly roles: readonly string[];
  /** The repo as it is before, and the frame in the accepted STATE.md. */
  readonly fingerprint: Fingerprint;
  readonly frame: string;
  /** With the anchor in place: from here on what they change is found. */
  readonly guard: Guard;
}

/** The event of a reviewer that ended; `spoilt` is the reason why no report of the round counts. */
function toEvent(
  request: ReviewRequest,
  { role, outcome, problem, findings }: RoleOutcome,
  spoilt: string | null,
): ReviewedEvent {
  return {
    ...cutOffEvent(request, role),
    problem: spoilt ?? problem,
    findings: spoilt === null ? findings : [],
    end: outcome.end,
    duration_ms: outcome.durationMs,
    cost_usd: outcome.costUsd,
    tokens: outcome.tokens,
  };
}

function cutOffEvent(
  { session, model, run, phase, pass, fingerprint, frame }: ReviewRequest,
  role: string,
): ReviewedEvent {
  const { history, ports } = session;
  return {
    type: "reviewed",
    at: ports.now().toISOString(),
    pass,
    run,
    phase,
    role,
    fingerprint: fingerprint.hash,
    frame,
    problem: "the run was cut off",
    findings: [],
    model: model.name,
    estimate_usd: estimateOf(history.spend, model.name, model.estimateUsd),
    end: { kind: "interrupted", cause: "cut_off", reason: "the runner was cut off" },
    duration_ms: 0,
    cost_usd: null,
    tokens: { input: null, output: null },
  };
}

/** The reports become files of the pass and events. Nothing that could change them is alive. */
function journalReviews(
  request: ReviewRequest,
  events: readonly ReviewedEvent[],
  said: ReadonlyMap<string, string>,
): void {
  const { session, guard, pass } = request;
  const { place, ports, history } = session;
  if (events.length === 0) {
    clearCurrent(guard.anchor);
    return;
  }
  recordCheckpoint(guard.anchor, guard.current);
  const syncs = gatherSyncs();
  saveStaged(guard.anchor, passFolder(place, pass), ports.redactor, syncs);
  const folder = join(passFolder(place, pass), "reviews");
  const write = (name: string, text: string) => putFile(join(folder, name), ports.redactor.redact(text), { syncs });
  for (const event of events) write(`${event.role}.md`, reportFile(event, said.get(event.role) ?? ""));
  const newest = { ...history.reviews, ...Object.fromEntries(events.map((event) => [event.role, event])) };
  const roles = request.contract.policy.review.reviewers;
  const merged = roles.flatMap((role) => newest[role] ?? []);
  write("merged.md", mergedFile(pass, merged));
  syncs.sync();
  dropStaged(guard.anchor);
  for (const [index, event] of events.entries()) {
    const files = [{ path: "log.txt", text: logLine(event), append: true }];
    accept(session, { event, state: null, files, endsPass: index === 0 });
    ports.tell("PREP", `reviewer ${event.role}: ${renderResult(event)}`);
    if (event.problem === null) continue;
    const message = `reviewer ${event.role} gave no readable report: ${event.problem}`;
    session.findings.push(warningFinding("TP_REVIEW_MISSING", message, { file: join(folder, `${event.role}.md`) }));
  }
}
