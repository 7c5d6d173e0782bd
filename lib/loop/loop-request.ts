import type { BegunPass, PassPorts } from "../pass/ports.ts";
import type { PassReport } from "../pass/request.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";

/** What one call of the loop asks for. */
export interface LoopRequest {
  readonly target:
    | { readonly kind: "task"; readonly taskDir: string }
    | { readonly kind: "root"; readonly tasksRoot: string };
  readonly repo: string | null;
  readonly model: string | null;
  readonly models: readonly string[] | null;
  readonly timeoutMs: number | null;
  readonly config: string | null;
  /** Passes of this call; null: no limit of its own. */
  readonly maxPasses: number | null;
  /** No pass begins, and no wait ends, later than this after the start; null: no limit of its own. */
  readonly maxMs: number | null;
  /** Of the repo; switched to, or made, before the first pass. */
  readonly branch: string | null;
}

export interface LoopPorts extends PassPorts {
  /** Resolves after this long, or as soon as the signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A name for this call that no other call has. */
  readonly newRunId: () => string;
  readonly watch: LoopWatch;
}

/** Who looks on while the loop works. */
export interface LoopWatch {
  began(pass: BegunPass): void;
  ended(report: PassReport): void;
  waiting(until: Date, reason: string): void;
}

/** What one call of the loop came to. */
export interface LoopReport {
  readonly run: string;
  readonly exitName: ExitName;
  /** Why it stopped, one sentence. */
  readonly reason: string;
  /** A pass, or a change of a task without one. */
  readonly happened: boolean;
  /** Every pass of this call that called a model, in order. */
  readonly passes: readonly PassReport[];
  /** The sum of their known costs, in US dollars; null where none is known. */
  readonly costUsd: number | null;
  /** When something could go on, where that is known; ISO 8601, UTC. */
  readonly nextEligibleAt: string | null;
  /** What is wrong with tasks that were left aside, and what no single pass says. */
  readonly findings: readonly Finding[];
}
