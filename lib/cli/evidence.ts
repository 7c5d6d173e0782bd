import { rebuildEvidence } from "../pass/rebuild-evidence.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTask } from "./target.ts";

/** `evidence`: rebuilds the pages from journal and artifacts. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { place, task, relinked } = await rebuildEvidence(
    chooseTask(context),
    context.flags.text("config"),
    makePorts(context),
  );
  return {
    exitName: "ok",
    json: { task, evidence: { path: place.page, url: null }, relinked },
    story: relinked ? ["the Evidence link in STATE.md was brought up to date"] : [],
    answer: [place.evidence, place.page],
    findings: [],
  };
}
