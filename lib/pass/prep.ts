import { join } from "node:path";
import { escalate } from "../machine/escalate.ts";
import type { Tamper } from "../machine/facts.ts";
import { estimateOf } from "../machine/spend.ts";
import { createMark } from "../process/mark.ts";
import { takeFingerprint } from "../store/fingerprint.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { sha256 } from "../text/sha256.ts";
import { type Anchor, type CurrentPass, clearSpool, noteCurrent, openAnchor } from "./anchor.ts";
import { runBaseline } from "./baseline.ts";
import { chooseModel, listCandidates } from "./choose-model.ts";
import type { Guard } from "./guard.ts";
import { guardedPaths, listOtherTasks, noteOtherHeads } from "./guarded-paths.ts";
import { findRepo, loadContract, type TaskContract } from "./load-contract.ts";
import { type HeldLocks, refuseLocked } from "./locks.ts";
import { fingerprintExcludes, lookAtSteps, requireReadable, requireWritable } from "./look.ts";
import { carryOutNotes, mirrorNotes, noteTurn } from "./model-notes.ts";
import { refuseSpentMoney, requireKnownCosts } from "./money.ts";
import { packPrompt } from "./pack-prompt.ts";
import type { PassPorts } from "./ports.ts";
import { precheck, requireUsable } from "./precheck.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { listAgentFiles, readEvidenceRows } from "./proof-files.ts";
import { differsFromPins, loadPins, type PinnedPaths, pinProtected, storePins } from "./protected-paths.ts";
import { recoverTask, waitsForRecovery } from "./recover.ts";
import type { PassRequest } from "./request.ts";
import { requireSandbox } from "./require-sandbox.ts";
import { accept, openSession, type Stop, stop, type TaskSession } from "./session.ts";
import { settleState } from "./settle-state.ts";
import { stopTask } from "./stop-task.ts";
import { passFolder, stands, type TaskPlace } from "./task-place.ts";
import { makeWorkFolder } from "./work-folder.ts";

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
  requireReadable(place);
  if (locks !== null) requireWritable(place);
  const repo = findRepo(place, contract.contract, request.repo, ports);
  if (locks === null) refuseLocked(place, repo, ports);
  else locks.takeRepo(repo);
  const prepared = await settleAndAssemble(session, contract, repo, request);
  return prepared.kind === "stopped"
    ? { ...prepared, task: contract.contract.id, findings: session.findings }
    : prepared;
}

async function settleAndAssemble(
  session: TaskSession,
  contract: TaskContract,
  repo: string,
  request: PassRequest,
): Promise<PreparedPass | Stop> {
  requireSandbox(session.place, contract, repo, request, session.ports);
  if (session.history.contractSha256 !== contract.sha256) requireUsable(session, contract, repo, request);
  const settled = await settleState(session, { contractSha256: contract.sha256, repo, policy: contract.policy });
  if (settled.kind === "stopped") return settled;
  const { document } = settled;
  const refused = precheck(session, document, contract, repo);
  if (refused !== null) return refused;
  requireKnownCosts(session, contract, listCandidates(contract, request));
  const spent = refuseSpent(session, document, contract);
  if (spent !== null) return spent;
  const model = chooseModel(session, contract, request);
  if ("kind" in model) return model;
  const unaffordable = refuseSpentMoney(session, document, contract, model);
  if (unaffordable !== null) return unaffordable;
  const pins = settlePins(session, contract, repo);
  if ("kind" in pins) return pins;
  return assemble({ session, contract, repo, document, model, pins, timeoutMs: request.timeoutMs ?? model.timeoutMs });
}

