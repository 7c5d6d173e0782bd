import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { loadConfig } from "../documents/config/load-config.ts";
import { type EngineSettings, settingsOf, usualSettings } from "../fleet/read-remote.ts";
import { passStarter } from "../fleet/start-pass.ts";
import { runWorker, type WorkerReport } from "../fleet/worker.ts";
import type { WorkerKeys } from "../rules/shapes/reports/fleet.ts";
import { plural } from "../rules/wording.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { connect, listRemotes, readRemotes, requireSettings, workerName } from "./fleet-remotes.ts";
import { stoppedExit, withSignals } from "./signals.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const slots = context.flags.number("slots") ?? 1;
  if (slots < 1)
    throw usageError("TP_USAGE_BAD_VALUE", `--slots expects a whole number of at least 1, found ${slots}`, {
      fix: "write --slots 1",
    });
  return await withSignals(context, async (signal) => {
    const settings = await findSettings(context, signal);
    const engine = await connect(settings, context);
    try {
      const name = `${workerName(context.env)}-${randomBytes(3).toString("hex")}`;
      context.tell(`worker ${name}: ${plural(slots, "pass", "passes")} at a time`);
      const report = await runWorker({
        ...{ engine, name, slots, once: context.flags.on("once"), config: context.flags.text("config") },
        ...{ marginMs: settings.marginMs, heartbeatMs: settings.heartbeatMs, verbose: context.verbose },
        start: passStarter(context),
        now: () => context.now(),
        tell: context.tell,
        signal,
      });
      return toResult(name, report, stoppedExit(signal));
    } finally {
      await engine.close();
    }
  });
}

/** The settings of the remotes, else those of a task-phase.yaml on this machine, else the usual names. */
async function findSettings(context: CommandContext, signal: AbortSignal): Promise<EngineSettings> {
  const urls = listRemotes(context);
  if (urls.length > 0) return requireSettings(await readRemotes(urls, context, signal));
  const { env, home, cwd } = context;
  const { fleet } = loadConfig({ configFlag: context.flags.text("config"), env, home, cwd, taskDir: join(cwd, "any") });
  return settingsOf(fleet) ?? usualSettings;
}

function toResult(
  worker: string,
  { passes, fault }: WorkerReport,
  stopped: ReturnType<typeof stoppedExit>,
): CommandResult {
  const told = Object.entries(passes).map(([verdict, count]) => `${count} ${verdict}`);
  return {
    exitName: fault?.exitName ?? stopped ?? "ok",
    json: { worker, passes } satisfies WorkerKeys,
    answer: [`${worker}: ${told.length === 0 ? "no passes" : told.join(", ")}`],
    findings: fault?.findings ?? [],
  };
}
