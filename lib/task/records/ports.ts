import type { CheckedCode } from "../../git/checked-blobs.ts";
import type { FindSigner } from "../../git/ssh-keygen.ts";
import type { Usage } from "../../rules/budgets.ts";
import type { Attempt, OpenClaim } from "../../rules/claim.ts";
import type { PassRunner } from "../../rules/events.ts";
import type { ModelEnd } from "../../rules/model-end.ts";
import type { StageTime } from "../../rules/shapes/pass-record.ts";
import type { RunReport } from "../../rules/shapes/reports/run.ts";
import type { TaskUsage } from "../../rules/usage.ts";
import type { Finding } from "../../text/finding.ts";
import { msBetween } from "../../text/moment.ts";
import type { Redactor } from "../../text/redact.ts";

export interface PassPorts {
  readonly env: NodeJS.ProcessEnv;
  /** For the state folder and the user's configuration. */
  readonly home: string;
  readonly cwd: string;
  readonly now: () => Date;
  readonly redactor: Redactor;
  /** Aborted by a signal; its reason is the signal's name. */
  readonly signal: AbortSignal;
  /** Receives one line for each stage and event. */
  readonly tell: (stage: StageName, line: string) => void;
  readonly began?: (pass: BegunPass) => void;
  /** Where cooldowns, turns and reports are kept; absent: in the tasks root. */
  readonly runtimeRoot?: string;
  /** What the other tasks of the root have used; absent: as the journals beside this one say. */
  readonly otherUsage?: () => readonly TaskUsage[];
  /** Without a fence: as its own. */
  readonly needs?: Pick<PassFence, "met" | "unmerged">;
  /** With several machines: publishes what a pass does for all of them, or for none. */
  readonly fence?: PassFence;
  /** Limits shared between machines; absent: the files of the tasks root bound a pass. */
  readonly shared?: SharedLimits;
  /** Receives progress for the live status line; absent if nothing displays it. */
  readonly live?: LivePorts;
  /** Receives the roles of the reviewers that run now, for checkpoint.json; absent if nothing watches the pass. */
  readonly reviewing?: (roles: readonly string[]) => void;
  /** Called with the redacted result when a pass ends. Must not throw; absent if tracing is off. */
  readonly ended?: (pass: EndedPass) => Promise<void>;
}

/** Null for what is unknown or did not happen. */
export type EndedPass = Pick<
  RunReport,
  "task" | "pass" | "from" | "to" | "verdict" | "exit_name" | "model" | "cost_usd" | "tokens" | "stages"
> & { readonly reason: string };

/** The task's public branch. Its maker has checked that the remote's commands may run here. */
export interface PassFence {
  readonly runner: PassRunner;
  /** Where a person finds the task. */
  readonly checkout: TaskCheckout;
  /** The branch is in the person's own repository: a move without a model costs no other claim. */
  readonly isOwn: boolean;
  /** Ref prefix in the remote for passes that count for nothing, such as `refs/task-phase/lost/T-1/`. */
  readonly lost: string;
  /** Dependencies done in the remote, even if the working tree is older. */
  readonly met: ReadonlySet<string>;
  /** Dependencies done on their own branch but not merged: they do not count yet. */
  readonly unmerged: ReadonlySet<string>;
  /** Publishes the pass's beginning before a model is called. Null: claimed. Throws TP_GIT. */
  claim(pass: ClaimedPass): Promise<FenceRefusal | null>;
  /** Publishes a verdict, or the runner's decision without a pass. Null: it counts for all machines. */
  accept(step: AcceptedStep): Promise<FenceRefusal | null>;
  /** Whether another machine moved the branch, so that this work is void; false if unknown. */
  hasMoved(): Promise<boolean>;
}

export interface TaskCheckout {
  /**
   * Such as `task-phase/T-1`, in a clone of the remote; until the remote has it, the branch that contains the task. Null: the
   * repository is the person's own, where the task is found by its name.
   */
  readonly branch: string | null;
  /** Its folder there, or that name. */
  readonly folder: string;
}

/** Money, calls and cooldowns shared between machines. No verdict depends on any of it. */
export interface SharedLimits {
  /** Models cooling down on all machines, by name, as at the pass's beginning. */
  cooldowns(): ReadonlyMap<string, SharedCooldown>;
  /** Reserves the expected use of the pass and its reviewers before any cost. Null: it may begin. */
  reserve(call: SharedCall): Promise<{ readonly reason: string; readonly again: Date | null } | null>;
  cooled(model: string, cooldown: SharedCooldown): Promise<void>;
  /** The present state of every claimed pass in the branch's journal, after each read and push. */
  accepted(attempts: readonly Attempt[]): Promise<void>;
}

export interface SharedCooldown {
  readonly until: Date;
  readonly reason: string;
}

export interface SharedCall {
  readonly model: string;
  readonly pass: number;
  readonly estimate: Usage;
}

interface FencedStep {
  readonly taskDir: string;
  readonly repo: string;
  readonly pass: number;
  readonly message: string;
  readonly signer: FindSigner | null;
}

export interface ClaimedPass extends FencedStep {
  /** When others may take over the pass. */
  readonly until: Date;
}

export interface AcceptedStep extends FencedStep {
  /** The code that the verdict rests on. */
  readonly checked: CheckedCode | null;
}

/** Ends the run without a verdict; nothing of it counts. */
export interface FenceRefusal {
  readonly exitName: "locked" | "failure";
  readonly findings: readonly Finding[];
}

/** No verdict depends on any of it. */
interface LivePorts {
  entered(stage: StageName): void;
  /** The pass is planned; what comes next takes time. */
  planned(pass: BegunPass): void;
  /** Names of running programs; empty: none. */
  running(names: readonly string[]): void;
  /** The agent's words as they come: neither redacted nor whole. */
  heard(piece: string | Uint8Array): void;
}

export interface BegunPass extends Pick<OpenClaim, "pass" | "phase" | "model"> {
  readonly task: string;
  /** By earlier passes; null if unknown. */
  readonly spentUsd: number | null;
}

export type StageName = StageTime["stage"];

export interface StageTrace {
  enter(stage: StageName): void;
  /** The current stage counts up to now. */
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
        ms: Math.round(Math.max(0, msBetween(at, begun[index + 1]?.at ?? now()))),
      }));
    },
  };
}

/** From what aborted it: a person's ABORT or SKIP, or a signal. */
export function interruptedBy(signal: AbortSignal, otherwise: string): Extract<ModelEnd, { kind: "interrupted" }> {
  switch (signal.reason) {
    case "ABORT":
      return { kind: "interrupted", cause: "abort", reason: "a person's ABORT in CONTROL.md stopped it" };
    case "MOVED":
      return { kind: "interrupted", cause: "signal", reason: "the task's branch was moved by somebody else" };
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
