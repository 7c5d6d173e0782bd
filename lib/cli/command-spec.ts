import type { ExitName } from "../text/exit-codes.ts";

/** One flag, declared once: parsing and help both use it. */
export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** A switch takes no value. A duration becomes milliseconds. */
  readonly type: "switch" | "text" | "integer" | "duration";
  /** The placeholder of the value in the help, for example FOLDER; absent for a switch. */
  readonly label?: string;
  readonly help: string;
  readonly repeatable?: boolean;
  /** Accepted and documented, but not in the help: another name for a flag that is. */
  readonly hidden?: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** The usage line without the program's name. */
  readonly usage: string;
  /** The usage after the command's name; shown first in its help. */
  readonly examples: readonly string[];
  readonly flags: readonly FlagSpec[];
  /** The flags whose values may also be given as words without a flag, in this order. */
  readonly words?: readonly string[];
  /** The meaning of exit code 0 here. */
  readonly okMeaning: string;
  readonly exits: readonly ExitName[];
  /** How it treats a task that is newer on its branch: lists it, reads it there, or changes it there. */
  readonly onBranch?: "list" | "read" | "change";
  /** True if an agent inside a pass must not call it. */
  readonly refusedInsidePass: boolean;
}
