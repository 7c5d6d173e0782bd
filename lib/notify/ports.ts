/** Where to send; the part of the configuration that this room needs. Both URLs are http or https. */
export interface NotifyTarget {
  readonly webhookUrl: string | null;
  /** Name of the environment variable that contains the signing secret; null: sent without a signature. */
  readonly secretEnv: string | null;
  readonly pingUrl: string | null;
}

/** Everything of the outside world that a notification is given rather than takes. */
export interface NotifyPorts {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  /** Aborted if the whole call is to stop: what is being sent is given up at once. */
  readonly signal: AbortSignal;
  /** Version of task-phase, for the user-agent. */
  readonly version: string;
  /** Ends after so many milliseconds, or as soon as the signal is aborted; timers of Node without it. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** How long one try may take; 5 seconds. */
  readonly tryMs?: number;
}

export const userAgent = (ports: NotifyPorts): string => `task-phase/${ports.version}`;
