import { randomBytes } from "node:crypto";
import type { NotifyConfig } from "../documents/config/config-schema.ts";
import { type ClaimRequest, HeldClaimError } from "../fleet/claim-context.ts";
import { resolveRemote } from "../fleet/read-remote.ts";
import { runClaimed } from "../fleet/run-claimed.ts";
import type { PassRunner } from "../rules/events.ts";
import { TaskPhaseError, usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makeRunner } from "./fleet-remotes.ts";
import { livePass } from "./live-line.ts";
import { makePorts, type NamedModels, withPing } from "./pass-ports.ts";
import { passResult } from "./show-pass.ts";
import { stoppedExit, watchSignals } from "./signals.ts";

/** `run --claim`: one pass of a task of a remote, if no other machine does it. */
export async function runClaim(context: CommandContext, named: NamedModels): Promise<CommandResult> {
  const { flags } = context;
  const request = {
    url: resolveRemote(requireFlag(context, "remote", "URL"), context.cwd, context),
    task: flags.text("task") ?? flags.text("task-dir") ?? requireFlag(context, "task", "ID"),
    root: flags.text("tasks-root"),
    runner: readRunner(context),
    takeover: flags.on("takeover"),
    local: null,
    pass: {
      repo: null,
      ...named,
      timeoutMs: flags.number("timeout"),
      config: flags.text("config"),
      dryRun: false,
      run: null,
    },
  };
  const unfit = flags.on("dry-run") ? "dry-run" : flags.text("repo") === null ? null : "repo";
  if (unfit !== null) {
    throw usageError("TP_USAGE_CLAIM", `--claim and --${unfit} cannot be combined`, {
      fix: "omit one of them: a claimed pass works in a clone of its own",
    });
  }
  let notify: NotifyConfig | null = null;
  const onNotify = (found: NotifyConfig) => {
    notify = found;
  };
  return await withPing(
    context,
    () => notify,
    () => claimOne({ ...request, onNotify }, context),
  );
}

async function claimOne(request: ClaimRequest, context: CommandContext): Promise<CommandResult> {
  const watch = watchSignals(context);
  const live = livePass(context);
  try {
    const report = await runClaimed(request, { ...makePorts(context, watch.signal), ...live.ports });
    const result = passResult(report, context);
    // The clone is gone, so the question can be read only where its answer goes.
    const where = "in DECISIONS.md on the branch of the task, where `task-phase status` shows it";
    const asks =
      report.details.asks.length === 0
        ? []
        : [`${report.task} asks ${report.details.asks.join(", ")}: answer ${where}`];
    return { ...result, story: [...(result.story ?? []), ...asks] };
  } catch (error) {
    // The caller reports a usage error together with the usage.
    if (!(error instanceof TaskPhaseError) || error.exitName === "usage") throw error;
    return refusedResult(request, error, stoppedExit(watch.signal));
  } finally {
    live.stop();
    watch.stop();
  }
}

/** A call that a signal cut off is no failure of its own, and no reason to wait for another runner. */
function refusedResult({ task }: ClaimRequest, error: TaskPhaseError, stopped: ExitName | null): CommandResult {
  const { exitName, findings } = error;
  const isCutOff = stopped !== null && (exitName === "failure" || exitName === "locked");
  const until = error instanceof HeldClaimError ? error.until : null;
  return {
    exitName: isCutOff ? stopped : exitName,
    json: { task, next_eligible_at: until },
    answer: [],
    findings,
  };
}

function requireFlag({ flags }: CommandContext, name: "remote" | "task", label: string): string {
  const value = flags.text(name);
  if (value !== null && value !== "") return value;
  throw usageError("TP_USAGE_CLAIM", `--claim needs --${name} ${label}`, {
    fix: "write task-phase run --claim --remote URL --task ID",
  });
}

function readRunner({ env, flags }: CommandContext): PassRunner {
  const attempt = flags.text("attempt") ?? randomBytes(6).toString("hex");
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(attempt)) {
    throw usageError("TP_USAGE_BAD_VALUE", `--attempt expects a name, found '${shorten(attempt)}'`, {
      fix: "use letters, digits, hyphens and underscores, at most 64",
    });
  }
  return makeRunner(env, attempt);
}
