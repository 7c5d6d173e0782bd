import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { readCode } from "../checks/read-code.ts";
import { loadConfig } from "../documents/config/load-config.ts";
import { readSettings } from "../git/git-settings.ts";
import { withNetwork } from "../git/network.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { readRemoteRef } from "../git/swap-ref.ts";
import { mendTorn } from "../git/torn-files.ts";
import { commitMessage } from "../pass/checkpoint/commit-message.ts";
import { signerOf } from "../pass/checkpoint/signing-key.ts";
import { recoverTask } from "../pass/recovery/recover.ts";
import { trimToProof, writePages } from "../pass/verdict/write-evidence.ts";
import { bootId } from "../process/identity.ts";
import { attestLeft } from "../queue/actions/rebuild-evidence.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { lockTask } from "../task/locks.ts";
import { openTask } from "../task/open-task.ts";
import { openAnchor } from "../task/records/anchor.ts";
import type { AcceptedStep } from "../task/records/ports.ts";
import { locateTask, stands, type TaskPlace } from "../task/records/task-place.ts";
import { accept, type HeldTask, openHeld } from "../task/session.ts";
import { hasCode, TaskPhaseError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { type ClaimContext, unreachable } from "./claim-context.ts";
import { type ClaimNote, readNote, recordEnded } from "./claim-note.ts";
import { dropClone } from "./clone.ts";
import { reopenCode } from "./code-fence.ts";
import { createFence, type TaskFence, tellingFence } from "./fence.ts";
import type { LocalWork } from "./local-work.ts";
import { pushOnward } from "./push-onward.ts";
import { findLostTree, sayKept } from "./push-refusal.ts";
import type { OwnRepository } from "./see-branch.ts";

/**
 * Finishes what a run on this machine left that was killed, or that could not reach the remote: its processes are ended,
 * a pass under way is closed as interrupted, and a verdict is pushed, which is safe, since it is taken only as the child
 * of its own claim. The task's lock is held. Throws a locked error as long as the remote does not answer.
 */
export async function settleLeft(context: ClaimContext): Promise<readonly Finding[]> {
  const { place } = context;
  const note = readNote(place.note);
  // A git that outlives the run may push its claim even after this.
  if (note !== null) recordEnded(place.ended, note.attempt);
  const git = note === null ? null : cloneAt(note.code?.tasks ?? place.clone);
  if (note === null || git === null || note.kind === null) {
    await dropClone(context, note?.task_dir ?? null);
    return [];
  }
  const { findings, lost } = await settle(context, note, git).catch((error: unknown) => giveUp(context, note, error));
  await dropClone(context, note.task_dir, lost);
  return findings;
}

function cloneAt(folder: string): GitPlace | null {
  const git = existsSync(folder) ? findGitPlace(folder) : null;
  return git !== null && git.top === realpathSync(folder) ? git : null;
}

/** `lost`: where the working tree is to be kept, if nothing else has what was made in it. */
interface LeftSettled {
  readonly findings: readonly Finding[];
  readonly lost: string | null;
}

const nothingLeft: LeftSettled = { findings: [], lost: null };

async function settle(context: ClaimContext, note: ClaimNote, git: GitPlace): Promise<LeftSettled> {
  const isPushed = note.commit === note.tip;
  if (note.kind === "verdict" && isPushed) return nothingLeft;
  const there = isPushed || note.kind === "verdict" ? note.commit : await readTip(context, note, git);
  // The push of the claim was cut off before it arrived: no model was called.
  if (there !== note.commit) return nothingLeft;
  const known = note.kind === "verdict" ? note : { ...note, tip: note.commit };
  const fence = await reopen(context, known, git);
  const findings =
    note.kind === "verdict"
      ? toFindings(note.pass, await fence.resend())
      : await closePass(
          context,
          known,
          locateTask(note.task_dir, context.ports.cwd, () => true),
          fence,
        );
  const left = fence.left();
  return { findings: [...findings, ...fence.told], lost: left.kind === "lost" ? left.to : null };
}

const damaging = ["TP_GIT", "TP_GIT_LEFT_OUT", "TP_GIT_UNCHECKED"];

/**
 * Git does not sync a working tree: after a power cut its files, and those of its repository, may be empty or
 * incomplete. Or the pass gave it attributes by which git would store other bytes. No later call could go on with it
 * either. What is left of it is kept. Throws any other error.
 */
function giveUp({ place }: ClaimContext, note: ClaimNote, error: unknown): LeftSettled {
  const isDamaged =
    error instanceof TaskPhaseError && (error.exitName === "data" || damaging.some((code) => hasCode(error, code)));
  if (!isDamaged) throw error;
  const lost = findLostTree(place, note);
  const message = `the working tree of pass ${note.pass} cannot be used, as after a power cut, and what was not on the branch yet does not count: ${error.findings[0]?.message}`;
  return { findings: [warningFinding("TP_CLONE_DAMAGED", message, { fix: `what is left of it is in ${lost}` })], lost };
}

/** The pass has its verdict, or gets that of an interrupted one, and is pushed as the child of its claim. */
async function closePass(
  { request, ports }: ClaimContext,
  note: ClaimNote,
  place: TaskPlace,
  fence: TaskFence,
): Promise<Finding[]> {
  const locks = lockTask(place, ports);
  try {
    const anchor = openAnchor(place, ports);
    await mendTree(note, place, ports);
    await recoverTask(place, anchor, ports, locks);
    const session = openHeld(place, anchor, { ...ports, fence });
    const { journal } = session;
    const { taskDir } = place;
    const { sign } = loadConfig({ ...ports, configFlag: request.pass.config, taskDir });
    const signer = signerOf({ sign, repo: note.repo, place }, ports);
    const stepOf = (end: Parameters<typeof commitMessage>[1]): AcceptedStep => {
      const message = ports.redactor.redact(commitMessage(note.task, end, { runner: fence.runner }));
      return { taskDir, repo: note.repo, pass: note.pass, message, signer, checked: null };
    };
    const { phase, claimed } = session.history;
    if (phase !== null && claimed?.attempt === note.attempt) {
      // Cut off before its pass began: what its reviewers said and cost is kept, and the pass is free.
      const at = ports.now().toISOString();
      accept(session, { event: { type: "released", at, pass: claimed.pass }, state: null });
      const end = { from: phase, to: phase, verdict: "stopped", pass: claimed.pass } as const;
      return toFindings(note.pass, await fence.accept(stepOf(end)));
    }
    const event = journal.events.findLast((each): each is VerdictEvent => each.type === "verdict");
    if (event === undefined || event.pass !== note.pass) return [];
    const step = stepOf(event);
    if (await isAsJudged(event, place, note.repo)) {
      const told = event.to === "done" ? await finishDone(session, request.pass.config, note.repo) : [];
      return [...told, ...toFindings(note.pass, await fence.accept(step))];
    }
    const kept = await fence.giveUp(step);
    const why = `pass ${note.pass} was judged, but the code was changed before its verdict was pushed, so it does not count`;
    return [warningFinding("TP_SUPERSEDED", why, { fix: kept === null ? null : `nothing to do: ${sayKept(kept)}` })];
  } finally {
    locks.release();
  }
}

/**
 * Git does not sync what it checks out: after a power cut a file may be torn that the pass did not touch, and the commit would
 * take it. In code a beginning of the old bytes could be the work of a model, so that is mended only after a start of the machine.
 */
async function mendTree(note: ClaimNote, { taskDir }: TaskPlace, { env }: ClaimContext["ports"]): Promise<void> {
  const git = findGitPlace(taskDir);
  if (git === null || note.commit === null) return;
  const isLater = note.boot !== bootId();
  await mendTorn(git, note.commit, isLater ? "" : relative(git.top, taskDir), env);
  const code = isLater && note.code !== null ? findGitPlace(note.code.top) : null;
  if (code !== null) await mendTorn(code, note.code?.begin ?? "", "", env);
}

/** What was proven is true of the code as it was: the working tree may have changed after the verdict. */
async function isAsJudged(event: VerdictEvent, place: TaskPlace, repo: string): Promise<boolean> {
  if (event.verdict === "interrupted") return true;
  const { fingerprint } = await readCode(repo, place, "model");
  return fingerprint.hash === (event.fingerprint.present ?? event.fingerprint.after);
}

function toFindings(pass: number, refusal: Awaited<ReturnType<TaskFence["accept"]>>): Finding[] {
  if (refusal === null) {
    const message = `an earlier run on this machine was cut off; its work on pass ${pass} is pushed now`;
    return [warningFinding("TP_RECOVERED", message)];
  }
  if (refusal.findings.some(({ code }) => code === "TP_SUPERSEDED")) return [...refusal.findings];
  throw new TaskPhaseError(refusal.exitName, refusal.findings);
}

async function readTip(context: ClaimContext, note: ClaimNote, git: GitPlace): Promise<string | null> {
  const { request, place, ports } = context;
  const { env, signal } = ports;
  const { url } = request;
  const settings = await readSettings(git, env);
  const there = await withNetwork({ place: git, settings, scratch: place.scratch, env, signal, url }, (network) =>
    readRemoteRef(network, url, note.ref),
  );
  if (there.kind === "unknown") throw unreachable(request, there.why);
  return there.commit;
}

/** What was taken along is on record already. */
function ownOf({ place, ports }: ClaimContext, local: LocalWork, ref: string): OwnRepository {
  return {
    tree: local.tree,
    objects: place.objects,
    holdingWords: async (act) => await act(null),
    onward: async (commit) => await pushOnward(local, place, { ref, commit }, ports.env),
  };
}

async function reopen(context: ClaimContext, note: ClaimNote, git: GitPlace): Promise<TaskFence> {
  const { request, place, ports, wait } = context;
  const fence = createFence({
    clone: { git, settings: await readSettings(git, ports.env) },
    local: request.local === null ? null : ownOf(context, request.local, note.ref),
    code: await reopenCode(context, git, note),
    ...{ place, url: request.url, ref: note.ref, begins: note.ref, note, base: note.tip ?? "" },
    runner: { ...request.runner, attempt: note.attempt },
    ...{ met: new Set<string>(), unmerged: new Set<string>() },
    ...{ env: ports.env, wait, now: ports.now },
  });
  return tellingFence(fence, context);
}

/**
 * Does what a run that was killed did not get to once its task was done, before that verdict is pushed: the signed
 * statement, the pages that link it, and what `keep: proof` takes away. Whatever keeps it from being signed is a warning.
 */
async function finishDone(session: HeldTask, configFlag: string | null, repo: string): Promise<Finding[]> {
  const { place, ports } = session;
  const task = openTask(place, configFlag, ports);
  const findings = await attestLeft(session, task, repo);
  if (stands(place.attestation)) writePages(session, task.contract);
  if (task.config.keep === "proof") trimToProof(session, task.contract);
  return findings;
}
