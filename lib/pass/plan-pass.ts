import { chooseModel, listCandidates } from "../agents/rotation/choose-model.ts";
import type { StateDocument } from "../documents/state.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import type { Budget } from "../rules/budgets.ts";
import { countCutOff } from "../rules/claim.ts";
import { escalate } from "../rules/escalate.ts";
import { isWorkingPhase } from "../rules/phases.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import {
  differsFromPins,
  findPins,
  findUnsupplied,
  type PinnedPaths,
  pinProtected,
  storePins,
  withBytes,
} from "../task/guard/protected-paths.ts";
import { findRunnerPaths } from "../task/guard/runner-place.ts";
import { findRepo, type TaskContract } from "../task/load-contract.ts";
import { refuseLockedRepo, refuseLockedTask } from "../task/locks.ts";
import { type OpenTask, openTask } from "../task/open-task.ts";
import { waitsForRecovery } from "../task/records/anchor.ts";
import type { PassReport, PassRequest } from "../task/request.ts";
import { accept, hold, openPreview, type Stop, stop, type TaskSession } from "../task/session.ts";
import { configError, type TaskPhaseError } from "../text/errors.ts";
import { advanceFrame, needsNoModel } from "./advance-frame.ts";
import { applyDegrade } from "./budget/apply-degrade.ts";
import { requireKnownCosts } from "./budget/money.ts";
import { boundTimeout, readBudgets, refuseSpent } from "./budget/task-budgets.ts";
import { findSigner } from "./checkpoint/signing-key.ts";
import { packPrompt } from "./pack-prompt.ts";
import { dryReport, stoppedReport } from "./pass-report.ts";
import { obeyAtPrep, refuseCancelled } from "./people/obey-control.ts";
import { refuseLostState } from "./people/put-back.ts";
import { settleState } from "./people/settle-state.ts";
import { precheck, requireUsable } from "./precheck.ts";
import { callsModel, type PassCall, type Plan } from "./prepared-pass.ts";
import { requireSandbox } from "./require-sandbox.ts";
import { standingsIn } from "./review/review-standings.ts";
import { stopTask } from "./verdict/stop-task.ts";

/**
 * What comes before a pass, in this order: a person's edits and commands, the prechecks, the budgets, the model, the
 * protected paths. Events are accepted on the way; a preview counts them and writes nothing. A stop if no pass may run.
 */
export async function planPass(
  session: TaskSession,
  contract: OpenTask,
  repo: string,
  request: PassRequest,
): Promise<Plan | Stop> {
  // Refused before a model is paid, if it cannot be guarded.
  findRunnerPaths(repo, session.place.tasksRoot);
  requireSandbox(session.place, contract, repo, request, session.ports);
  if (contract.config.sign === "ssh" && isWorkingPhase(contract.state.view.phase))
    await findSigner([repo, session.place.tasksRoot], session.ports);
  if (session.history.contractSha256 !== contract.sha256) requireUsable(session, contract, repo, request);
  const questionWaitMs = session.history.cancelled === null ? contract.contract.questionWaitMs : null;
  const settled = await settleState(session, { task: contract, repo, questionWaitMs });
  if (settled.kind === "stopped") return settled;
  const obeyed = obeyAtPrep(session, contract, settled);
  if (obeyed.kind === "stopped") return obeyed;
  const { questions } = obeyed;
  const refused =
    refuseCancelled(session, obeyed.document.view.phase) ??
    precheck(session, obeyed.document, contract, questions, repo);
  if (refused !== null) return refused;
  const document = advanceFrame(session, contract, obeyed.document);
  const cutOff = refuseCutOff(session, contract, document);
  if (cutOff !== null) return cutOff;
  requireKnownCosts(session, contract, listCandidates(contract, request));
  const budgets = readBudgets(session, contract, request.run);
  const spent = refuseSpent(session, document, contract, budgets, null);
  if (spent !== null) return spent;
  const chosen = (await needsNoModel(session, contract, document, repo))
    ? noModel
    : chooseWithin(session, document, contract, request, budgets);
  if ("kind" in chosen) return chosen;
  if (session.ports.fence !== undefined) await requireSupplied(contract, repo, session.ports.env);
  const pins = takePins(session, contract, repo);
  if ("kind" in pins) return pins;
  return {
    kind: "planned",
    contract,
    repo,
    pass: session.history.lastPass + 1,
    document,
    pins,
    run: request.run,
    ...chosen,
  };
}

type Chosen = Pick<Plan, "model" | "timeoutMs" | "degrade">;

/** The checks have times of their own. */
const noModel: Chosen = { model: null, timeoutMs: 0, degrade: [] };

