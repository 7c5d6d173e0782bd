import { seenFile } from "../anchor/anchor.ts";
import { headCommit } from "../git/diff.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { recallSeen } from "../git/keep-seen.ts";
import { captureGit } from "../keep/git-capture.ts";
import { standingsIn } from "../review/review-standings.ts";
import { updateWatch } from "../square/watch-repo.ts";
import { gatherSyncs } from "../store/folder.ts";
import { fingerprintExcludes } from "../task/look.ts";
import type { HeldTask, Stop } from "../task/session.ts";
import { beginPass, guardPass } from "./begin-pass.ts";
import { claimAhead } from "./claim-ahead.ts";
import { packPrompt } from "./pack-prompt.ts";
import type { Plan, PreparedPass } from "./prepared-pass.ts";
import { listAgentFiles } from "./proof-files.ts";
import { runAhead } from "./run-ahead.ts";
import type { PassWatch } from "./watch-pass.ts";

/** The end of PREP: runs the baseline and the reviewers if they are due, packs the prompt, and makes the anchor. */
export async function assemble(session: HeldTask, plan: Plan, watch: PassWatch): Promise<PreparedPass | Stop> {
  const { contract, repo, document, pass } = plan;
  const { place, ports, anchor } = session;
  const refused = await claimAhead(session, plan);
  if (refused !== null) return refused;
  // Before anything of the repo runs.
  const guardStep = guardPass(session, plan);
  const watched = await updateWatch(session, repo, contract.contract, pass);
  const ahead = await runAhead(session, plan, guardStep);
  if (ahead.kind === "stopped") return ahead;
  recallSeen(seenFile(repo, ports), repo);
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo), process.env, "stats");
  const about = { fingerprint: fingerprint.hash, state: document.view };
  const prompt = packPrompt(session, plan, standingsIn(session, contract.policy, document.view.phase, about));
  // Where the task begins: its changes are counted from there.
  const head = pass === 1 ? await headCommit(repo, ports.env) : undefined;
  const git = await captureGit({ place, repo, anchor, mode: contract.config.checkpoint }, ports);
  session.findings.push(...git.findings);
  const syncs = gatherSyncs();
  const guard = beginPass(session, plan, guardStep, { prompt, fingerprint: fingerprint.hash, head, syncs });
  const before = { fingerprint, artifacts: listAgentFiles(place) };
  return { ...plan, kind: "ready", session, watch, guard, prompt, before, watched, git, syncs, ahead };
}
