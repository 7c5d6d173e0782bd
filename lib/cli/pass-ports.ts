import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NotifyConfig } from "../documents/config/config-schema.ts";
import { loadConfig } from "../documents/config/load-config.ts";
import { pingMonitor } from "../notify/events/notify-verdict.ts";
import { traced } from "../notify/events/trace-pass.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { PassRequest } from "../task/request.ts";
import { isTrusted } from "../task/trust.ts";
import { TaskPhaseError, usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import type { Finding } from "../text/finding.ts";
import { createRedactor } from "../text/redact.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import type { Target } from "./target.ts";

export function makePorts(
  context: Pick<CommandContext, "env" | "home" | "cwd" | "now" | "tell" | "verbose" | "view" | "clonesRoot">,
  signal: AbortSignal = new AbortController().signal,
): PassPorts & Pick<CommandContext, "view" | "clonesRoot"> {
  return {
    env: context.env,
    home: context.home,
    cwd: context.cwd,
    now: context.now,
    redactor: createRedactor(context.env),
    signal,
    ...(context.view && { view: context.view }),
    ...(context.clonesRoot !== undefined && { clonesRoot: context.clonesRoot }),
    tell: (stage, line) => context.tell(context.verbose ? `${stage.padEnd(10)} ${line}` : line),
    ...traced(context.env, context.verbose ? context.tell : () => undefined),
  };
}

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

/** The addresses of a tasks root; null if it is not trusted: then they are not called. */
export function findNotify(context: CommandContext, target: Target): NotifyConfig | null {
  const taskDir = target.kind === "task" ? target.taskDir : join(target.tasksRoot, "any");
  try {
    const { env, home, cwd, flags } = context;
    // An untrusted address is not called.
    const root = target.kind === "task" ? dirname(realpathSync(taskDir)) : realpathSync(target.tasksRoot);
    if (!isTrusted(root, context)) return null;
    return loadConfig({ configFlag: flags.text("config"), env, home, cwd, taskDir }).notify;
  } catch {
    // Whatever cannot be read here, the call itself has said.
    return null;
  }
}

export type NamedModels = Pick<PassRequest, "model" | "models">;

/** `--model` or `--models`; neither: those of the configuration. */
export function readModels({ flags }: CommandContext): NamedModels {
  const model = flags.text("model");
  const list = flags.text("models");
  if (list === null) return { model, models: null };
  if (model !== null) {
    throw usageError("TP_USAGE_TWO_MODELS", "--model and --models cannot be combined", { fix: "omit one of them" });
  }
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > 0) return { model, models: names };
  throw usageError("TP_USAGE_BAD_VALUE", `--models expects names of models, found '${shorten(list)}'`, {
    fix: "write --models NAME,NAME",
  });
}
