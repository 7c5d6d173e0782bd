import { join } from "node:path";
import { besideFinding } from "../checks/contract-checks.ts";
import { runBeforeChecks } from "../checks/repeat-checks.ts";
import { foretellAt } from "../checks/require-ready.ts";
import { findTrouble } from "../checks/runs/find-trouble.ts";
import type { WatchRecord } from "../checks/watch/record.ts";
import { passPath } from "../documents/pass-pack.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { frameOf, hasFrame } from "../rules/approval.ts";
import { failedChecks, whyFailed } from "../rules/check-run.ts";
import { escalate } from "../rules/escalate.ts";
import { exitOfAbort } from "../rules/exits.ts";
import type { Tamper } from "../rules/facts.ts";
import { rolesToAsk } from "../rules/review-standings.ts";
import { gatherSyncs } from "../store/folder.ts";
import { fingerprintExcludes, tasksInRepo } from "../task/fingerprint-excludes.ts";
import { endingOrphans } from "../task/guard/end-orphans.ts";
import { compareAndRestore, type Guard } from "../task/guard/guard.ts";
import { putBackState } from "../task/guard/state-file.ts";
import { clearCurrent, recordCheckpoint } from "../task/records/records.ts";
import { dropStaged, saveStaged } from "../task/records/staging.ts";
import { passFolder } from "../task/records/task-place.ts";
import { accept, type HeldTask, type Stop, stop, type TaskSession } from "../task/session.ts";
import { msBetween } from "../text/moment.ts";
import type { GuardStep } from "./begin-pass.ts";
import { readBudgets, refuseSpent } from "./budget/task-budgets.ts";
import type { Ahead, ModelPlan, Plan } from "./prepared-pass.ts";
import { planReview, runReviews } from "./review/review-pass.ts";
import { standingsIn } from "./review/review-standings.ts";
import { stopTask } from "./verdict/stop-task.ts";

export const nothingAhead: Ahead = { kind: "ran", tampering: [], end: null, reviewedMs: 0 };

/**
 * Runs what comes before the model if it is due: the checks before the work, and the reviewers unless it changed
 * something protected.
 */
export async function runAhead(
  session: HeldTask,
  plan: ModelPlan,
  watched: WatchRecord,
  guardStep: GuardStep,
): Promise<Ahead | Stop> {
  const isDue = isBeforeDue(session, plan);
  const ran = isDue ? await runBefore(session, plan, guardStep("before")) : { tampering: [], troubles: [] };
  if (ran === null) return aborted(session, plan);
  const { tampering, troubles } = ran;
  const asked = isDue && tampering.length === 0 ? askAboutTrouble(session, plan, watched, troubles) : null;
  if (asked !== null) return asked;
  return tampering.length > 0
    ? { ...nothingAhead, tampering }
    : await reviewOnce(session, plan, () => guardStep("review"));
}

function aborted({ ports }: HeldTask, { document }: Plan): Stop {
  return stop(exitOfAbort(ports.signal), "stopped by a signal before the model was called", document.view.phase);
}

/** It runs once, before the first implement pass, if there is anything to run. */
export function isBeforeDue({ history }: TaskSession, { contract, document }: Plan): boolean {
  const { validators, scenarios } = contract.contract;
  return document.view.phase === "implement" && history.before === null && validators.length + scenarios.length > 0;
}

/** How long it may take, in milliseconds: every check three times if some fail, so once more if the repo moved, and
 * all of it again to see if they can be repeated. */
export function longestBeforeMs({ contract }: Plan): number {
  const { validators, scenarios } = contract.contract;
  return 12 * [...validators, ...scenarios].reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
}

/**
 * Before money: a required check that cannot work here is no failing test, and checks that change the repo each time that
 * they run (`moved`) judge nothing, so a person is asked whether mending that is part of the task. Null if every check can
 * work, or if the repo holds nothing of it yet.
 */
function askAboutTrouble(
  session: HeldTask,
  { contract, repo, document }: Plan,
  watched: WatchRecord,
  troubles: readonly string[],
): Stop | null {
  const { history, ports, place } = session;
  const hasTests = watched.things.some(({ kind }) => kind === "test");
  const ground = { repo, tasks: tasksInRepo(place, repo), hasTests };
  const found = history.beforeResults
    .filter((result) => result.required)
    .flatMap((result) => {
      const why = findTrouble(result, ground);
      return why === null ? [] : [`${result.name} cannot run here: ${why}`];
    });
  found.push(...troubles);
  if (found.length === 0) return null;
  const happened = found.join("; ");
  ports.tell("PREP", happened);
  const deadline = new Date(ports.now().getTime() + contract.contract.questionWaitMs).toISOString();
  const otherwise = { safeDefault: "yes: the work begins as it is", deadline };
  return stopTask(session, document, escalate("environment", document.view.phase, happened), otherwise);
}

