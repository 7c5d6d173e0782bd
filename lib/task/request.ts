import type { CheckResult } from "../machine/check-run.ts";
import type { EscalationCause, ProgressKind, Ticket, Verdict } from "../machine/decision.ts";
import type { Headline } from "../machine/headline.ts";
import type { ModelEnd } from "../machine/model-end.ts";
import type { Phase } from "../machine/phases.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { StageTime } from "../shapes/pass-record.ts";

/** The options of one call of `run`. */
export interface PassRequest {
  readonly taskDir: string;
  readonly repo: string | null;
  /** The one model that may be used. */
  readonly model: string | null;
  /** The models that may be used, in this order; null: those of the configuration. Not together with `model`. */
  readonly models: readonly string[] | null;
  /** Bounds the model; null takes the model's own. */
  readonly timeoutMs: number | null;
  readonly config: string | null;
  readonly dryRun: boolean;
  /** The call of the loop that this pass belongs to; null: a pass of its own. */
  readonly run: RunOfPass | null;
}

/** The facts that a pass needs about its loop. */
export interface RunOfPass {
  /** Stands in the journal with each pass of that call. */
  readonly id: string;
  /** Models that this call does not ask again. */
  readonly asideModels: readonly AsideModel[];
}

/** A model that could not be asked, or that came to nothing. */
export interface AsideModel {
  readonly name: string;
  /** The reason of its pass, with its cause in its own words. */
  readonly reason: string;
}

/** The result of one call of `run`; `null` for what is not known or did not happen. */
export interface PassReport {
  readonly task: string | null;
  readonly taskDir: string;
  readonly pass: number | null;
  readonly from: Phase | null;
  readonly proposed: Phase | null;
  readonly to: Phase | null;
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly exitName: ExitName;
  readonly model: string | null;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly progress: readonly ProgressKind[];
  /** The same in words. */
  readonly made: readonly string[];
  readonly validators: readonly CheckResult[];
  readonly tickets: readonly Ticket[];
  /** Ids of the questions that are open now; empty if no pass ran. */
  readonly asks: readonly string[];
  readonly overridden: readonly string[];
  readonly findings: readonly Finding[];
  readonly evidence: string | null;
  /** Where the evidence opens in a browser; null if that is not known. */
  readonly evidenceUrl: EvidenceUrl | null;
  /** How much `done` shows; null if this pass did not end so. */
  readonly doneTone: Headline["tone"] | null;
  /** Events that this call added to the journal. */
  readonly noted: number;
  /** Why the runner itself stopped the task; null if it did not. */
  readonly escalated: EscalationCause | null;
  /** How the model's process ended; null if none ran. */
  readonly end: ModelEnd | null;
  /** When a model can be called again, where all that may be used cool down; ISO 8601, UTC. */
  readonly nextEligibleAt: string | null;
  readonly stages: readonly StageTime[];
  /** Only in a dry run. */
  readonly prompt: string | null;
  /** A person's ABORT was seen: nothing continues in this call, whatever the verdict. */
  readonly aborted?: boolean;
  /** It did not get to where all machines see it, as when another one was first: nothing of it is the task's. */
  readonly unkept?: boolean;
}

/** Where the evidence of a task opens in a browser. */
export interface EvidenceUrl {
  readonly url: string;
  /** False: the git host shows it there only once it is pushed. */
  readonly pushed: boolean;
  /** A remark for people about the address; empty if there is none. */
  readonly label: string;
}
