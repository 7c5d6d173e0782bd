import { waitsForRecovery } from "../anchor/anchor.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { standingsIn } from "../review/review-standings.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import { findRepo } from "../task/load-contract.ts";
import { refuseLocked } from "../task/locks.ts";
import { openTask } from "../task/open-task.ts";
import type { PassReport } from "../task/request.ts";
import { openPreview, stop } from "../task/session.ts";
import { packPrompt } from "./pack-prompt.ts";
import { dryReport, stoppedReport } from "./pass-report.ts";
import { planPass } from "./plan.ts";
import type { PassCall } from "./prepared-pass.ts";

/** A dry run: plans the next pass and packs its prompt. Nothing is locked and nothing is written. */
export async function previewPass(call: PassCall): Promise<PassReport> {
  const { place, request, ports } = call;
  if (waitsForRecovery(place, ports)) {
    const reason = "an interrupted pass has to be recovered; the next run without --dry-run does that first";
    return stoppedReport(call, stop("ok", reason, null));
  }
  const session = openPreview(place, ports);
  const contract = openTask(place, request.config, ports);
  const repo = findRepo(place, contract.contract, request.repo, ports);
  refuseLocked(place, repo, ports);
  const plan = await planPass(session, contract, repo, request);
  const { findings } = session;
  if (plan.kind === "stopped") {
    return stoppedReport(call, { ...plan, task: contract.contract.id, findings });
  }
  const { hash } = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const reviews = standingsIn(session, contract.policy, plan.document.view.phase, {
    fingerprint: hash,
    state: plan.document.view,
  });
  return dryReport(call, { plan, findings, prompt: packPrompt(session, plan, reviews) });
}
