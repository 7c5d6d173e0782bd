import { exitOfSignal, signalExits } from "../rules/exits.ts";
import { TaskPhaseError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { errorFinding } from "../text/finding.ts";
import type { CommandContext } from "./command.ts";

const signals = Object.keys(signalExits) as (keyof typeof signalExits)[];

/**
 * Turns the signals that ask the program to stop into an abort whose reason is the signal's name, so that the run ends
 * in order. A second one ends the process at once, as it would have without us.
 */
export function watchSignals({ tell, show }: Pick<CommandContext, "tell" | "show">): {
  readonly signal: AbortSignal;
  stop(): void;
} {
  const controller = new AbortController();
  const handlers = signals.map((name) => {
    const handler = () => {
      if (controller.signal.aborted) {
        for (const each of handlers) process.removeListener(each.name, each.handler);
        // Nothing else takes the line away any more.
        show(null);
        process.kill(process.pid, name);
        return;
      }
      tell(`${name}: stopping cleanly; a second one stops immediately`);
      controller.abort(name);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    signal: controller.signal,
    stop() {
      for (const each of handlers) process.removeListener(each.name, each.handler);
    },
  };
}

/** The exit that belongs to the signal which stopped a call; null if none did. */
export function stoppedExit(signal: AbortSignal): ExitName | null {
  return signal.aborted ? (exitOfSignal(signal.reason) ?? "failure") : null;
}

/** Does `work`, which a signal ends. */
export async function withSignals<Result>(
  context: Pick<CommandContext, "tell" | "show">,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const watch = watchSignals(context);
  try {
    return await work(watch.signal);
  } finally {
    watch.stop();
  }
}

/** Like `withSignals`; if the work then fails, the error says that it was stopped. */
export async function untilStopped<Result>(
  context: Pick<CommandContext, "tell" | "show">,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return await withSignals(context, async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      const stopped = stoppedExit(signal);
      if (stopped === null) throw error;
      throw new TaskPhaseError(stopped, [errorFinding("TP_STOPPED", "stopped by a signal", { fix: "run it again" })]);
    }
  });
}
