import { hasCheapTier } from "../agents/adapters/adapters.ts";
import type { WatchRecord } from "../checks/watch/watch.ts";
import type { ModelConfig } from "../documents/config/load-config.ts";
import type { StateDocument } from "../documents/state.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import type { SettingsAndHooks } from "../git/settings-and-hooks.ts";
import type { DegradeStep } from "../rules/events.ts";
import type { Tamper } from "../rules/facts.ts";
import type { ModelEnd } from "../rules/model-end.ts";
import type { FolderSyncs } from "../store/folder.ts";
import type { Guard } from "../task/guard/guard.ts";
import type { PinnedPaths } from "../task/guard/protected-paths.ts";
import type { OpenTask } from "../task/open-task.ts";
import type { BegunPass, PassPorts, StageTrace } from "../task/records/ports.ts";
import type { TaskPlace } from "../task/records/task-place.ts";
import type { PassRequest, RunOfPass } from "../task/request.ts";
import type { HeldTask } from "../task/session.ts";
import type { GitBefore } from "./checkpoint/git-capture.ts";
import type { SeenHead } from "./checkpoint/head-moves.ts";
import type { ListedFile } from "./proof-files.ts";
import type { ControlWatch } from "./watch-control.ts";

export interface PassCall {
  readonly place: TaskPlace;
  readonly request: PassRequest;
  /** Its signal is that of the process, which no ABORT of a person aborts. */
  readonly ports: PassPorts;
  readonly trace: StageTrace;
  readonly startedAt: Date;
}

/** Everything that is decided before a pass makes anything; a dry run ends here. */
export interface Plan {
  readonly kind: "planned";
  readonly contract: OpenTask;
  readonly repo: string;
  readonly pass: number;
  readonly document: StateDocument;
  /** Null: the runner runs the checks and judges, and no model is called. */
  readonly model: ModelConfig | null;
  readonly pins: PinnedPaths;
  readonly timeoutMs: number;
  readonly degrade: readonly DegradeStep[];
  readonly run: RunOfPass | null;
}

export type ModelPlan = Plan & { readonly model: ModelConfig };

export function callsModel<Planned extends Pick<Plan, "model">>(
  plan: Planned,
): plan is Planned & { readonly model: ModelConfig } {
  return plan.model !== null;
}

/** One pass that is ready to run: its plan, and everything that PREP made and measured. */
export interface PreparedPass extends Omit<Plan, "kind"> {
  readonly kind: "ready";
  readonly session: HeldTask;
  readonly watch: ControlWatch;
  readonly guard: Guard;
  /** Empty without a model. */
  readonly prompt: string;
  readonly before: {
    readonly fingerprint: Fingerprint;
    readonly artifacts: readonly ListedFile[];
    /** Null without git, and among several machines. */
    readonly head: SeenHead | null;
    /** Null as `head`, or if git failed. */
    readonly settingsAndHooks: SettingsAndHooks | null;
  };
  /** The record that tests and checks are compared with. */
  readonly watched: WatchRecord;
  /** Facts from git that must be taken before the model runs. */
  readonly git: GitBefore;
  /** The folders of the pass that got names since it began. */
  readonly syncs: FolderSyncs;
  /**
   * The checks before the work, and the reviewers. If they changed something protected or did not end well, no model is
   * called.
   */
  readonly ahead: Ahead;
}

/** The result of what ran before the model. */
export interface Ahead {
  readonly kind: "ran";
  readonly tampering: readonly Tamper[];
  /** How a reviewer ended that could not be asked; null if each was. */
  readonly end: ModelEnd | null;
  /** How long the reviewers took together; it is charged with their own events, not with the pass. */
  readonly reviewedMs: number;
}

/** The pass as the live status line shows it. */
export function beginOf(
  { history }: HeldTask,
  { contract, pass, document, model }: Pick<Plan, "contract" | "pass" | "document" | "model">,
): BegunPass {
  return {
    task: contract.contract.id,
    pass,
    phase: document.view.phase,
    model: model?.name ?? null,
    spentUsd: history.spend.knownUsd,
  };
}

/** A model without a cheap tier works as usual. */
export function tierOf({ degrade, model }: Pick<Plan, "degrade" | "model">): "default" | "cheap" {
  return degrade.includes("cheap_tier") && model !== null && hasCheapTier(model) ? "cheap" : "default";
}
