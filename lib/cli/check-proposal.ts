import path from "node:path";
import { judgeProposal, type ProposalReport } from "../queue/upkeep/judge-proposal.ts";
import { locateTask } from "../task/records/task-place.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTask } from "./target.ts";

/** `check --proposal`: what the proposal in STATE.md would come to, apart from the checks. Within a pass: its own. */
export async function checkProposal(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const others = ["since", "annotations", "tasks-root"] as const;
  const other = flags.on("history") ? "history" : others.find((name) => flags.text(name) !== null);
  if (other !== undefined) {
    throw usageError(
      "TP_USAGE_PROPOSAL",
      `--proposal judges one task as it is now, so it cannot be combined with --${other}`,
      {
        fix: `omit --${other} or --proposal`,
      },
    );
  }
  const own = flags.text("task-dir") === null ? context.env.TASK_PHASE_TASK_DIR : undefined;
  const place = locateTask(own === undefined ? chooseTask(context) : path.resolve(own), context.cwd);
  const report = await judgeProposal(
    place,
    { config: flags.text("config"), repo: flags.text("repo") },
    makePorts(context),
  );
  const { from, proposed, gates } = report;
  return {
    exitName: report.findings.length === 0 ? "ok" : "rejected",
    json: { ok: report.findings.length === 0, tasks: [], proposal: { from, proposed, gates: [...gates] } },
    story: [],
    answer: [`${place.name}: ${describe(report)}`],
    findings: report.findings,
  };
}

function describe({ from, proposed, gates, findings }: ProposalReport): string {
  const move = from === proposed ? `the proposal stays in ${from}` : `the proposal is ${from} → ${proposed}`;
  if (findings.length > 0) return `${move}; the runner would not accept it as it is`;
  const held =
    gates.length === 0 ? "" : `; ${gates.length === 1 ? "its gate holds" : `all ${gates.length} gates hold`}`;
  return `${move}${held}. The runner itself runs the checks, and requires progress`;
}
