import type { ContractCheck, ProofRules } from "../../documents/contract.ts";
import type { HistoryBelow } from "../../git/history-below.ts";
import type { ProcessMark } from "../../process/mark.ts";
import type { Cell } from "../../rules/matrix.ts";
import type { PinnedCheck } from "../../task/held-out.ts";
import type { Origin } from "../../task/origin.ts";
import type { Redactor } from "../../text/redact.ts";
import type { CellHome } from "./cell-home.ts";
import type { CopyContents } from "./clean-copy.ts";
import type { HeldDependencies } from "./hold-dependencies.ts";
import type { KeptCopy } from "./kept-copy.ts";

/** Values shared by all cells of one matrix. */
export interface CellGround {
  /** Its real path, and that of its work tree of git: the repo itself without one. */
  readonly repo: string;
  readonly top: string;
  readonly origin: Origin | null;
  /** What git wrote of the versions, where the repo has no file with those bytes; see git/delivered.ts. */
  readonly blobs: string;
  /** What makes a copy a repository; null without git. */
  readonly history: HistoryBelow | null;
  /** The paths that git lists in the repo now, see `copyCarried`. */
  readonly listed: { has(path: string): boolean };
  /** Folders that are repositories of their own, see nested-repositories.ts: they are in no copy. */
  readonly nested: readonly string[];
  /** Repo paths of the runner's own settings, which are no part of the work: they are in no copy either. */
  readonly settings: readonly string[];
  /** The dependencies at pass 1, entry by entry of their lockfiles; null if they are not known. */
  readonly pins: HeldDependencies | null;
  readonly checks: { readonly validators: readonly ContractCheck[]; readonly scenarios: readonly ContractCheck[] };
  readonly rules: Pick<ProofRules, "carry" | "prepare">;
  /** The environment of a check, see runs/environment.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's home folder, and whether the checks see it or an empty one. */
  readonly home: { readonly path: string; readonly seen: CellHome };
  /** Private folders of the runner, outside the repo: one for the copies, one for temporary files. */
  readonly copies: string;
  readonly temporary: string;
  readonly redactor: Redactor;
  readonly mark: ProcessMark;
  readonly signal: AbortSignal;
  readonly running?: (names: readonly string[]) => void;
  /** Why the checks in copies see what else is on this machine; null if they do not. */
  readonly unseparated: string | null;
  /** Whether a check in a copy can open this absolute path. */
  readonly isSeen: (path: string) => boolean;
  /** Null: checks run as they are. */
  readonly sandbox: CellSandbox | null;
}

export interface CellSandbox {
  /** The command line of a check that runs in the copy, sees it and not the repo, and writes to it and a temporary folder. */
  readonly wrap: (argv: readonly string[], copy: string, temporary: string) => readonly string[];
  /** The usual temporary folder is one of the run there, so that no variable has to name another. */
  readonly hasOwnTemporary: boolean;
}

export interface CellRequest {
  /** Names the folder of the logs too. */
  readonly name: string;
  /** The names of the checks whose results are wanted; missing: all. In turn, those before them run too. */
  readonly only?: readonly string[];
  /** Run the checks one after the other; absent: at the same time. */
  readonly inTurn?: boolean;
  /** Shorter limits than the contract's, by the name of the check: what is wrong on purpose may never end. */
  readonly longestMs?: ReadonlyMap<string, number>;
  readonly contents: CopyContents;
  /** Absolute, and the same folder relative to the task folder. */
  readonly logFolder: string;
  readonly logRelative: string;
  readonly heldOut: readonly PinnedCheck[];
  /** Repo paths of files that the checks compare the work with: no check of this cell may write them again. */
  readonly restored?: readonly string[];
}

export interface CellRan {
  readonly kind: "ran";
  readonly cell: Cell;
  /** Where it was. */
  readonly copy: string;
  readonly leftOut: readonly string[];
  /** The `restored` paths that the checks wrote again, or made where there were none. */
  readonly rewritten: readonly string[];
}

/** A cell that came to an end before all its checks ran. */
export type CellCut =
  /** No copy could be made or prepared, so nothing was judged; `unbuilt`: a command of proof.prepare failed. */
  { readonly kind: "refused"; readonly reason: string; readonly unbuilt?: true } | { readonly kind: "aborted" };

export type CellOutcome = CellRan | CellCut;

/** Nothing was judged, for this reason. */
export function refused(reason: string): Extract<CellCut, { kind: "refused" }> {
  return { kind: "refused", reason };
}

/** The place that each step of a cell works in. */
export interface CellPlace {
  readonly ground: CellGround;
  readonly request: CellRequest;
  /** The repo's folder in the copy, and the copy itself. */
  readonly copy: string;
  readonly root: string;
  readonly kept: KeptCopy;
  readonly temporary: string;
  /** The environment of the checks in this copy, and of what runs outside of the sandbox. */
  readonly env: Readonly<Record<string, string>>;
  readonly outerEnv: Readonly<Record<string, string>>;
}