/** The model of the pass, as far as the budgets allow it. */
function chooseWithin(
  session: TaskSession,
  document: StateDocument,
  contract: OpenTask,
  request: PassRequest,
  budgets: readonly Budget[],
): Chosen | Stop {
  const model = chooseModel(session, contract, request);
  if ("kind" in model) return model;
  const unaffordable = refuseSpent(session, document, contract, budgets, model);
  if (unaffordable !== null) return unaffordable;
  return {
    model,
    timeoutMs: boundTimeout(budgets, request.timeoutMs ?? model.timeoutMs),
    degrade: applyDegrade(session, contract, budgets, model),
  };
}

/** Where several machines take a task in turn, one that ends each of them is not handed on for ever. */
function refuseCutOff(session: TaskSession, { config, contract }: TaskContract, document: StateDocument): Stop | null {
  if (session.ports.fence === undefined || config.fleet === null) return null;
  const count = countCutOff(session.journal.events);
  if (count < config.fleet.attempts) return null;
  const happened = `the runner was killed in each of the last ${count} passes, whatever the machine (\`fleet.attempts\`)`;
  return stopTask(session, document, escalate("cut_off", document.view.phase, happened, false, contract.id));
}

/** Pins the protected paths at pass 1 and after a person's edit of the brief; refuses if they differ since. */
function takePins(session: TaskSession, contract: TaskContract, repo: string): PinnedPaths | Stop {
  const globs = contract.contract.protected;
  const { pinned, pinsStale } = session.history;
  const isFirst = pinned === null || pinsStale;
  let pins = isFirst ? pinProtected(repo, globs) : findPins(repo, globs, pinned);
  session.write((anchor) => {
    pins = withBytes(pins, anchor);
  });
  const found = isFirst ? [] : differsFromPins(pins);
  const gone = found.filter(({ change }) => change === "removed").map(({ path }) => path);
  if (gone.length > 0 && session.ports.fence !== undefined) throw notSupplied(gone);
  const differing = found.map(({ path }) => path);
  if (differing.length > 0) {
    return hold(
      "rejected",
      "refused",
      `protected paths differ from pass 1, but no pass changed them: ${differing.slice(0, 20).join(", ")}. Restore them, or edit the brief: the next pass then accepts them as they are`,
      session.history.phase,
    );
  }
  session.write((anchor) => storePins(pins, anchor));
  if (isFirst && (globs.length > 0 || pinned !== null)) {
    const at = session.ports.now().toISOString();
    accept(session, { event: { type: "pinned", at, protected: pins.digests }, state: null });
  }
  return pins;
}

async function requireSupplied({ contract }: TaskContract, repo: string, env: NodeJS.ProcessEnv): Promise<void> {
  const missing = await findUnsupplied(repo, contract.protected, env);
  if (missing.length > 0) throw notSupplied(missing);
}

/** In a working tree that was made anew, what git ignores is there only if something made it. */
function notSupplied(missing: readonly string[]): TaskPhaseError {
  const named = missing.slice(0, 20).join(", ");
  return configError("TP_PROTECTED_MISSING", `protected paths are not in the new working tree: ${named}`, {
    fix: "if git ignores them, have fleet.prepare make them, each time the same; else restore them in the branch",
  });
}

/** A dry run: plans the next pass and packs its prompt. Nothing is locked and nothing is written. */
export async function previewPass(call: PassCall): Promise<PassReport> {
  const { place, request, ports } = call;
  // The record of a pass that runs looks like that of one that was cut off.
  refuseLockedTask(place);
  if (waitsForRecovery(place, ports)) {
    const reason = "an interrupted pass has to be recovered; the next run without --dry-run does that first";
    return stoppedReport(call, stop("ok", reason, null));
  }
  const session = openPreview(place, ports);
  const refused = refuseLostState(session);
  if (refused !== null) return stoppedReport(call, { ...refused, findings: session.findings });
  const contract = openTask(place, request.config, ports);
  const repo = findRepo(place, contract.contract, request.repo, ports);
  refuseLockedRepo(repo, ports);
  const plan = await planPass(session, contract, repo, request);
  const { findings } = session;
  if (plan.kind === "stopped") {
    return stoppedReport(call, { ...plan, task: contract.contract.id, findings });
  }
  const { hash } = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const state = plan.document.view;
  const reviews = standingsIn(session, contract.policy, state.phase, { fingerprint: hash, state });
  return dryReport(call, { plan, findings, prompt: callsModel(plan) ? packPrompt(session, plan, reviews) : null });
}
