import { noCodeFolders } from "../checks/delivery.ts";
import type { Handed } from "../checks/handover.ts";
import { readCode } from "../checks/read-code.ts";
import { somePaths } from "../git/choose-paths.ts";
import { renderUnproven } from "../git/commit.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import { claimMarginMs } from "../rules/claim.ts";
import { isOnlyNoted } from "../rules/only-noted.ts";
import { isWorkingPhase } from "../rules/phases.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { plural } from "../rules/wording.ts";
import { commitsIn } from "../rules/words.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { FenceRefusal, PassPorts } from "../task/records/ports.ts";
import { accept, type HeldTask, parseAccepted, type Stop, type TaskSession } from "../task/session.ts";
import { shorten } from "../text/shorten.ts";
import { attestTask } from "./attest/attest-task.ts";
import { claimMessage, commitMessage } from "./checkpoint/commit-message.ts";
import { supersededBy } from "./checkpoint/find-lost-pass.ts";
import { nameIgnoredCode } from "./checkpoint/git-capture.ts";
import { type GitCheckpointRequest, gitCheckpoint } from "./checkpoint/git-checkpoint.ts";
import { changedSince } from "./checkpoint/git-pending.ts";
import { signerOf } from "./checkpoint/signing-key.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { renderResult } from "./review/review-files.ts";
import type { ValidatedPass } from "./validate.ts";
import { trimToProof, writePages } from "./verdict/write-evidence.ts";
import { statusUndelivered, writeState } from "./verdict/write-state.ts";

export type KeptPass = Pick<PreparedPass, "session" | "contract" | "repo"> & {
  readonly git: Pick<PreparedPass["git"], "ignored">;
};

/**
 * The very last write of a pass: what is written later would stay uncommitted. Not null: it is not the task's, as when
 * another machine's pass was pushed first.
 */
export async function commitVerdict(
  prepared: KeptPass,
  event: VerdictEvent,
  validated: Pick<ValidatedPass, "changedPaths" | "fingerprint" | "handed">,
  ports: PassPorts,
): Promise<FenceRefusal | null> {
  const { session, contract, repo, git } = prepared;
  const { checkpoint, commits, sign } = contract.config;
  const changedPaths = validated.changedPaths.map(({ path }) => path);
  const handed = isProof(event) ? validated.handed : null;
  const checked = checkedCode(session, repo, validated.fingerprint, changedPaths, handed);
  const { id } = contract.contract;
  if (ports.fence !== undefined) {
    const reviews = listReviews(session, event.pass);
    const message = commitMessage(id, event, { reviews, runner: ports.fence.runner });
    const step = stepOf({ session, config: contract.config, repo }, event.pass, message, ports);
    return await ports.fence.accept({ ...step, checked: { ...checked, left: [] } });
  }
  if (commits === "task" && !endsTask(event)) return null;
  const request = {
    mode: checkpoint,
    sign,
    place: session.place,
    anchor: session.anchor,
    repo,
    task: id,
    subject: commits === "task" ? endSubject(contract, event) : null,
    event,
    reviews: listReviews(session, event.pass),
    changedPaths,
    checked,
    earlier: verdictsOf(session).filter(({ pass }) => pass < event.pass),
  };
  const kept = await gitCheckpoint(request, ports);
  session.findings.push(...kept.findings, ...(await nameIgnoredCode(repo, git.ignored, ports.env)));
  if (event.to === "done" && kept.unproven !== null) await recordUndelivered(prepared, request, kept.unproven);
  return kept.lost === null ? null : supersededBy(kept.lost, id, event.pass);
}

type Claimable = Pick<PreparedPass, "session" | "contract" | "repo" | "pass" | "model" | "document" | "timeoutMs">;

/**
 * Where several machines may work on the task: makes public that this one begins the pass. Null: it may go on. `isAhead`:
 * first checks and reviewers come first.
 */
export async function claimPass(
  { session, contract, repo, pass, model, document, timeoutMs }: Claimable,
  ports: PassPorts,
  isAhead = false,
): Promise<FenceRefusal | null> {
  if (ports.fence === undefined) return null;
  const until = new Date(ports.now().getTime() + timeoutMs + claimMarginMs);
  const { phase } = document.view;
  const claim = { pass, phase, model: model?.name ?? null, isAhead };
  const message = claimMessage(contract.contract.id, claim, ports.fence.runner);
  const step = stepOf({ session, config: contract.config, repo }, pass, message, ports);
  return await ports.fence.claim({ ...step, until });
}

/** What a fence gets of a commit that is to be on the branch of the task. */
function stepOf(
  { session: { place }, config, repo }: Pick<PreparedPass, "session" | "repo"> & Pick<TaskContract, "config">,
  pass: number,
  message: string,
  ports: PassPorts,
) {
  const signer = signerOf({ sign: config.sign, repo, place }, ports);
  return { taskDir: place.taskDir, repo, pass, message: ports.redactor.redact(message), signer };
}

/** Whether what was proven is what a commit of the verdict is to hold. */
function isProof({ verdict, to }: VerdictEvent): boolean {
  return verdict === "accepted" && (to === "review" || to === "done");
}

/** The task is done, or goes on only by a person's word. */
function endsTask({ to, escalation, open_questions: asked = [] }: VerdictEvent): boolean {
  return !isWorkingPhase(to) || escalation !== null || asked.length > 0;
}

