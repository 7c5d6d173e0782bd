import { updateWatch } from "../checks/watch-repo.ts";
import { headCommit } from "../git/diff.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { recallSeen } from "../git/save-seen.ts";
import { estimateOf } from "../rules/spend.ts";
import { commitsIn } from "../rules/words.ts";
import { gatherSyncs } from "../store/folder.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import { seenFile } from "../task/records/anchor.ts";
import { accept, type HeldTask, type Stop, stop } from "../task/session.ts";
import { infoFinding } from "../text/finding.ts";
import { beginPass, guardPass } from "./begin-pass.ts";
import { reserveShared } from "./budget/task-budgets.ts";
import { captureGit } from "./checkpoint/git-capture.ts";
import {
  findMovedHead,
  keepSettings,
  recordHead,
  renderMove,
  seeHead,
  seeSettingsAndHooks,
} from "./checkpoint/head-moves.ts";
import { claimPass } from "./commit-verdict.ts";
import { packPrompt } from "./pack-prompt.ts";
import { unkeptStop } from "./pass-report.ts";
import { callsModel, type ModelPlan, type Plan, type PreparedPass } from "./prepared-pass.ts";
import { listAgentFiles } from "./proof-files.ts";
import { standingsIn } from "./review/review-standings.ts";
import { findDueReviews, isBeforeDue, longestBeforeMs, nothingAhead, runAhead } from "./run-ahead.ts";
import type { ControlWatch } from "./watch-control.ts";

/**
 * The end of PREP: runs the checks before the work and the reviewers, if they are due, packs the prompt, and makes the
 * anchor.
 */
export async function assemble(session: HeldTask, plan: Plan, watch: ControlWatch): Promise<PreparedPass | Stop> {
  const { contract, repo, document, pass } = plan;
  const { place, ports, anchor } = session;
  const switched = await reportMovedHead(session, plan);
  if (switched !== null) return switched;
  const refused = callsModel(plan) ? await claimAhead(session, plan) : null;
  if (refused !== null) return refused;
  // Before anything of the repo runs.
  const guardStep = guardPass(session, plan);
  const watched = await updateWatch(session, repo, contract.contract, pass);
  const ahead = callsModel(plan) ? await runAhead(session, plan, watched, guardStep) : nothingAhead;
  if (ahead.kind === "stopped") return ahead;
  recallSeen(seenFile(repo, ports), repo);
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo), process.env, "stats");
  const about = { fingerprint: fingerprint.hash, state: document.view };
  const reviews = standingsIn(session, contract.policy, document.view.phase, about);
  const prompt = callsModel(plan) ? packPrompt(session, plan, reviews) : "";
  // Where the task begins: its changes are counted from there.
  const base = pass === 1 ? await headCommit(repo, ports.env) : undefined;
  const git = await captureGit({ place, repo, anchor, mode: contract.config.checkpoint, pass }, ports);
  session.findings.push(...git.findings);
  const syncs = gatherSyncs();
  const guard = beginPass(session, plan, guardStep, { prompt, fingerprint: fingerprint.hash, head: base, syncs });
  const head = ports.fence === undefined ? await seeHead(repo, ports) : null;
  const settingsAndHooks = ports.fence === undefined ? await seeSettingsAndHooks(repo, ports) : null;
  if (settingsAndHooks !== null) keepSettings(anchor, pass, settingsAndHooks);
  const before = { fingerprint, artifacts: listAgentFiles(place), head, settingsAndHooks };
  return { ...plan, kind: "ready", session, watch, guard, prompt, before, watched, git, syncs, ahead };
}

/**
 * Says that a person moved HEAD since the last pass: nothing of it is the work of a pass. A stop if a loop that commits would
 * continue on another branch.
 */
async function reportMovedHead(session: HeldTask, { repo, run, contract, document }: Plan): Promise<Stop | null> {
  const { ports, history, findings } = session;
  // A pass that was cut off may have moved it.
  const wasCutOff = findings.some(({ code }) => code === "TP_INTERRUPTED" || code === "TP_RECOVERED");
  const moved = ports.fence !== undefined || wasCutOff ? null : await findMovedHead(repo, ports);
  if (moved === null) return null;
  const told = `a person ${renderMove(moved.was, moved.now)}`;
  findings.push(infoFinding("TP_HEAD_MOVED", told));
  ports.tell("PREP", told);
  const isLoops = run !== null && history.run?.id === run.id;
  await recordHead(repo, session.anchor.folder, ports);
  if (!isLoops || moved.was.ref === moved.now.ref || !commitsIn(contract.config.checkpoint)) return null;
  const why = `${told} while the loop ran; nothing was committed there. Start the loop again on the branch that is meant`;
  return { ...stop("paused", why, document.view.phase), aborted: true };
}

/**
 * Among several machines, before anything of a pass costs: takes its share of what they share, and claims the pass if
 * its first checks or its reviewers come first, so that no two machines pay for them. A stop if the pass is not to begin.
 */
async function claimAhead(session: HeldTask, plan: ModelPlan): Promise<Stop | null> {
  const { ports, history } = session;
  const { fence } = ports;
  if (fence === undefined && ports.shared === undefined) return null;
  const reviewers = (await findDueReviews(session, plan))?.roles.length ?? 0;
  const refused = await reserveShared(session, plan, 1 + reviewers);
  const isDue = reviewers > 0 || isBeforeDue(session, plan);
  if (refused !== null || fence === undefined || !isDue) return refused;
  const { pass, model, document, contract } = plan;
  const beforeMs = isBeforeDue(session, plan) ? longestBeforeMs(plan) : 0;
  const timeoutMs = plan.timeoutMs * (1 + reviewers) + beforeMs;
  const { runner } = fence;
  const event = {
    type: "claimed",
    at: ports.now().toISOString(),
    pass,
    phase: document.view.phase,
    model: model.name,
    estimate_usd: estimateOf(history.spend, model.name, model.estimateUsd),
    reviewers,
    timeout_ms: timeoutMs,
    run: plan.run?.id ?? null,
    runner,
  } as const;
  accept(session, { event, state: null });
  const lost = await claimPass({ ...plan, session, timeoutMs }, ports, true);
  return lost === null ? null : unkeptStop(session, contract.contract.id, lost);
}
