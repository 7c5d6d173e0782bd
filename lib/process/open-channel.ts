import { type ChildCall, explainStart, killChild, spawnTalking } from "./spawn-child.ts";

/** A process of the same program that this one talks to. */
export interface ChannelChild {
  readonly pid: number | null;
  /** Nothing happens if it has ended. */
  send(message: unknown): void;
  /** Asks it to end. */
  terminate(): void;
  /** Kills it with its group. */
  kill(): void;
  readonly ended: Promise<ChannelEnd>;
}

export interface ChannelEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it did not start; null if it did. */
  readonly problem: string | null;
}

/**
 * Starts a program with a channel for messages, which are copied with their dates and maps. The channel closes when this
 * process ends, however it ends. What the program says goes where this process says it.
 */
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
      // It may end at any moment; how it ended is what counts.
      if (child.connected) child.send(message as object, () => undefined);
    },
    terminate: () => void child.kill("SIGTERM"),
    kill: () => killChild(child),
    ended,
  };
}
