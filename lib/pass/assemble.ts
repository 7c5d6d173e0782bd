import { join } from "node:path";
import { headCommit } from "../git/diff.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import type { DegradeStep } from "../machine/events.ts";
import type { Tamper } from "../machine/facts.ts";
import { estimateOf } from "../machine/spend.ts";
import { hasCheapTier } from "../models/cheap-tier.ts";
import { createMark } from "../process/mark.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { sha256 } from "../text/sha256.ts";
import { type Anchor, type CurrentPass, clearSpool, noteCurrent } from "./anchor.ts";
import { runBaseline } from "./baseline.ts";
import { captureGit } from "./git-capture.ts";
import type { Guard } from "./guard.ts";
import { guardRunner, type RunnerGuard } from "./guard-runner.ts";
import { guardedPaths, listOtherTasks, noteOtherHeads } from "./guarded-paths.ts";
import type { TaskContract } from "./load-contract.ts";
import { fingerprintExcludes, lookAtSteps } from "./look.ts";
import { mirrorNotes, noteTurn } from "./model-notes.ts";
import { packPrompt } from "./pack-prompt.ts";
import { signalName } from "./ports.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { listAgentFiles, readEvidenceRows } from "./proof-files.ts";
import type { PinnedPaths } from "./protected-paths.ts";
import type { RunOfPass } from "./request.ts";
import { reviewOnce } from "./review-once.ts";
import { standingsIn } from "./review-standings.ts";
import { accept, type Stop, stop, type TaskSession } from "./session.ts";
import { passFolder, stands } from "./task-place.ts";
import { settleWatch } from "./watch-repo.ts";
import { makeWorkFolder } from "./work-folder.ts";

/** What PREP has settled before anything of the pass is made. */
export interface Assembly {
  readonly session: TaskSession;
  readonly contract: TaskContract;
  readonly repo: string;
  readonly document: StateDocument;
  readonly model: PreparedPass["model"];
  readonly pins: PinnedPaths;
  readonly timeoutMs: number;
  /** How this pass is made cheaper. */
  readonly degrade: readonly DegradeStep[];
  readonly run: RunOfPass | null;
  readonly runner?: RunnerGuard | null;
}

/** The end of PREP: runs the baseline where it is due, packs the prompt, notes the pass and makes the anchor. */
export async function assemble(settled: Assembly): Promise<PreparedPass | Stop> {
  const { session, contract, repo, document } = settled;
  const { place, ports, anchor } = session;
  // Before anything of the repo runs.
  const parts = { ...settled, runner: anchor === null ? null : guardRunner(anchor, place, repo, ports) };
  const pass = session.history.lastPass + 1;
  const watched = await settleWatch(session, repo, contract.contract, pass);
  const baseline = anchor === null ? { kind: "done" as const, tampering: [] } : await baselineOnce(parts, anchor, pass);
  if (baseline.kind === "aborted")
    return stop(signalName(ports), "stopped by a signal before the model was called", document.view.phase);
  const guard =
    anchor === null || baseline.tampering.length > 0
      ? null
      : () => {
          mirrorNotes(session);
          return makeGuard(parts, anchor, makeCurrent(parts, anchor, pass, "review"));
        };
  const reviewed = await reviewOnce(parts, pass, guard);
  if (reviewed.kind === "stopped") return reviewed;
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const reviews = standingsIn(session, contract.policy, document.view.phase, fingerprint.hash);
  const prompt = packPrompt(session, document, contract, repo, pass, parts.degrade, reviews);
  // Where the task begins: what it changed so far is told from there.
  const head = anchor !== null && pass === 1 ? await headCommit(repo, ports.env) : undefined;
  const { checkpoint } = contract.config;
  const git = anchor === null ? null : await captureGit({ place, repo, anchor, mode: checkpoint }, ports);
  session.findings.push(...(git?.findings ?? []));
  const guarded = anchor === null ? null : anchorPass(parts, anchor, pass, prompt, fingerprint.hash, head);
  return {
    kind: "ready",
    session,
    contract,
    policy: contract.policy,
    repo,
    model: parts.model,
    timeoutMs: parts.timeoutMs,
    tier: tierOf(parts),
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
    watched,
    git,
    baselineTampering: [...baseline.tampering, ...reviewed.tampering],
    reviewEnd: reviewed.end,
    reviewedMs: reviewed.ms,
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
  return runBaseline({ session, guard, contract, repo, pass });
}

/** From here on, what a killed run left behind can be undone: the anchor knows the pass and holds the copies. */
function anchorPass(
  parts: Assembly,
  anchor: Anchor,
  pass: number,
  prompt: string,
  fingerprint: string,
  head: string | null | undefined,
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
      run: parts.run?.id ?? null,
      timeout_ms: parts.timeoutMs,
      tier: tierOf(parts),
      degrade: parts.degrade,
      ...(head === undefined ? {} : { head_commit: head }),
    },
    state: null,
  });
  makeFolder(folder);
  putFile(join(folder, "prompt.md"), prompt);
  putFile(join(folder, "STATE.before.md"), session.history.state ?? "");
  const current = makeCurrent(parts, anchor, pass, "exec");
  return { anchor, current, guard: makeGuard(parts, anchor, current) };
}

/** A model without a cheap tier works as usual. */
function tierOf({ degrade, model }: Assembly): PreparedPass["tier"] {
  return degrade.includes("cheap_tier") && hasCheapTier(model) ? "cheap" : "default";
}

function makeCurrent(parts: Assembly, anchor: Anchor, pass: number, step: CurrentPass["step"]): CurrentPass {
  const { session, contract, repo } = parts;
  const { place, ports } = session;
  clearSpool(anchor);
  const others = listOtherTasks(place);
  const workFolder = makeWorkFolder(anchor.folder);
  const paths = guardedPaths(place, contract.configPaths, others, repo);
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

function makeGuard({ session, pins, runner = null }: Assembly, anchor: Anchor, current: CurrentPass): Guard {
  return { place: session.place, anchor, current, pins, ports: session.ports, runner };
}
