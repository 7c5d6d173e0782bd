import type { ModelOutcome } from "../agents/run/run-model.ts";
import type { Decision } from "../rules/decision.ts";
import type { ModelRecord, PassRecord } from "../rules/shapes/pass-record.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { oneLine } from "../rules/wording.ts";
import { commitsIn } from "../rules/words.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import { storeDelivered, storeReviewed } from "../task/records/anchor.ts";
import { recordCheckpoint } from "../task/records/records.ts";
import { saveStaged } from "../task/records/staging.ts";
import { passFolder } from "../task/records/task-place.ts";
import { msBetween } from "../text/moment.ts";
import { shorten } from "../text/shorten.ts";
import { writePatch } from "./checkpoint/git-capture.ts";
import { listCommits } from "./checkpoint/git-checkpoint.ts";
import { changedSince } from "./checkpoint/git-pending.ts";
import { evidenceLink, hostedRepo, readHostedCode } from "./checkpoint/hosted.ts";
import type { PassCall, PreparedPass } from "./prepared-pass.ts";
import type { ValidatedPass } from "./validate.ts";
import { recordVerdict } from "./verdict/record-verdict.ts";
import { stateAfter } from "./verdict/state-after.ts";
import { askAfter } from "./verdict/stop-task.ts";
import { statusAfterVerdict } from "./verdict/write-state.ts";

/**
 * Before the first file that the runner writes of its verdict. The fingerprint that was reviewed counts only if the
 * journal names the same one.
 */
export function beginRecord({ guard }: PreparedPass, { fingerprint, handed }: ValidatedPass, decision: Decision): void {
  if (decision.verdict === "accepted" && decision.to === "review") {
    storeReviewed(guard.anchor, fingerprint);
    if (handed !== null) storeDelivered(guard.anchor, handed.task);
  }
  recordCheckpoint(guard.anchor, guard.current);
}

/** CHECKPOINT, and DONE if the task is done: makes the verdict durable with everything that goes with it. */
export async function checkpoint(
  prepared: PreparedPass,
  outcome: ModelOutcome,
  validated: ValidatedPass,
  decision: Decision,
  { trace, startedAt }: PassCall,
): Promise<VerdictEvent> {
  const { session, pass, contract, syncs } = prepared;
  const { place, ports, anchor } = session;
  const { facts } = validated;
  saveStaged(anchor, passFolder(place, pass), ports.redactor, syncs);
  const changedPaths = validated.changedPaths.map(({ path }) => path);
  const since = changedSince(place, session.journal.events, changedPaths);
  session.findings.push(...(await writePatch(prepared.git, { place, pass, changedPaths, since, syncs }, ports)));
  const excludes = fingerprintExcludes(place, prepared.repo);
  const code = await readHostedCode(prepared.repo, excludes, contract.config, ports);
  const hosted = await hostedRepo(place, prepared.repo, code, ports);
  const at = ports.now();
  const asked = askAfter(session, decision, pass, at.toISOString());
  const after = stateAfter(
    decision,
    prepared.document,
    validated.document,
    evidenceLink(place, facts.evidence.link_target, contract.config, hosted),
    at.toISOString(),
    statusAfterVerdict(decision, facts, {
      history: session.history,
      blockers: (decision.escalation ?? validated.document?.view.fields ?? prepared.document.view.fields).blockers,
      questions: asked.questions,
      redactor: ports.redactor,
    }),
  );
  if (decision.to === "done") trace.enter("DONE");
  const record: PassRecord = {
    version: 1,
    task: contract.contract.id,
    pass,
    model: modelRecord(prepared, outcome),
    stages: trace.list(),
    before: validated.before,
    proposal: validated.proposal,
    facts,
    policy: contract.policy,
    decision,
    overridden: after.overridden,
    changed_paths: validated.changedPaths,
    output: { stdout: streamRecord(outcome.stdout), stderr: streamRecord(outcome.stderr) },
    ended_processes: outcome.ended.map(({ pid, command }) => ({ pid, command })),
    note: outcome.note,
  };
  return recordVerdict({
    session,
    syncs,
    task: { id: contract.contract.id, title: contract.contract.title, userFacing: contract.policy.user_facing },
    record,
    asked,
    state: after.text,
    at: at.toISOString(),
    durationMs: Math.max(0, Math.round(msBetween(startedAt, at) - prepared.ahead.reviewedMs)),
    costUsd: outcome.costUsd,
    tokens: outcome.tokens,
    answer: decision.verdict === "no_progress" ? answerOf(outcome, changedPaths) : null,
    contractSha256: contract.sha256,
    commits: await commitsBefore(prepared),
    code,
    worked: prepared.model === null ? null : { ...prepared.model, repo: { branch: code.branch, dirty: code.dirty } },
  });
}

/** Of a model that changed nothing and only spoke; at most 300 characters on one line. */
function answerOf({ finalText }: ModelOutcome, changedPaths: readonly string[]): string | null {
  const said = oneLine(finalText);
  return changedPaths.length > 0 || said === "" ? null : shorten(said, 300);
}

/** The commit of this pass holds checkpoint.json, so that can name only those before. */
async function commitsBefore({ contract, repo, session }: PreparedPass): Promise<readonly string[] | null> {
  if (!commitsIn(contract.config.checkpoint)) return null;
  const commits = await listCommits(repo, contract.contract.id, mostCommits, session.ports.env);
  return commits.map(({ sha }) => sha);
}

const mostCommits = 100;

function modelRecord({ model }: PreparedPass, outcome: ModelOutcome): ModelRecord | null {
  if (model === null) return null;
  return {
    name: model.name,
    adapter: model.adapter,
    turns: outcome.turns,
    session_id: outcome.sessionId,
    cost_source: outcome.costSource,
    error: outcome.error,
  };
}

function streamRecord(stream: ModelOutcome["stdout"]) {
  return { bytes: stream.bytes, kept_bytes: stream.keptBytes, cut: stream.cut };
}
