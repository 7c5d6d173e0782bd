import type { FrameAnswer } from "./approval.ts";
import type { CheckResult } from "./check-run.ts";
import type { Escalation, Ticket } from "./decision.ts";
import type { ReviewFinding } from "./facts.ts";
import type { ManualScenario } from "./manual.ts";
import type { ModelEnd } from "./model-end.ts";
import type { Phase } from "./phases.ts";
import type { Calibration } from "./square.ts";
import type { VerdictEvent } from "./verdict-event.ts";
import type { WatchedDigest } from "./watched-change.ts";

/** The events of a task's journal, without their chain. `state` is always the whole accepted STATE.md afterwards. */
export type TaskEvent =
  | {
      readonly type: "adopted";
      readonly at: string;
      readonly phase: Phase;
      readonly state: string;
      readonly contract_sha256: string;
    }
  | {
      readonly type: "brief_changed";
      readonly at: string;
      readonly was: string;
      readonly contract_sha256: string;
      /** The differences: keys of the front matter, and `text` for what is below it; null if they are not known. */
      readonly keys: readonly string[] | null;
      /** With the validator results set back to pending, since they are void. */
      readonly state: string;
    }
  | {
      readonly type: "state_edited";
      readonly at: string;
      readonly from: Phase;
      readonly to: Phase;
      readonly reopened: boolean;
      readonly tickets: readonly Ticket[];
      readonly overridden: readonly string[];
      /** The visible features that the edited file names; the only way that one may vanish. */
      readonly features: readonly string[];
      readonly state: string;
    }
  | {
      readonly type: "edit_refused";
      readonly at: string;
      readonly from: Phase;
      readonly to: Phase;
      readonly reason: string;
      readonly kept: string;
    }
  | { readonly type: "pinned"; readonly at: string; readonly protected: Readonly<Record<string, string>> }
  | {
      /** The record that tests and checks are compared with from now on, kept as a file of the pass. */
      readonly type: "watched";
      readonly at: string;
      readonly pass: number;
      /** Relative to the task folder. */
      readonly file: string;
      readonly sha256: string;
      /** How many things are watched. */
      readonly count: number;
      /** The fingerprint of the work as at pass 1, whose bytes the runner keeps; null if they are not kept anew. */
      readonly origin: string | null;
      /** Of the list of what the folders of dependencies held then; null if it was not made. */
      readonly dependencies: string | null;
      /** Digests of the held-out folders, by the scenario's name. */
      readonly held_out: Readonly<Record<string, string>>;
    }
  | {
      /** A person answered the runner's question about what is watched; it holds for exactly these digests. */
      readonly type: "watch_answered";
      readonly at: string;
      /** The id of the question. */
      readonly question: string;
      readonly accepted: boolean;
      readonly changes: readonly WatchedDigest[];
      readonly tickets: readonly Ticket[];
    }
  | {
      /** A person looked at manual scenarios and answered; it holds for exactly this code. */
      readonly type: "looked";
      readonly at: string;
      /** The id of the question. */
      readonly question: string;
      readonly fingerprint: string;
      readonly holds: boolean;
      readonly said: string;
      readonly scenarios: readonly ManualScenario[];
      readonly tickets: readonly Ticket[];
    }
  | (FrameAnswer & {
      /** A person answered whether the frame is approved. */
      readonly type: "approved";
      readonly at: string;
    })
  | {
      readonly type: "baseline";
      readonly at: string;
      readonly fingerprint: string;
      readonly results: readonly CheckResult[];
      /** Whether the repo can be judged in a clean copy. */
      readonly calibration: Calibration;
      /** The results of the checks in the clean copy; empty if they did not run there. */
      readonly calibration_results: readonly CheckResult[];
    }
  | {
      readonly type: "pass_started";
      readonly at: string;
      readonly pass: number;
      readonly phase: Phase;
      readonly model: string;
      /** US dollars; null if nothing tells. */
      readonly estimate_usd: number | null;
      readonly prompt_sha256: string;
      readonly fingerprint: string;
      /** The call of the loop that this pass belongs to; null: none. */
      readonly run: string | null;
      /** The model's own bound, in milliseconds. */
      readonly timeout_ms: number;
      readonly tier: "default" | "cheap";
      /** How the pass is made cheaper, in the order in which it came to that. */
      readonly degrade: readonly DegradeStep[];
      /** The commit that was checked out when the task's first pass began; null without one. */
      readonly head_commit?: string | null;
      /** Who makes the pass, if it was claimed among several machines. */
      readonly runner?: PassRunner;
    }
  | {
      /**
       * Among several machines, before the baseline or the reviewers that come before a pass: it is claimed.
       * `pass_started` of the same attempt follows, or `released`; else whoever takes it over is charged for the reviewers.
       */
      readonly type: "claimed";
      readonly at: string;
      readonly pass: number;
      readonly phase: Phase;
      readonly model: string;
      /** Of one call, in US dollars; null if nothing tells. */
      readonly estimate_usd: number | null;
      /** How many reviewers are asked. */
      readonly reviewers: number;
      /** How long all of it may take, the pass included, in milliseconds. */
      readonly timeout_ms: number;
      readonly runner: PassRunner;
    }
  | {
      /** The pass that was claimed did not begin, and is free again. */
      readonly type: "released";
      readonly at: string;
      readonly pass: number;
    }
  | DegradedEvent
  | ReviewedEvent
  | {
      /** The deadline of questions passed, and their safe defaults were taken. */
      readonly type: "defaulted";
      readonly at: string;
      readonly from: Phase;
      readonly to: Phase;
      readonly questions: readonly { readonly id: string; readonly taken: string }[];
      readonly state: string;
    }
  | {
      /** A person's command in CONTROL.md was obeyed. RETRY clears the retry counter. */
      readonly type: "controlled";
      readonly at: string;
      readonly command: ControlCommand;
      readonly detail: string;
    }
  | {
      /** A person cancelled the task: no pass begins until RETRY in CONTROL.md or `resume`. */
      readonly type: "cancelled";
      readonly at: string;
      /** STATE.md with its Status; null if it stays as it is, since the phase says already that nothing runs. */
      readonly state: string | null;
    }
  | VerdictEvent
  | (Escalation & {
      readonly type: "escalated";
      readonly at: string;
      readonly from: Phase;
      readonly state: string;
      /** Ids of the questions that are open afterwards. */
      readonly open_questions: readonly string[];
    })
  | {
      readonly type: "resumed";
      readonly at: string;
      readonly from: Phase;
      readonly to: Phase;
      readonly reason: string;
      readonly state: string;
    }
  | {
      readonly type: "answered";
      readonly at: string;
      readonly from: Phase;
      readonly to: Phase;
      readonly questions: readonly string[];
      readonly state: string;
    }
  | { readonly type: "relinked"; readonly at: string; readonly state: string }
  | {
      readonly type: "recovered";
      readonly at: string;
      readonly pass: number;
      readonly restored: readonly string[];
      readonly ended: number;
    };

