import type { CheckResult } from "../rules/check-run.ts";
import type { EscalationCause } from "../rules/decision.ts";
import type { Headline } from "../rules/headline.ts";
import type { ModelEnd } from "../rules/model-end.ts";
import type { RunReport } from "../rules/shapes/reports/run.ts";
import { type ExitName, exitCodes } from "../text/exit-codes.ts";
import type { Finding } from "../text/finding.ts";

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

/** The result of one call of `run`: the JSON that it prints, and the details that only this process needs. */
export interface PassReport extends RunReport {
  readonly reason: string;
  readonly duration_ms: number;
  readonly details: PassDetails;
}

export interface PassDetails {
  readonly taskDir: string;
  /** The validators and scenarios with all that is known of them. */
  readonly checks: readonly CheckResult[];
  /** The progress in words. */
  readonly made: readonly string[];
  /** Ids of the questions that are open now; empty if no pass ran. */
  readonly asks: readonly string[];
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
  /** A person's ABORT was seen: nothing continues in this call, whatever the verdict. */
  readonly aborted: boolean;
  /** What this call did before the pass without a model: the reports of those moves, in order. */
  readonly moves: readonly PassReport[];
  /** It did not get to where all machines see it, as when another one was first: nothing of it is the task's. */
  readonly unkept: boolean;
}

/** Where the evidence of a task opens in a browser. */
export interface EvidenceUrl {
  readonly url: string;
  /** False: the git host shows it there only once it is pushed. */
  readonly pushed: boolean;
  /** A remark for people about the address; empty if there is none. */
  readonly label: string;
}

/** All keys of `run --json` if no pass took place; null is what is not known or did not happen. */
export function emptyRun(exitName: ExitName, findings: readonly Finding[]): RunReport {
  return {
    task: null,
    pass: null,
    from: null,
    proposed: null,
    to: null,
    verdict: null,
    reason: findings.find((finding) => finding.severity === "error")?.message ?? null,
    exit_code: exitCodes[exitName],
    exit_name: exitName,
    model: null,
    duration_ms: null,
    cost_usd: null,
    tokens: { input: null, output: null },
    progress: [],
    validators: [],
    tickets: [],
    overridden: [],
    moves: [],
    findings,
    evidence: { path: null, url: null, pushed: null },
    next_eligible_at: null,
    stages: [],
  };
}

/** `evidence` in the JSON of every command: the page on this disk, and where it opens in a browser. */
export function evidenceJson(path: string | null, at: EvidenceUrl | null): RunReport["evidence"] {
  return { path, url: at?.url ?? null, pushed: at?.pushed ?? null };
}
