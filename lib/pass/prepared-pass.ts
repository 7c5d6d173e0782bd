import type { Anchor } from "../anchor/anchor.ts";
import type { CurrentPass } from "../anchor/anchor-shapes.ts";
import type { ModelConfig } from "../config/load-config.ts";
import type { Fingerprint } from "../git/fingerprint.ts";
import type { Guard } from "../guard/guard.ts";
import type { RunnerGuard } from "../guard/guard-runner.ts";
import type { PinnedPaths } from "../guard/protected-paths.ts";
import type { GitBefore } from "../keep/git-capture.ts";
import type { DegradeStep } from "../machine/events.ts";
import type { Policy, Tamper } from "../machine/facts.ts";
import type { ModelEnd } from "../machine/model-end.ts";
import type { ListedItem } from "../machine/state-view.ts";
import type { FolderSyncs } from "../store/folder.ts";
import type { AgentEvidence } from "../task/look.ts";
import type { OpenTask } from "../task/open-task.ts";
import type { RunOfPass } from "../task/request.ts";
import type { HeldTask } from "../task/session.ts";
import type { StateDocument } from "../task-folder/state.ts";
import type { WatchRecord } from "../watch/watch.ts";
import type { ListedFile } from "./proof-files.ts";
import type { PassWatch } from "./watch-pass.ts";

/** Everything that is decided before a pass makes anything; a dry run ends here. */
export interface Plan {
  readonly kind: "planned";
  readonly contract: OpenTask;
  readonly repo: string;
  readonly pass: number;
  readonly document: StateDocument;
  readonly model: ModelConfig;
  readonly pins: PinnedPaths;
  readonly timeoutMs: number;
  /** How this pass is made cheaper. */
  readonly degrade: readonly DegradeStep[];
  readonly run: RunOfPass | null;
}

/** A plan in the hands of whoever carries it out, under the task's locks. */
export interface Assembly {
  readonly plan: Plan;
  readonly session: HeldTask;
  readonly runner: RunnerGuard | null;
}

/** One pass that is ready to run: everything PREP found out. */
export interface PreparedPass {
  readonly kind: "ready";
  readonly session: HeldTask;
  readonly contract: OpenTask;
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
    readonly evidence: AgentEvidence;
    readonly steps: readonly ListedItem[];
  };
  /** The record that tests and checks are compared with. */
  readonly watched: WatchRecord;
  /** Facts from git that must be taken before the model runs. */
  readonly git: GitBefore;
  /** The folders of the pass that got names since it began. */
  readonly syncs: FolderSyncs;
  readonly guarded: { readonly anchor: Anchor; readonly current: CurrentPass; readonly guard: Guard };
  /** Protected paths that a baseline check or a reviewer changed; the model is then not called. */
  readonly baselineTampering: readonly Tamper[];
  /** How a reviewer ended that could not be asked; the model is not called then either. */
  readonly reviewEnd: ModelEnd | null;
  /** How long the reviewers took before; no part of the pass's own duration. */
  readonly reviewedMs: number;
  readonly watch: PassWatch;
}
