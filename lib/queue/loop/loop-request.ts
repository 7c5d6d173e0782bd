import type { PassPorts } from "../../task/records/ports.ts";
import type { PassReport, PassRequest } from "../../task/request.ts";
import type { Stop } from "../../task/session.ts";
import type { InspectedTask } from "../views/inspect-task.ts";
import type { RootView } from "../views/root-view.ts";
import type { RunDigest } from "./run-report.ts";

export interface LoopRequest extends Omit<PassRequest, "taskDir" | "dryRun" | "run"> {
  readonly target:
    | { readonly kind: "task"; readonly taskDir: string }
    | { readonly kind: "root"; readonly tasksRoot: string };
  /** Passes of this call; null: no limit of its own. */
  readonly maxPasses: number | null;
  /** No pass begins, and no wait ends, later than this after the start; null: no limit of its own. */
  readonly maxMs: number | null;
  /** No sleep is longer; null: an hour for the deadline of a question, any time for a model that comes back by itself. */
  readonly maxWaitMs: number | null;
  /** Passes at the same time, each of another task; more than one need a workspace of their own. */
  readonly jobs: number;
  /** A branch of the repo; switched to, or made, before the first pass. */
  readonly branch: string | null;
}

export interface LoopPorts extends PassPorts {
  /** As in `InspectPorts`. */
  readonly view?: RootView;
  /** Resolves after this long, or as soon as the signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A name for this call that no other call has. */
  readonly newRunId: () => string;
  readonly watch: LoopWatch;
  /** Runs one pass, in the tree or in a clone. */
  readonly pass: (request: PassRequest, ports: PassPorts) => Promise<PassReport>;
}

export interface LoopWatch {
  /** The progress of a pass, one of several at the same time; `over` when it has ended, however. */
  livePass(name: string): { readonly ports: Pick<PassPorts, "live">; over(): void };
  ended(report: PassReport): void;
  /** `asking`: the tasks whose questions it waits for. */
  waiting(until: Date, reason: string, asking: readonly InspectedTask[]): void;
}

export interface LoopReport extends Pick<Stop, "exitName" | "reason" | "nextEligibleAt" | "findings"> {
  readonly run: string;
  /** A pass, or a change of a task without one. */
  readonly happened: boolean;
  readonly passes: readonly PassReport[];
  /** The sum of the known costs, those of reviewers included, in US dollars; null if none is known. */
  readonly costUsd: number | null;
  /** The whole run in a few words; null if nothing happened. */
  readonly digest: RunDigest | null;
}