/** For example `task-phase: T-1 done (5 passes): Round half up`. */
function endSubject({ contract }: TaskContract, { to, pass, open_questions: asked = [] }: VerdictEvent): string {
  const passes = plural(pass, "pass", "passes");
  const end = isWorkingPhase(to) && asked.length > 0 ? "asks" : to.replaceAll("_", " ");
  return `task-phase: ${shorten(contract.id, 60)} ${end} (${passes}): ${shorten(contract.title, 80)}`;
}

/**
 * Commits a stop that the runner made without a pass, so that readers in the git host see the reason. Among several
 * machines a stop that the base branch shows as well, such as waiting for another task, makes no branch: it would begin
 * before the code that the task needs is merged.
 */
export async function commitStop(
  session: HeldTask,
  { contract, config }: TaskContract,
  repo: string,
  { from, to, escalated, isNews = false }: Stop & { readonly isNews?: boolean },
  ports: PassPorts,
): Promise<FenceRefusal | null> {
  const { fence } = ports;
  const pass = session.history.lastPass;
  if (fence !== undefined) {
    if (isOnlyNoted(session.journal.events)) return null;
    const { claimed } = session.history;
    if (claimed?.attempt === fence.runner.attempt) {
      const at = ports.now().toISOString();
      accept(session, { event: { type: "released", at, pass: claimed.pass }, state: null });
    }
    // An interrupted pass that was closed, and a person's edit that was taken over, are for all machines too.
    const phase = session.history.phase ?? "intake";
    const move = { from: from ?? phase, to: to ?? phase, verdict: "stopped", pass } as const;
    const message = commitMessage(contract.id, move, { runner: fence.runner });
    return await fence.accept({ ...stepOf({ session, config, repo }, pass, message, ports), checked: null });
  }
  if ((escalated === null && !isNews) || from === null || to === null) return null;
  const { fingerprint } = commitsIn(config.checkpoint)
    ? await readCode(repo, session.place, "model")
    : { fingerprint: null };
  const kept = await gitCheckpoint(
    {
      mode: config.checkpoint,
      sign: config.sign,
      place: session.place,
      anchor: session.anchor,
      repo,
      task: contract.id,
      subject: null,
      event: { from, to, verdict: "stopped", pass },
      changedPaths: [],
      checked: fingerprint === null ? null : checkedCode(session, repo, fingerprint, []),
      earlier: verdictsOf(session),
    },
    ports,
  );
  session.findings.push(...kept.findings);
  return kept.lost === null ? null : supersededBy(kept.lost, contract.id, pass);
}

function checkedCode(
  { place, journal }: TaskSession,
  repo: string,
  { entries }: Fingerprint,
  changedPaths: readonly string[],
  handed: Handed | null = null,
): NonNullable<GitCheckpointRequest["checked"]> {
  const since = changedSince(place, journal.events, changedPaths);
  return {
    entries,
    leaveOut: handed === null ? fingerprintExcludes(place, repo) : noCodeFolders(place, repo),
    since: since?.commit ?? null,
    changed: [...new Set([...(since?.paths ?? changedPaths), ...(handed?.changed ?? [])])],
    proven: handed?.tree ?? null,
  };
}

/** For example `security (claude): 2 minor`. */
function listReviews({ history }: TaskSession, pass: number): string[] {
  return Object.values(history.reviews)
    .filter((review) => review.pass === pass)
    .map((review) => `${review.role} (${review.model}): ${renderResult(review)}`);
}

function verdictsOf({ journal }: TaskSession): VerdictEvent[] {
  return journal.events.filter((each): each is VerdictEvent => each.type === "verdict");
}

type Kept = Awaited<ReturnType<typeof gitCheckpoint>>;

const mostPaths = 50;

/**
 * Records that git does not hold what `done` was said of, so that the headline of every report says so, and commits
 * that. `request` is that of the commit which does not hold it.
 */
async function recordUndelivered(
  { session, contract }: Pick<PreparedPass, "session" | "contract">,
  request: Parameters<typeof gitCheckpoint>[0] & { readonly event: VerdictEvent },
  unproven: NonNullable<Kept["unproven"]>,
): Promise<void> {
  const { ports } = session;
  const { pass } = request.event;
  const { commit, paths } = unproven;
  const why = ports.redactor.redact(`${renderUnproven(commit, "proven")}: ${somePaths(paths)}`);
  const told = { type: "undelivered", pass, commit, paths: paths.slice(0, mostPaths), why } as const;
  const at = ports.now().toISOString();
  const document = parseAccepted(session.history.state ?? "", session.place.journal);
  const fields = { status: statusUndelivered(session, why) };
  writeState(session, document, { at, fields, event: (state) => ({ ...told, at, state }) });
  const findSigner = signerOf(request, ports);
  if (findSigner !== null) session.findings.push(...(await attestTask(session, contract.contract.id, findSigner)));
  if (contract.config.keep === "proof") trimToProof(session, contract.contract);
  writePages(session, contract.contract);
  const subject = `task-phase: ${shorten(contract.contract.id, 60)} done, but git does not hold it (pass ${pass})`;
  const event = { ...request.event, verdict: "stopped" } as const;
  const mode = "commit";
  const kept = await gitCheckpoint({ ...request, mode, subject, event, changedPaths: [], checked: null }, ports);
  session.findings.push(...kept.findings);
}
