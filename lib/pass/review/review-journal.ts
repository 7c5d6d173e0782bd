import { join } from "node:path";
import type { ModelConfig } from "../../documents/config/model-schema.ts";
import type { Fingerprint } from "../../git/fingerprint-entries.ts";
import type { ReviewedEvent } from "../../rules/events.ts";
import { estimateOf } from "../../rules/spend.ts";
import { gatherSyncs } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import type { Guard } from "../../task/guard/guard.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { clearCurrent, recordCheckpoint } from "../../task/records/records.ts";
import { dropSpool, keepSpool } from "../../task/records/spool.ts";
import { passFolder } from "../../task/records/task-place.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { warningFinding } from "../../text/finding.ts";
import type { CopyPlan } from "./review-copy.ts";
import { describeResult, logLine, mergedFile, reportFile } from "./review-files.ts";
import type { RoleOutcome } from "./review-run.ts";

export interface ReviewRequest {
  readonly session: TaskSession;
  readonly contract: TaskContract;
  readonly repo: string;
  readonly model: ModelConfig;
  readonly timeoutMs: number;
  readonly phase: "shape" | "review";
  readonly pass: number;
  /** The roles to ask; at least one. */
  readonly roles: readonly string[];
  /** The repo as it is before, and the frame in the accepted STATE.md. */
  readonly fingerprint: Fingerprint;
  readonly frame: string;
  readonly plan: CopyPlan;
  /** With the anchor in place: from here on what they change is found. */
  readonly guard: Guard;
}

/** The event of a reviewer that ended; `spoilt` is the reason why no report of the round counts. */
export function toEvent(
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

export function cutOffEvent(
  { session, model, phase, pass, fingerprint, frame }: ReviewRequest,
  role: string,
): ReviewedEvent {
  const { history, ports } = session;
  return {
    type: "reviewed",
    at: ports.now().toISOString(),
    pass,
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
export function journalReviews(
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
  keepSpool(guard.anchor, passFolder(place, pass), ports.redactor, syncs);
  const folder = join(passFolder(place, pass), "reviews");
  const write = (name: string, text: string) => putFile(join(folder, name), ports.redactor.redact(text), { syncs });
  for (const event of events) write(`${event.role}.md`, reportFile(event, said.get(event.role) ?? ""));
  const newest = { ...history.reviews, ...Object.fromEntries(events.map((event) => [event.role, event])) };
  const roles = request.contract.policy.review.reviewers;
  write(
    "merged.md",
    mergedFile(
      pass,
      roles.flatMap((role) => newest[role] ?? []),
    ),
  );
  syncs.sync();
  dropSpool(guard.anchor);
  for (const [index, event] of events.entries()) {
    const files = [{ path: "log.txt", text: logLine(event), append: true }];
    accept(session, { event, state: null, files, endsPass: index === 0 });
    ports.tell("PREP", `reviewer ${event.role}: ${describeResult(event)}`);
    if (event.problem === null) continue;
    const message = `reviewer ${event.role} gave no readable report: ${event.problem}`;
    session.findings.push(warningFinding("TP_REVIEW_MISSING", message, { file: join(folder, `${event.role}.md`) }));
  }
}
