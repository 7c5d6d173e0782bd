/** Why the newest run began no pass, for readers who see nothing but files. */
export interface Held {
  /** `runnable`: the next run continues. */
  readonly standing: "asks" | "refused" | "paused" | "waits" | "runnable";
  readonly brief: string;
  readonly why: string;
}
