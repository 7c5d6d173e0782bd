import { resumeTask } from "../queue/actions/resume-task.ts";
import type { ResumeKeys } from "../rules/shapes/reports/people.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTask } from "./target.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const taskDir = chooseTask(context);
  const to = flags.text("to");
  const reason = flags.text("reason")?.trim() ?? "";
  if (to === null)
    throw usageError("TP_USAGE_MISSING_FLAG", "--to is missing", {
      fix: "name the working phase to continue in, for example --to implement; a task that is done continues in intake",
    });
  if (reason === "")
    throw usageError("TP_USAGE_MISSING_FLAG", "--reason is missing or empty", {
      fix: "say why; recorded in the journal",
    });
  const result = await resumeTask(
    { taskDir, to, reason, config: flags.text("config"), repo: flags.text("repo") },
    makePorts(context),
  );
  return {
    exitName: result.exitName,
    json: { task: result.task, from: result.from, to: result.to, reason: result.reason } satisfies ResumeKeys,
    story: [result.reason],
    answer: [],
    findings: result.findings,
  };
}