/** The pass limit: the 13th of 12 is not run. */
function refuseSpent(session: TaskSession, document: StateDocument, contract: TaskContract): Stop | null {
  const { passes } = contract.policy.budget;
  if (session.history.counts.passes < passes) return null;
  const happened = `all ${passes} passes of the budget are spent (\`budget.passes\` in the brief raises it)`;
  return stopTask(session, document, escalate("passes", document.view.phase, happened));
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

interface Assembly {
  readonly session: TaskSession;
  readonly contract: TaskContract;
  readonly repo: string;
  readonly document: StateDocument;
  readonly model: PreparedPass["model"];
  readonly pins: PinnedPaths;
  readonly timeoutMs: number;
}

async function assemble(parts: Assembly): Promise<PreparedPass | Stop> {
  const { session, contract, repo, document } = parts;
  const { place, ports, anchor } = session;
  const pass = session.history.lastPass + 1;
  const baseline = anchor === null ? { kind: "done" as const, tampering: [] } : await baselineOnce(parts, anchor, pass);
  if (baseline.kind === "aborted")
    return stop(signalName(ports), "stopped by a signal before the model was called", document.view.phase);
  const prompt = packPrompt(session, document, contract, repo, pass);
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place));
  const guarded = anchor === null ? null : anchorPass(parts, anchor, pass, prompt, fingerprint.hash);
  return {
    kind: "ready",
    session,
    contract,
    policy: contract.policy,
    repo,
    model: parts.model,
    timeoutMs: parts.timeoutMs,
    pass,
    prompt,
    document,
    before: {
      fingerprint,
      artifacts: listAgentFiles(place),
      evidenceRows: readEvidenceRows(place),
      steps: lookAtSteps(place),
    },
    guarded,
    baselineTampering: baseline.tampering,
  };
}

/** The baseline runs once, before the first implement pass, with the anchor in place: repo code runs in it. */
async function baselineOnce(
  parts: Assembly,
  anchor: Anchor,
  pass: number,
): Promise<{ kind: "done"; tampering: readonly Tamper[] } | { kind: "aborted" }> {
  const { session, contract, repo, document } = parts;
  const checks = contract.contract.validators.length + contract.contract.scenarios.length;
  if (document.view.phase !== "implement" || session.history.baseline !== null || checks === 0)
    return { kind: "done", tampering: [] };
  session.ports.tell("PREP", "running the checks once as the baseline");
  mirrorNotes(session);
  const guard = makeGuard(parts, anchor, makeCurrent(parts, anchor, pass, "baseline"));
  return runBaseline({ session, guard, contract: contract.contract, repo, pass });
}

/** From here on, what a killed run left behind can be undone: the anchor knows the pass and holds the copies. */
function anchorPass(
  parts: Assembly,
  anchor: Anchor,
  pass: number,
  prompt: string,
  fingerprint: string,
): NonNullable<PreparedPass["guarded"]> {
  const { session, document, model } = parts;
  const { place, ports } = session;
  const folder = passFolder(place, pass);
  noteTurn(session, model.name);
  accept(session, {
    event: {
      type: "pass_started",
      at: ports.now().toISOString(),
      pass,
      phase: document.view.phase,
      model: model.name,
      estimate_usd: estimateOf(session.history.spend, model.name, model.estimateUsd),
      prompt_sha256: sha256(prompt),
      fingerprint,
    },
    state: null,
  });
  makeFolder(folder);
  putFile(join(folder, "prompt.md"), prompt);
  putFile(join(folder, "STATE.before.md"), session.history.state ?? "");
  const current = makeCurrent(parts, anchor, pass, "exec");
  return { anchor, current, guard: makeGuard(parts, anchor, current) };
}

function makeCurrent(parts: Assembly, anchor: Anchor, pass: number, step: CurrentPass["step"]): CurrentPass {
  const { session, contract, repo } = parts;
  const { place, ports } = session;
  clearSpool(anchor);
  const others = listOtherTasks(place);
  const workFolder = makeWorkFolder(anchor.folder);
  const paths = guardedPaths(place, contract.configPaths, others);
  const current: CurrentPass = {
    version: 1,
    pass,
    step,
    started_at: ports.now().toISOString(),
    repo,
    mark: createMark(workFolder),
    work_folder: workFolder,
    manifest: anchor.store.record(paths.roots, paths),
    other_heads: noteOtherHeads(others, ports),
    protected_globs: contract.contract.protected,
    config_paths: contract.configPaths,
    had_git: stands(join(repo, ".git")),
  };
  noteCurrent(anchor, current);
  anchor.store.prune([...Object.values(current.manifest.entries), ...Object.values(parts.pins.entries)]);
  return current;
}

function makeGuard(parts: Assembly, anchor: Anchor, current: CurrentPass): Guard {
  return { place: parts.session.place, anchor, current, pins: parts.pins, ports: parts.session.ports };
}

/** The exit that belongs to the signal which stopped the run. */
export function signalName(ports: PassPorts): "sigint" | "sighup" | "sigterm" | "paused" {
  const reason: unknown = ports.signal.reason;
  if (reason === "SIGINT") return "sigint";
  if (reason === "SIGHUP") return "sighup";
  return reason === "SIGTERM" ? "sigterm" : "paused";
}
