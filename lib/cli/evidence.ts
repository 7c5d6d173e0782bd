import { rebuildEvidence } from "../pass/rebuild-evidence.ts";
import { infoFinding } from "../report/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { evidenceJson, sayUrl } from "./show-pass.ts";
import { chooseTask } from "./target.ts";

/** `evidence`: rebuilds the pages from journal and artifacts. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { place, task, relinked, located } = await rebuildEvidence(
    chooseTask(context),
    context.flags.text("config"),
    makePorts(context),
  );
  const { link, advice } = located;
  return {
    exitName: "ok",
    json: { task, evidence: evidenceJson(place.page, link), relinked },
    story: relinked ? ["the Evidence link in STATE.md was brought up to date"] : [],
    answer: [place.evidence, place.page, ...(link === null ? [] : [sayUrl(link)])],
    findings:
      advice === null
        ? []
        : [
            infoFinding("TP_HOST_UNKNOWN", "no link to the git host: its name does not say what runs there", {
              fix: advice,
            }),
          ],
  };
}
