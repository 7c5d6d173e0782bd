import type { CheckedCode } from "../git/checked-blobs.ts";
import type { FindSigner } from "../git/ssh-keygen.ts";
import type { Attempt } from "../machine/attempts.ts";
import type { Usage } from "../machine/budgets.ts";
import type { PassRunner } from "../machine/events.ts";
import type { ModelEnd } from "../machine/model-end.ts";
import type { Phase } from "../machine/phases.ts";
import type { Finding } from "../report/finding.ts";
import type { StageTime } from "../shapes/pass-record.ts";
import type { RunReport } from "../shapes/reports/run.ts";
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
  /** Where several machines may work on the task: makes what a pass does the task's for all of them, or for none. */
  readonly fence?: PassFence;
  /** Limits that several machines share; missing: what bounds a pass is in the files of its tasks root. */
  readonly shared?: SharedLimits;
  /** Told what goes on, for a line on a terminal that moves; missing: nobody looks on. */
  readonly live?: LivePorts;
  /** Told of a pass that is over, its secrets taken out; never throws. Missing: nobody traces it. */
  readonly ended?: (pass: EndedPass) => Promise<void>;
}

/** A pass that is over; null for what is not known or did not happen. */
export type EndedPass = Pick<
  RunReport,
  "task" | "pass" | "from" | "to" | "verdict" | "exit_name" | "model" | "cost_usd" | "tokens" | "stages"
> & { readonly reason: string };

/**
 * Stands between one machine's working tree and the branch of the task that all of them see. Whoever made it has asked
 * whether the commands of the remote may run here.
 */
export interface PassFence {
  /** Who claims the pass; stands in the event that begins it. */
  readonly runner: PassRunner;
  /** Where a person finds the task in a clone of the remote. */
  readonly checkout: TaskCheckout;
  /** What passes that count for nothing are kept under in the remote, such as `refs/task-phase/lost/T-1/`. */
  readonly lost: string;
  /** Dependencies that count as done, since they are in the remote; the working tree may hold them as they were before. */
  readonly met: ReadonlySet<string>;
  /** Dependencies that do not count yet: each is done on its own branch, and only not merged. */
  readonly unmerged: ReadonlySet<string>;
  /** Makes public that the pass has begun, before a model is called. Null: it is claimed. Throws TP_GIT. */
  claim(pass: ClaimedPass): Promise<FenceRefusal | null>;
  /** The same for a verdict, or what the runner decided without a pass. Null: it stands for all machines. */
  accept(step: AcceptedStep): Promise<FenceRefusal | null>;
  /** Whether somebody else moved the branch, so that what this machine does will be nobody's; false if nobody knows. */
  hasMoved(): Promise<boolean>;
}

export interface TaskCheckout {
  /** The task's branch, such as `task-phase/T-1`; as long as the remote does not have it, the one that has the task. */
  readonly branch: string;
  /** Its folder, relative to the top of the clone. */
  readonly folder: string;
}

/** What machines share beside git: money, calls and rests of models. No verdict depends on any of it. */
export interface SharedLimits {
  /** The models that rest on all machines, by name, as when the pass began. */
  rests(): ReadonlyMap<string, SharedRest>;
  /** Takes what the pass and its reviewers are expected to use, before anything costs. Null: it may begin. */
  reserve(call: SharedCall): Promise<SharedRefusal | null>;
  /** This pass met a limit of the model. */
  rested(model: string, rest: SharedRest): Promise<void>;
  /** What the journal on the branch says now of every claimed pass; told after it is read, and after each push. */
  accepted(attempts: readonly Attempt[]): Promise<void>;
}

export interface SharedRest {
  readonly until: Date;
  readonly reason: string;
}

export interface SharedCall {
  readonly model: string;
  readonly pass: number;
  readonly estimate: Usage;
}

export interface SharedRefusal {
  readonly reason: string;
  /** When it is worth asking again; null: that is not known. */
  readonly again: Date | null;
}

/** What becomes one commit. */
interface FencedStep {
  /** The task's folder and its repo. */
  readonly taskDir: string;
  readonly repo: string;
  readonly pass: number;
  /** Of the commit. */
  readonly message: string;
  /** Null: it is not signed. */
  readonly signer: FindSigner | null;
}

export interface ClaimedPass extends FencedStep {
  /** When others may take the pass over. */
  readonly until: Date;
}

export interface AcceptedStep extends FencedStep {
  /** The code that the verdict rests on; null if none was looked at. */
  readonly checked: CheckedCode | null;
}

/** Nothing of it is the task's: the run ends so, without a verdict. */
export interface FenceRefusal {
  readonly exitName: "locked" | "failure";
  readonly findings: readonly Finding[];
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

/** How what was cut off ended, told by what aborted it: a person's ABORT or SKIP, or else a signal. */
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
