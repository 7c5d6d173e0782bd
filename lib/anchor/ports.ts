import type { ModelEnd } from "../machine/model-end.ts";
import type { Phase } from "../machine/phases.ts";
import type { StageTime } from "../shapes/pass-record.ts";
import type { Redactor } from "../text/redact.ts";

/** Everything of the outside world that a pass is given rather than takes. */
export interface PassPorts {
  readonly env: NodeJS.ProcessEnv;
  /** The person's home folder, for the state folder and the user's configuration. */
  readonly home: string;
  readonly cwd: string;
  readonly now: () => Date;
  readonly redactor: Redactor;
  /** Aborted by a signal; its reason is the signal's name. */
  readonly signal: AbortSignal;
  /** Told as each stage begins and as things happen; one line each. */
  readonly tell: (stage: StageName, line: string) => void;
  /** Told when a model begins to work. */
  readonly began?: (pass: BegunPass) => void;
  /** Told what goes on, for a line on a terminal that moves; missing: nobody looks on. */
  readonly live?: LivePorts;
}

/** No verdict depends on any of it. */
export interface LivePorts {
  entered(stage: StageName): void;
  /** The pass is planned; what comes next takes its time. */
  planned(pass: BegunPass): void;
  /** The names of the programs that run; empty: none does. */
  running(names: readonly string[]): void;
  /** A piece of what the agent says, as it comes: neither redacted nor whole. */
  heard(piece: string | Uint8Array): void;
}

export interface BegunPass {
  readonly task: string;
  readonly pass: number;
  readonly phase: Phase;
  readonly model: string;
  /** By the passes before; null if nothing is known. */
  readonly spentUsd: number | null;
}

export type StageName = StageTime["stage"];

/** Notes when each stage begins. */
export interface StageTrace {
  enter(stage: StageName): void;
  /** The stages so far, the current one measured until now. */
  list(): StageTime[];
}

export function startTrace({ now, live }: Pick<PassPorts, "now" | "live">): StageTrace {
  const begun: { stage: StageName; at: Date }[] = [];
  return {
    enter(stage) {
      begun.push({ stage, at: now() });
      live?.entered(stage);
    },
    list() {
      return begun.map(({ stage, at }, index) => ({
        stage,
        at: at.toISOString(),
        ms: Math.max(0, (begun[index + 1]?.at ?? now()).getTime() - at.getTime()),
      }));
    },
  };
}

/** The exit that belongs to the signal which stopped the run. */
export function signalName(ports: PassPorts): "sigint" | "sighup" | "sigterm" | "paused" {
  const reason: unknown = ports.signal.reason;
  if (reason === "SIGINT") return "sigint";
  if (reason === "SIGHUP") return "sighup";
  return reason === "SIGTERM" ? "sigterm" : "paused";
}

/** How what was cut off ended, told by what aborted it: a person's ABORT or SKIP, or else a signal. */
export function interruptedBy(signal: AbortSignal, otherwise: string): Extract<ModelEnd, { kind: "interrupted" }> {
  switch (signal.reason) {
    case "ABORT":
      return { kind: "interrupted", cause: "abort", reason: "a person's ABORT in CONTROL.md stopped it" };
    case "SKIP":
      return {
        kind: "interrupted",
        cause: "skip",
        reason: "a person's SKIP in CONTROL.md abandoned the repair attempt",
      };
    default:
      return { kind: "interrupted", cause: "signal", reason: otherwise };
  }
}
