import { orderlyGraceMs } from "../process/grace.ts";
import { type CancelResult, cancelTask, type HeldCancelled, holdCancelled } from "../queue/actions/cancel-task.ts";
import type { CancelKeys } from "../rules/shapes/reports/people.ts";
import { loadContract } from "../task/load-contract.ts";
import { locateTask, type TaskPlace } from "../task/records/task-place.ts";
import { orIfForeseen } from "../text/attempt.ts";
import { TaskPhaseError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseTask } from "./target.ts";

/** Beside control.poll: time to end a model in order, and to make the verdict durable. */
const obeyMs = 15_000;
/** A runner needs one to end its own model. */
const graceMs = 2 * orderlyGraceMs;

/** A scheduler may start the next runner in the moment in which the task is free. */
const mostRunners = 3;

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const place = locateTask(chooseTask(context), context.cwd);
  const { result, held, until, findings } = await stopAndHold(place, context, mostRunners);
  const reason = !held
    ? result.reason
    : result.outcome === "idle"
      ? `the task is cancelled, and was not running: no run continues it until ${until}`
      : `${result.reason}; the task stays cancelled until ${until}`;
  return {
    exitName: result.exitName,
    json: { task_dir: place.taskDir, outcome: result.outcome, reason, cancelled: held } satisfies CancelKeys,
    story: [reason],
    answer: [],
    findings,
  };
}

/** Stops the pass that works in this folder, and holds nothing. */
export async function stopRunner(place: TaskPlace, context: CommandContext): Promise<CancelResult> {
  const never = new AbortController().signal;
  const waitMs = context.flags.number("timeout") ?? pollMs(place, context) + obeyMs;
  return await cancelTask(
    place,
    { waitMs, graceMs },
    {
      env: context.env,
      home: context.home,
      now: context.now,
      sleep: (ms) => context.sleep(ms, never),
      tell: (line) => context.tell(line),
    },
  );
}

async function stopAndHold(
  place: TaskPlace,
  context: CommandContext,
  runners: number,
): Promise<HeldCancelled & { readonly result: CancelResult }> {
  const result = await stopRunner(place, context);
  if (result.exitName !== "ok") return { result, held: false, until: "", findings: [] };
  try {
    return { result, ...(await holdCancelled(place, context.flags.text("config"), makePorts(context))) };
  } catch (error) {
    if (runners === 1 || !(error instanceof TaskPhaseError) || error.exitName !== "locked") throw error;
    return await stopAndHold(place, context, runners - 1);
  }
}

/** A runner reads CONTROL.md this often. One whose files are wrong by now reads it as often as they said before. */
function pollMs(place: TaskPlace, context: CommandContext): number {
  return orIfForeseen(() => loadContract(place, context.flags.text("config"), context).config.control.pollMs, 30_000);
}
