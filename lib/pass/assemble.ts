import { join } from "node:path";
import { clearSpool, seenFile } from "../anchor/anchor.ts";
import type { CurrentPass, WaitingLine } from "../anchor/anchor-shapes.ts";
import { signalName } from "../anchor/ports.ts";
import { recordCurrent } from "../anchor/records.ts";
import { passFolder, stands } from "../anchor/task-place.ts";
import { makeWorkFolder } from "../anchor/work-folder.ts";
import { headCommit } from "../git/diff.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { recallSeen } from "../git/keep-seen.ts";
import { endingOrphans } from "../guard/end-orphans.ts";
import type { Guard } from "../guard/guard.ts";
import { guardRunner } from "../guard/guard-runner.ts";
import { captureGit } from "../keep/git-capture.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { Tamper } from "../machine/facts.ts";
import { estimateOf } from "../machine/spend.ts";
import { hasCheapTier } from "../models/adapters/cheap-tier.ts";
import { createMark } from "../process/mark.ts";
import { standingsIn } from "../review/review-standings.ts";
import { recordTurn, takeNotes } from "../rotation/model-notes.ts";
import { updateWatch } from "../square/watch-repo.ts";
import { type FolderSyncs, gatherSyncs, makeFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { guardedPaths, listOtherTasks } from "../task/guarded-paths.ts";
import { guardedTrees } from "../task/guarded-trees.ts";
import { fingerprintExcludes } from "../task/look.ts";
import { begin, type HeldTask, type Stop, stop } from "../task/session.ts";
import { sha256 } from "../text/sha256.ts";
import { isBaselineDue, runBaseline } from "./baseline.ts";
import { claimAhead } from "./claim-ahead.ts";
import { packPrompt } from "./pack-prompt.ts";
import type { Assembly, Plan, PreparedPass } from "./prepared-pass.ts";
import { listAgentFiles } from "./proof-files.ts";
import { notReviewed, reviewOnce } from "./review-once.ts";
import type { PassWatch } from "./watch-pass.ts";

/** The end of PREP: runs the baseline and the reviewers if they are due, packs the prompt, and makes the anchor. */
export async function assemble(session: HeldTask, plan: Plan, watch: PassWatch): Promise<PreparedPass | Stop> {
  const { contract, repo, document, pass } = plan;
  const { place, ports, anchor } = session;
  const refused = await claimAhead(session, plan);
  if (refused !== null) return refused;
  // Before anything of the repo runs.
  const parts = { plan, session, runner: guardRunner(anchor, place, repo, ports) };
  const watched = await updateWatch(session, repo, contract.contract, pass);
  const baseline = await baselineOnce(parts);
  if (baseline.kind === "aborted")
    return stop(signalName(ports), "stopped by a signal before the model was called", document.view.phase);
  const reviewed =
    baseline.tampering.length > 0
      ? notReviewed
      : await reviewOnce(session, plan, () => {
          takeNotes(session);
          return makeGuard(parts, makeCurrent(parts, "review"));
        });
  if (reviewed.kind === "stopped") return reviewed;
  recallSeen(seenFile(repo, ports), repo);
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo), process.env, "stats");
  const standings = standingsIn(session, contract.policy, document.view.phase, {
    fingerprint: fingerprint.hash,
    state: document.view,
  });
  const prompt = packPrompt(session, plan, standings);
  // Where the task begins: what it changed so far is told from there.
  const head = pass === 1 ? await headCommit(repo, ports.env) : undefined;
  const git = await captureGit({ place, repo, anchor, mode: contract.config.checkpoint }, ports);
  session.findings.push(...git.findings);
  const syncs = gatherSyncs();
  const guarded = anchorPass(parts, prompt, { fingerprint: fingerprint.hash, head, syncs });
  return {
    kind: "ready",
    session,
    contract,
    policy: contract.policy,
    repo,
    model: plan.model,
    timeoutMs: plan.timeoutMs,
    tier: tierOf(plan),
    pass,
    prompt,
    document,
    before: {
      fingerprint,
      artifacts: listAgentFiles(place),
      evidence: contract.evidence,
      steps: contract.steps,
    },
    syncs,
    guarded,
    watched,
    git,
    baselineTampering: [...baseline.tampering, ...reviewed.tampering],
    reviewEnd: reviewed.end,
    reviewedMs: reviewed.ms,
    watch,
  };
}

