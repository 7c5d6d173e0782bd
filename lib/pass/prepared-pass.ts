import type { ModelConfig } from "../config/load-config.ts";
import type { Policy, Tamper } from "../machine/facts.ts";
import type { ListedItem } from "../machine/state-view.ts";
import type { Fingerprint } from "../store/fingerprint.ts";
import type { StateDocument } from "../task-folder/state.ts";
import type { Anchor, CurrentPass } from "./anchor.ts";
import type { Guard } from "./guard.ts";
import type { TaskContract } from "./load-contract.ts";
import type { ListedFile } from "./proof-files.ts";
import type { TaskSession } from "./session.ts";

/** One pass that is ready to run: everything PREP found out. */
export interface PreparedPass {
  readonly kind: "ready";
  readonly session: TaskSession;
  readonly contract: TaskContract;
  readonly policy: Policy;
  readonly repo: string;
  readonly model: ModelConfig;
  readonly timeoutMs: number;
  readonly pass: number;
  readonly prompt: string;
  readonly document: StateDocument;
  readonly before: {
    readonly fingerprint: Fingerprint;
    readonly artifacts: readonly ListedFile[];
    readonly evidenceRows: readonly string[];
    readonly steps: readonly ListedItem[];
  };
  /** Null in a dry run. */
  readonly guarded: { readonly anchor: Anchor; readonly current: CurrentPass; readonly guard: Guard } | null;
  /** What a check of the baseline changed that it must not; the model is not called then. */
  readonly baselineTampering: readonly Tamper[];
}
