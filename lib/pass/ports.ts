import type { Phase } from "../machine/phases.ts";
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
}

export interface BegunPass {
  readonly task: string;
  readonly pass: number;
  readonly phase: Phase;
  readonly model: string;
  /** By the passes before; null where nothing is known. */
  readonly spentUsd: number | null;
}

export const stageNames = ["PLAN", "PREP", "EXEC", "VALIDATE", "DIAGNOSE", "REPAIR", "CHECKPOINT", "DONE"] as const;
export type StageName = (typeof stageNames)[number];

export interface StageTime {
  readonly stage: StageName;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Milliseconds from this stage's begin to the next one's. */
  readonly ms: number;
}

/** Notes when each stage begins. */
export interface StageTrace {
  enter(stage: StageName): void;
  /** The stages so far, the present one measured until now. */
  list(): StageTime[];
}

export function startTrace(now: () => Date): StageTrace {
  const begun: { stage: StageName; at: Date }[] = [];
  return {
    enter(stage) {
      begun.push({ stage, at: now() });
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
