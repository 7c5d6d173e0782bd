import type {
  CheckResult,
  CheckRun,
  Decision,
  Escalation,
  EvidenceFacts,
  GateResult,
  ModelEnd,
  ProgressKind,
  Reason,
  Tamper,
  Ticket,
  Verdict,
} from "./facts.ts";
import type { Phase } from "./phases.ts";

/** The events of a task's journal, without what chains them. `state` is always the whole accepted STATE.md afterwards. */
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
      readonly type: "baseline";
      readonly at: string;
      readonly fingerprint: string;
      readonly results: readonly CheckResult[];
    }
  | {
      readonly type: "pass_started";
      readonly at: string;
      readonly pass: number;
      readonly phase: Phase;
      readonly model: string;
      /** US dollars; null where nothing tells. */
      readonly estimate_usd: number | null;
      readonly prompt_sha256: string;
      readonly fingerprint: string;
    }
  | VerdictEvent
  | (EscalationFields & {
      readonly type: "escalated";
      readonly at: string;
      readonly from: Phase;
      readonly state: string;
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

type EscalationFields = Escalation;

export interface VerdictEvent {
  readonly type: "verdict";
  readonly at: string;
  readonly pass: number;
  readonly model: string | null;
  readonly from: Phase;
  readonly proposed: Phase | null;
  readonly to: Phase;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly reasons: readonly Reason[];
  readonly gates: readonly GateResult[];
  readonly progress: readonly ProgressKind[];
  readonly tickets: readonly Ticket[];
  readonly failure: Decision["failure"];
  readonly escalation: Escalation | null;
  readonly checks: CheckRun | null;
  readonly fingerprint: { readonly before: string; readonly after: string; readonly present: string | null };
  readonly end: ModelEnd;
  readonly duration_ms: number;
  readonly cost_usd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly overridden: readonly string[];
  readonly tampering: readonly Tamper[];
  readonly evidence: EvidenceFacts;
  readonly changed_paths: readonly { readonly path: string; readonly change: string }[];
  /** The visible features that stand after an accepted or redirected pass; empty otherwise. */
  readonly features: readonly string[];
  readonly state: string;
  readonly contract_sha256: string;
  /** sha256 of pass.json as it was written before this event. */
  readonly record_sha256: string;
}
