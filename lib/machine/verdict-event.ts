import type { Decision } from "./decision.ts";
import type { Facts, Policy } from "./facts.ts";

/** The commit that was checked out, and where it can be seen. */
export interface HostedCode {
  /** Null without git and before the first commit. */
  readonly commit: string | null;
  readonly branch: string | null;
  /** Whether anything differed from the commit; null if that is not known. */
  readonly dirty: boolean | null;
  /**
   * Address of the repository on its host, for example `https://github.com/owner/name`, without credentials; null if
   * none is known.
   */
  readonly web: string | null;
  /** How that host writes addresses; null if that is not known. */
  readonly kind: HostKind | null;
  /** Whether the remote was known to have the commit; null if there is no remote. */
  readonly pushed: boolean | null;
}

export const hostKinds = ["github", "gitlab", "gitea", "bitbucket"] as const;
/** Forgejo and Codeberg write addresses as Gitea does, GitHub Enterprise as GitHub. */
export type HostKind = (typeof hostKinds)[number];

/** How a pass ended: all of its decision but what STATE.md has, and the facts that people and later passes need. */
export interface VerdictEvent
  extends Omit<Decision, "runner_fields" | "exit_name">,
    Pick<Facts, "checks" | "fingerprint" | "end" | "tampering" | "put_back" | "evidence" | "watched" | "square">,
    Pick<Policy, "tests_changed"> {
  readonly type: "verdict";
  readonly at: string;
  readonly pass: number;
  readonly model: string | null;
  /** The progress in words, as `describeMade` says it. */
  readonly made: readonly string[];
  /**
   * The beginning of the model's last answer, redacted, at most 300 characters: of a pass that changed nothing, so that
   * the next prompt can say what was lost. Null in all others.
   */
  readonly answer: string | null;
  readonly duration_ms: number;
  readonly cost_usd: number | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly overridden: readonly string[];
  /** Ids of the questions that were open when the pass ended, the runner's own included. */
  readonly open_questions: readonly string[];
  readonly changed_paths: readonly { readonly path: string; readonly change: string }[];
  /** Where the code of this moment can be seen; null if a later run closed the pass. */
  readonly code: HostedCode | null;
  /** The visible features after an accepted or redirected pass; empty otherwise. */
  readonly features: readonly string[];
  readonly state: string;
  readonly contract_sha256: string;
  /** sha256 of pass.json as it was written before this event. */
  readonly record_sha256: string;
}
