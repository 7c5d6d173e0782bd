import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NotifyConfig } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import { isTrusted } from "../config/trust.ts";
import { pingMonitor } from "../news/notify-verdict.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import type { Target } from "./target.ts";

/**
 * Tells the monitor of `notify.ping` how the call ended, however it ended. A dry run is not one. `find` is asked when the
 * call has ended; where no configuration can be read there is no address, and the monitor's own silence tells.
 */
export async function withPing(
  context: CommandContext,
  find: () => NotifyConfig | null,
  call: () => Promise<CommandResult>,
): Promise<CommandResult> {
  if (context.flags.on("dry-run")) return await call();
  let exitName: ExitName = "failure";
  const ping = async (): Promise<readonly Finding[]> => {
    const config = find();
    if (config === null || config.pingUrl === null) return [];
    return await pingMonitor(config, exitName, { ...makePorts(context), sleep: context.sleep });
  };
  try {
    const result = await call();
    exitName = result.exitName;
    return { ...result, findings: [...result.findings, ...(await ping())] };
  } catch (error) {
    if (error instanceof TaskPhaseError) exitName = error.exitName;
    await ping();
    throw error;
  }
}

/** The addresses of a tasks root; null if nobody trusted it: they are not called then. */
export function findNotify(context: CommandContext, target: Target): NotifyConfig | null {
  const taskDir = target.kind === "task" ? target.taskDir : join(target.tasksRoot, "any");
  try {
    const { env, home, cwd, flags } = context;
    // An address that nobody trusted is not called.
    const root = target.kind === "task" ? dirname(realpathSync(taskDir)) : realpathSync(target.tasksRoot);
    if (!isTrusted(root, context)) return null;
    return loadConfig({ configFlag: flags.text("config"), env, home, cwd, taskDir }).notify;
  } catch {
    // Whatever cannot be read here, the call itself has said.
    return null;
  }
}
