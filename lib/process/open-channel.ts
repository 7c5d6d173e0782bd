import type { BoundedHow } from "./bounded-spec.ts";
import { type ChildCall, explainStart, killChild, spawnTalking } from "./spawn-child.ts";

export interface ChannelChild {
  readonly pid: number | null;
  /** Does nothing if it has ended. */
  send(message: unknown): void;
  terminate(): void;
  kill(): void;
  readonly ended: Promise<ChannelEnd>;
}

type ChannelEnd = Omit<BoundedHow, "kind">;

/** The channel closes when this process ends, in whatever way. The child's output goes where this process's goes. */
export function openChannel(call: ChildCall, onMessage: (message: unknown) => void): ChannelChild {
  const child = spawnTalking(call);
  child.on("message", onMessage);
  const ended = new Promise<ChannelEnd>((resolve) => {
    child.once("error", (error) => resolve({ exitCode: null, signal: null, problem: explainStart(error, call) }));
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal, problem: null }));
  });
  return {
    pid: child.pid ?? null,
    send: (message) => {
      // It may end at any moment; the end is what counts.
      if (child.connected) child.send(message as object, () => undefined);
    },
    terminate: () => void child.kill("SIGTERM"),
    kill: () => killChild(child),
    ended,
  };
}