/** The anchor is in place: repo code runs in it. */
async function baselineOnce(
  parts: Assembly,
): Promise<{ kind: "done"; tampering: readonly Tamper[] } | { kind: "aborted" }> {
  const { session } = parts;
  const { contract, repo, pass } = parts.plan;
  if (!isBaselineDue(session, parts.plan)) return { kind: "done", tampering: [] };
  session.ports.tell("PREP", "running the checks once as the baseline");
  takeNotes(session);
  const guard = makeGuard(parts, makeCurrent(parts, "baseline"));
  return await endingOrphans(guard, session.ports.env, () => runBaseline({ session, guard, contract, repo, pass }));
}

/** From here on, what a killed run left behind can be undone: the anchor knows the pass and holds the copies. */
function anchorPass(
  parts: Assembly,
  prompt: string,
  { fingerprint, head, syncs }: { fingerprint: string; head: string | null | undefined; syncs: FolderSyncs },
): PreparedPass["guarded"] {
  const { plan, session } = parts;
  const { document, model, pass } = plan;
  const { place, ports, anchor } = session;
  const folder = passFolder(place, pass);
  recordTurn(session, model.name);
  // Until its verdict a power cut may take these names away: the record of the pass has the bytes.
  makeFolder(folder, 0o777, syncs);
  putFile(join(folder, "prompt.md"), prompt, { syncs });
  putFile(join(folder, "STATE.before.md"), session.history.state ?? "", { syncs });
  const event: TaskEvent = {
    type: "pass_started",
    at: ports.now().toISOString(),
    pass,
    phase: document.view.phase,
    model: model.name,
    estimate_usd: estimateOf(session.history.spend, model.name, model.estimateUsd),
    prompt_sha256: sha256(prompt),
    fingerprint,
    run: plan.run?.id ?? null,
    timeout_ms: plan.timeoutMs,
    tier: tierOf(plan),
    degrade: plan.degrade,
    ...(head === undefined ? {} : { head_commit: head }),
    ...(ports.fence === undefined ? {} : { runner: ports.fence.runner }),
  };
  const current = begin(session, event, (started, journal) =>
    makeCurrent(parts, "exec", { started, ahead: new Map([[place.journal, journal]]) }),
  );
  return { anchor, current, guard: makeGuard(parts, current) };
}

/** A model without a cheap tier works as usual. */
function tierOf({ degrade, model }: Plan): PreparedPass["tier"] {
  return degrade.includes("cheap_tier") && hasCheapTier(model) ? "cheap" : "default";
}

/** `ahead`: files that get these bytes once the record is durable. */
function makeCurrent(
  { plan, session }: Assembly,
  step: CurrentPass["step"],
  { started, ahead }: { readonly started?: WaitingLine; readonly ahead?: ReadonlyMap<string, Buffer> } = {},
): CurrentPass {
  const { contract, repo, pass, pins } = plan;
  const { place, ports, anchor } = session;
  clearSpool(anchor);
  const others = listOtherTasks(place);
  const workFolder = makeWorkFolder(anchor.folder);
  const paths = guardedPaths(place, contract.configPaths, null, repo);
  const recorded = anchor.trees.record({
    task: place.taskDir,
    roots: paths.roots,
    options: paths,
    trees: guardedTrees(place, others, ports),
    ...(ahead === undefined ? {} : { ahead }),
  });
  const current: CurrentPass = {
    version: 1,
    pass,
    step,
    started_at: ports.now().toISOString(),
    repo,
    mark: createMark(workFolder),
    work_folder: workFolder,
    ...recorded,
    protected_globs: contract.contract.protected,
    config_paths: contract.configPaths,
    had_git: stands(join(repo, ".git")),
    ...(started === undefined ? {} : { started }),
  };
  recordCurrent(anchor, current);
  anchor.store.prune(Object.values(pins.entries));
  return current;
}

function makeGuard({ session, plan, runner }: Assembly, current: CurrentPass): Guard {
  const { place, anchor, ports } = session;
  return { place, anchor, current, pins: plan.pins, ports, runner };
}
