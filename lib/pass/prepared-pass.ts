import type { ModelConfig } from "../config/load-config.ts";
import type { Fingerprint } from "../git/fingerprint.ts";
import type { ModelEnd, Policy, Tamper } from "../machine/facts.ts";
import type { ListedItem } from "../machine/state-view.ts";
import type { StateDocument } from "../task-folder/state.ts";
import type { WatchRecord } from "../watch/watch.ts";
import type { Anchor, CurrentPass } from "./anchor.ts";
import type { GitBefore } from "./git-capture.ts";
import type { Guard } from "./guard.ts";
import type { TaskContract } from "./load-contract.ts";
import type { ListedFile } from "./proof-files.ts";
import type { TaskSession } from "./session.ts";
import type { PassWatch } from "./watch-pass.ts";

/** One pass that is ready to run: everything PREP found out. */
export interface PreparedPass {
  readonly kind: "ready";
  readonly session: TaskSession;
  readonly contract: TaskContract;
  readonly policy: Policy;
  readonly repo: string;
  readonly model: ModelConfig;
  readonly timeoutMs: number;
  readonly tier: "default" | "cheap";
  readonly pass: number;
  readonly prompt: string;
  readonly document: StateDocument;
  readonly before: {
    readonly fingerprint: Fingerprint;
    readonly artifacts: readonly ListedFile[];
    readonly evidenceRows: readonly string[];
    readonly steps: readonly ListedItem[];
  };
  /** What tests and checks are compared with; null in a dry run before pass 1. */
  readonly watched: WatchRecord | null;
  /** What of git must be known from before the model ran; null in a dry run. */
  readonly git: GitBefore | null;
  /** Null in a dry run. */
  readonly guarded: { readonly anchor: Anchor; readonly current: CurrentPass; readonly guard: Guard } | null;
  /** What a check of the baseline or a reviewer changed that it must not; the model is not called then. */
  readonly baselineTampering: readonly Tamper[];
  /** How a reviewer ended that could not be asked; the model is not called then either. */
  readonly reviewEnd: ModelEnd | null;
  /** How long the reviewers took before; no part of the pass's own duration. */
  readonly reviewedMs: number;
  /** Missing in a dry run. */
  readonly watch?: PassWatch;
}
