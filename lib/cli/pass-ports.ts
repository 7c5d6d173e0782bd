import type { PassPorts } from "../anchor/ports.ts";
import { traced } from "../news/trace-pass.ts";
import { createRedactor } from "../text/redact.ts";
import type { CommandContext } from "./command.ts";

type PortsContext = Pick<CommandContext, "env" | "home" | "cwd" | "now" | "tell" | "verbose">;

/** The ports that a command passes to the pass. */
export function makePorts(context: PortsContext, signal: AbortSignal = new AbortController().signal): PassPorts {
  return {
    env: context.env,
    home: context.home,
    cwd: context.cwd,
    now: context.now,
    redactor: createRedactor(context.env),
    signal,
    tell: (stage, line) => context.tell(context.verbose ? `${stage.padEnd(10)} ${line}` : line),
    ...traced(context.env, context.verbose ? context.tell : () => undefined),
  };
}
