import { openAnchor } from "./anchor.ts";
import { type Assembly, assemble } from "./assemble.ts";
import { boundTimeout, readBudgets, refuseSpent } from "./budgets.ts";
import { tryCheckpoint } from "./checkpoint-file.ts";
import { chooseModel, listCandidates } from "./choose-model.ts";
import { obeyAtPrep, refuseCancelled } from "./control.ts";
import { keepStopInGit } from "./keep-in-git.ts";
import { findRepo, loadContract, type TaskContract } from "./load-contract.ts";
import { type HeldLocks, refuseLocked } from "./locks.ts";
import { requireReadable, requireWritable } from "./look.ts";
import { carryOutNotes } from "./model-notes.ts";
import { requireKnownCosts } from "./money.ts";
import { notingRefusal } from "./note-refusal.ts";
import type { PassPorts } from "./ports.ts";
import { precheck, requireUsable } from "./precheck.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { differsFromPins, loadPins, type PinnedPaths, pinProtected, storePins } from "./protected-paths.ts";
import { recoverTask, waitsForRecovery } from "./recover.ts";
import type { PassRequest } from "./request.ts";
import { requireSandbox } from "./require-sandbox.ts";
import { findRunnerPaths } from "./runner-place.ts";
import { accept, openSession, type Stop, stop, type TaskSession } from "./session.ts";
import { settleDegrade } from "./settle-degrade.ts";
import { settleState } from "./settle-state.ts";
import type { TaskPlace } from "./task-place.ts";
import { watchPass } from "./watch-pass.ts";

/**
 * PREP: recovers an interrupted pass; reads the files; judges a person's edits; precheck; budgets; selects the model;
 * packs the context; renders the prompt; makes the anchor. The task is locked already; the repo's lock is taken here,
 * since the brief names the repo. `locks` is null in a dry run, which writes nothing.
 */
export async function prepare(
  place: TaskPlace,
  request: PassRequest,
  ports: PassPorts,
  locks: HeldLocks | null,
): Promise<PreparedPass | Stop> {
  const anchor = locks === null ? null : openAnchor(place, ports);
  const recovered = anchor !== null && locks !== null ? await recoverTask(place, anchor, ports, locks) : [];
  if (locks === null && waitsForRecovery(place, ports)) {
    return stop(
      "ok",
      "an interrupted pass waits to be recovered; the next run without --dry-run does that first",
      null,
    );
  }
  const session = openSession(place, anchor, ports);
  session.findings.push(...recovered);
  carryOutNotes(session);
  const contract = loadContract(place, request.config, ports);
  if (recovered.length > 0) tryCheckpoint(session, contract.contract);
  requireReadable(place);
  if (locks !== null) requireWritable(place);
  const repo = findRepo(place, contract.contract, request.repo, ports);
  if (locks === null) refuseLocked(place, repo, ports);
  else locks.takeRepo(repo);
  const prepared = await notingRefusal(session, contract, () => settleAndAssemble(session, contract, repo, request));
  if (prepared.kind === "ready") return prepared;
  await keepStopInGit(session, contract, repo, prepared, ports);
  return { ...prepared, task: contract.contract.id, findings: session.findings };
}

async function settleAndAssemble(
  session: TaskSession,
  contract: TaskContract,
  repo: string,
  request: PassRequest,
): Promise<PreparedPass | Stop> {
  // Refused before a model is paid, if it cannot be guarded.
  findRunnerPaths(repo, session.place.tasksRoot);
  requireSandbox(session.place, contract, repo, request, session.ports);
  if (session.history.contractSha256 !== contract.sha256) requireUsable(session, contract, repo, request);
  const settled = await settleState(session, {
    contractSha256: contract.sha256,
    repo,
    contract: contract.contract,
    policy: contract.policy,
    questionWaitMs: session.history.cancelled === null ? contract.contract.questionWaitMs : null,
  });
  if (settled.kind === "stopped") return settled;
  const { document } = settled;
  const refused =
    obeyAtPrep(session, contract, document.view.phase) ??
    refuseCancelled(session, document.view.phase) ??
    precheck(session, document, contract, repo, settled.defaulted);
  if (refused !== null) return refused;
  requireKnownCosts(session, contract, listCandidates(contract, request));
  const budgets = readBudgets(session, contract, request.run);
  const spent = refuseSpent(session, document, contract, budgets, null);
  if (spent !== null) return spent;
  const model = chooseModel(session, contract, request);
  if ("kind" in model) return model;
  const unaffordable = refuseSpent(session, document, contract, budgets, model);
  if (unaffordable !== null) return unaffordable;
  const pins = settlePins(session, contract, repo);
  if ("kind" in pins) return pins;
  const timeoutMs = boundTimeout(budgets, request.timeoutMs ?? model.timeoutMs);
  const degrade = settleDegrade(session, contract, budgets, model);
  const parts = { contract, repo, document, model, pins, timeoutMs, degrade, run: request.run };
  return assembleWatched(session, parts);
}

/** From here on programs run, the baseline first, so CONTROL.md is watched. A dry run runs none. */
async function assembleWatched(session: TaskSession, parts: Omit<Assembly, "session">): Promise<PreparedPass | Stop> {
  if (session.anchor === null) return assemble({ ...parts, session });
  const { model, timeoutMs } = parts;
  const pass = session.history.lastPass + 1;
  const watch = watchPass(session, parts.contract, { pass, model: model.name, timeoutMs });
  let goesOn = false;
  try {
    const prepared = await assemble({ ...parts, session: watch.session });
    goesOn = prepared.kind === "ready";
    if (prepared.kind === "ready") return { ...prepared, watch };
    watch.finish();
    watch.journalObeyed();
    return { ...prepared, aborted: watch.aborted() };
  } finally {
    if (!goesOn) watch.stop();
  }
}

/** Pins the protected paths at pass 1 and after a person's edit of the brief; refuses where they differ since. */
function settlePins(session: TaskSession, contract: TaskContract, repo: string): PinnedPaths | Stop {
  const globs = contract.contract.protected;
  const { pinned, pinsStale } = session.history;
  if (pinned === null || pinsStale) {
    const pins = pinProtected(repo, globs, session.anchor);
    if (session.anchor !== null) storePins(pins, session.anchor);
    if (globs.length > 0 || pinned !== null) {
      accept(session, {
        event: { type: "pinned", at: session.ports.now().toISOString(), protected: pins.digests },
        state: null,
      });
    }
    return pins;
  }
  const pins = loadPins(repo, globs, pinned, session.anchor);
  const differing = differsFromPins(pins).map((difference) => difference.path);
  if (differing.length > 0) {
    return stop(
      "rejected",
      `protected paths differ from pass 1, and no pass did that: ${differing.slice(0, 20).join(", ")}. Put them back, or edit the brief: its next pass takes them as they are then`,
      session.history.phase,
    );
  }
  if (session.anchor !== null) storePins(pins, session.anchor);
  return pins;
}
