import { rebuildEvidence } from "../queue/actions/rebuild-evidence.ts";
import type { EvidenceKeys } from "../rules/shapes/reports/people.ts";
import { evidenceJson } from "../task/request.ts";
import { infoFinding } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { renderUrl } from "./show-pass.ts";
import { chooseTask } from "./target.ts";

/** `evidence`: rebuilds the pages from journal and artifacts, and makes up for a missing attestation. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { place, task, relinked, attested, findings, located } = await rebuildEvidence(
    chooseTask(context),
    context.flags.text("config"),
    makePorts(context),
    context.ahead !== undefined,
  );
  const { link, advice } = located;
  const unknown = "no link to the git host: its name does not show which host software runs there";
  return {
    exitName: "ok",
    json: { task, evidence: evidenceJson(place.page, link), relinked, attested } satisfies EvidenceKeys,
    story: [
      ...(relinked ? ["the Evidence link in STATE.md was updated"] : []),
      ...(attested ? [`the attestation was missing and is written: ${place.attestation}`] : []),
    ],
    answer: [place.evidence, place.page, ...(link === null ? [] : [renderUrl(link)])],
    findings: [...findings, ...(advice === null ? [] : [infoFinding("TP_HOST_UNKNOWN", unknown, { fix: advice })])],
  };
}
