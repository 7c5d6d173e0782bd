import { openAnchor } from "../anchor/anchor.ts";
import type { BegunPass, PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { findLostPass, supersededBy } from "../keep/find-lost-pass.ts";
import { finishCommits } from "../keep/git-checkpoint.ts";
import { writeBack } from "../keep/write-back.ts";
import { notingRefusal } from "../news/record-refusal.ts";
import { recoverTask } from "../recovery/recover.ts";
import { carryOutNotes } from "../rotation/model-notes.ts";
import { findRepo } from "../task/load-contract.ts";
import type { HeldLocks } from "../task/locks.ts";
import { requireWritable } from "../task/look.ts";
import { type OpenTask, openTask } from "../task/open-task.ts";
import type { PassRequest } from "../task/request.ts";
import { type HeldTask, openHeld, type Stop } from "../task/session.ts";
import { checkpointTask, tryCheckpoint } from "../verdict/checkpoint-file.ts";
import { refreshPages } from "../verdict/refresh-pages.ts";
import { assemble } from "./assemble.ts";
import { claimPass, keepStopInGit } from "./keep-in-git.ts";
import { unkeptStop } from "./pass-report.ts";
import { planPass } from "./plan.ts";
import type { Plan, PreparedPass } from "./prepared-pass.ts";
import { watchPass } from "./watch-pass.ts";

/** A task under its locks, and its next pass, ready to run or stopped. */
export interface HeldPass {
  readonly session: HeldTask;
  readonly task: OpenTask;
  readonly prepared: PreparedPass | Stop;
}

/**
 * PREP: recovers an interrupted pass, reads the files, plans the pass, and makes everything that it needs: baseline,
 * reviews, prompt, anchor. The task is locked already; the repo's lock is taken here, since the brief names the repo.
 */
export async function prepare(
  place: TaskPlace,
  request: PassRequest,
  ports: PassPorts,
  locks: HeldLocks,
): Promise<HeldPass> {
  const anchor = openAnchor(place, ports);
  const recovered = await recoverTask(place, anchor, ports, locks);
  const session = openHeld(place, anchor, ports);
  session.findings.push(...recovered);
  carryOutNotes(session);
  const task = await notingRefusal(session, null, () => openTask(place, request.config, ports));
  if (recovered.length > 0) tryCheckpoint(session, checkpointTask(task));
  requireWritable(place);
  const repo = await notingRefusal(session, task, () => findRepo(place, task.contract, request.repo, ports));
  locks.takeRepo(repo);
  session.findings.push(...(await finishCommits(repo, place, ports)));
  const { id } = task.contract;
  if (task.config.checkpoint === "push" && ports.fence === undefined) {
    const { sign } = task.config;
    const pass = session.history.lastPass;
    const lost = await findLostPass({ place, anchor, task: id, pass, repo, sign }, ports);
    if (lost?.inTheWay === null) return await prepare(place, request, ports, locks);
    if (lost !== null) {
      return { session, task, prepared: unkeptStop(session, id, supersededBy(lost, id, pass)) };
    }
  }
  const held = await notingRefusal(session, task, () => planAndAssemble(session, task, repo, request));
  const { prepared } = held;
  if (prepared.kind === "stopped" && prepared.unkept === true) return { ...held, task, prepared };
  return await makePublic(held, task, repo, ports);
}

/**
 * Makes public that the pass begins, or why none does. A watch that nobody continues is ended, since its timers would
 * keep the process alive.
 */
async function makePublic(
  { session, prepared }: Omit<HeldPass, "task">,
  task: OpenTask,
  repo: string,
  ports: PassPorts,
): Promise<HeldPass> {
  const { id } = task.contract;
  let goesOn = false;
  try {
    await writeBack(session, task, repo);
    const refused =
      prepared.kind === "ready"
        ? await claimPass(prepared, ports)
        : await keepStopInGit(session, task, repo, prepared, ports);
    if (refused !== null) return { session, task, prepared: unkeptStop(session, id, refused) };
    goesOn = prepared.kind === "ready";
    if (prepared.kind === "ready") return { session, task, prepared };
    return { session, task, prepared: { ...prepared, task: id, findings: session.findings } };
  } finally {
    if (!goesOn && prepared.kind === "ready") prepared.watch.stop();
  }
}

async function planAndAssemble(
  session: HeldTask,
  task: OpenTask,
  repo: string,
  request: PassRequest,
): Promise<Omit<HeldPass, "task">> {
  const known = session.journal.seq;
  const plan = await planPass(session, task, repo, request);
  const events = session.journal.events.slice(known);
  // The verdict of a pass writes the pages too, but a report of `done` must not outlive a person's edit until then.
  if (events.length > 0 && (plan.kind === "stopped" || events.some(({ type }) => type === "state_edited")))
    refreshPages(session, task);
  if (plan.kind === "stopped") return { session, prepared: plan };
  session.ports.live?.planned(beginOf(session, plan));
  return await assembleWatched(session, plan);
}

/** The pass for a person who looks on. */
export function beginOf(
  { history }: HeldTask,
  { contract, pass, document, model }: Pick<Plan, "contract" | "pass" | "document" | "model">,
): BegunPass {
  return {
    task: contract.contract.id,
    pass,
    phase: document.view.phase,
    model: model.name,
    spentUsd: history.spend.knownUsd,
  };
}

/** From here on programs run, the baseline first, so CONTROL.md is watched. */
async function assembleWatched(given: HeldTask, plan: Plan): Promise<Omit<HeldPass, "task">> {
  const { model, timeoutMs, pass } = plan;
  const watch = watchPass(given, plan.contract, { pass, model: model.name, timeoutMs });
  const { session } = watch;
  let goesOn = false;
  try {
    const prepared = await assemble(session, plan, watch);
    goesOn = prepared.kind === "ready";
    if (prepared.kind === "ready") return { session, prepared };
    watch.finish();
    watch.journalObeyed();
    return { session, prepared: { ...prepared, aborted: watch.aborted() } };
  } finally {
    if (!goesOn) watch.stop();
  }
}