/** Who claimed a pass. What it says is a claim: nothing is decided by it. */
export interface PassRunner {
  readonly worker: string;
  /** The name that the machine was given for others to read; null: none. */
  readonly host: string | null;
  readonly attempt: string;
  /** Versions. */
  readonly task_phase: string;
  readonly node: string;
}

export const controlCommands = ["PAUSE", "SKIP", "ABORT", "STATUS", "RETRY"] as const;
export type ControlCommand = (typeof controlCommands)[number];

export const degradeSteps = ["cheap_tier", "small_context", "no_self_review"] as const;
export type DegradeStep = (typeof degradeSteps)[number];

/** From here on passes are made cheaper by these steps; none: as usual again. */
export interface DegradedEvent {
  readonly type: "degraded";
  readonly at: string;
  readonly steps: readonly DegradeStep[];
  /** Why, as `budget.money_usd of the task is used up to 82 %`. */
  readonly reason: string;
}

/** The report of one reviewer, or the fact that it was unreadable. It counts until the same role reports again. */
export interface ReviewedEvent {
  readonly type: "reviewed";
  readonly at: string;
  /** The pass before whose model the reviewer worked. */
  readonly pass: number;
  readonly phase: Phase;
  readonly role: string;
  /** Of the repo that the reviewer was given. */
  readonly fingerprint: string;
  /** Of the accepted STATE.md that it was given, see `frameOf`. */
  readonly frame: string;
  /** Why there is no report; null if there is one. */
  readonly problem: string | null;
  readonly findings: readonly ReviewFinding[];
  readonly model: string;
  readonly estimate_usd: number | null;
  readonly end: ModelEnd;
  readonly duration_ms: number;
  readonly cost_usd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
}