/**
 * Runs the checks once on the untouched repo, and records what passed. Returns their forbidden changes, which are restored
 * already, and why they cannot be repeated, in words; null after a signal.
 */
async function runBefore(
  session: HeldTask,
  plan: Plan,
  guard: Guard,
): Promise<{ readonly tampering: readonly Tamper[]; readonly troubles: readonly string[] } | null> {
  const { contract, repo, pass } = plan;
  const { place, ports, anchor } = session;
  const { current } = guard;
  ports.tell("PREP", "running the checks once before the work");
  session.findings.push(...foretellAt(place, contract, repo, ports));
  const logRelative = passPath(pass);
  const outcome = await endingOrphans(guard.anchor.folder, guard.current.mark, ports.env, () =>
    runBeforeChecks({
      ...{ contract: contract.contract, repo, place, history: session.history, pass, mark: current.mark, ports },
      logFolder: join(anchor.staging, "before"),
      logRelative: join(logRelative, "before"),
      isBaseline: true,
    }),
  );
  const ran = outcome?.run ?? null;
  for (const check of ran === null ? [] : failedChecks(ran)) {
    const why = whyFailed(check);
    ports.tell("PREP", `${check.name} fails before the work${why === null ? "" : `: ${why}`}`);
  }
  const { tampering } = compareAndRestore(guard, "before");
  putBackState(guard, session);
  if (outcome === null || ran === null) {
    clearCurrent(anchor);
    return null;
  }
  if (ran.beside === true) session.findings.push(besideFinding((ran.first ?? []).map(({ name }) => name)));
  recordCheckpoint(anchor, current);
  const syncs = gatherSyncs();
  saveStaged(anchor, passFolder(place, pass), ports.redactor, syncs);
  syncs.sync();
  dropStaged(anchor);
  const beside = ran.beside === true ? ({ beside: true } as const) : {};
  const facts = { fingerprint: ran.fingerprint_after, results: ran.results, ...beside };
  const event = { type: "before", at: ports.now().toISOString(), ...facts } as const;
  accept(session, { event, state: null, endsPass: true });
  return { tampering, troubles: outcome.troubles };
}

/**
 * The reviewers that have no readable report on the state as it is, at least one; null: none is due. In shape they are
 * asked once there is a whole frame: before, they would be paid for what is still to be written.
 */
export async function findDueReviews({ place, history, journal }: HeldTask, { contract, repo, document }: Plan) {
  const { phase } = document.view;
  if (phase !== "shape" && phase !== "review") return null;
  if (!contract.policy.review.at.includes(phase)) return null;
  if (phase === "shape" && !hasFrame(document.view)) return null;
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const about = { fingerprint: fingerprint.hash, state: document.view };
  const roles = rolesToAsk(standingsIn({ history, journal }, contract.policy, phase, about));
  return roles.length === 0 ? null : { phase, roles, fingerprint };
}

/**
 * Asks every reviewer that is due and has no readable report on the current state. A stop if the budgets do not cover
 * them and the pass after them, and after a signal. `guard` makes the anchor.
 */
async function reviewOnce(session: HeldTask, plan: ModelPlan, guard: () => Guard): Promise<Ahead | Stop> {
  const { contract, repo, document, model, pass, timeoutMs } = plan;
  const { ports } = session;
  const due = await findDueReviews(session, plan);
  if (due === null) return nothingAhead;
  const refuse = (calls: number): Stop | null =>
    refuseSpent(session, document, contract, readBudgets(session, contract, plan.run), model, calls);
  // Reviews whose pass cannot be paid for any more would only cost.
  const unaffordable = refuse(due.roles.length + 1);
  if (unaffordable !== null) return unaffordable;
  const copies = planReview(session, repo, due.fingerprint);
  const began = ports.now();
  const round = {
    ...due,
    ...{ session, contract, repo, model, timeoutMs, pass, run: plan.run?.id ?? null },
    frame: frameOf(document.view),
    plan: copies,
    guard: guard(),
  };
  const done = await endingOrphans(round.guard.anchor.folder, round.guard.current.mark, ports.env, () =>
    runReviews(round),
  );
  if (done.kind === "aborted") return aborted(session, plan);
  const { tampering, end } = done;
  const spent = tampering.length === 0 && end === null ? refuse(1) : null;
  return spent ?? { kind: "ran", tampering, end, reviewedMs: Math.max(0, msBetween(began, ports.now())) };
}
