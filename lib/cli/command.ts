import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { FlagValues } from "./flag-values.ts";

/** One flag, once: parsing and help are both made from it. */
export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** A switch takes no value. A duration becomes milliseconds. */
  readonly type: "switch" | "text" | "integer" | "duration";
  /** What stands for the value in the help, as FOLDER; absent for a switch. */
  readonly label?: string;
  readonly help: string;
  readonly repeatable?: boolean;
}

/** What a command is, without its body. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** The usage line without the program's name. */
  readonly usage: string;
  /** What follows the command's name; shown first in its help. */
  readonly examples: readonly string[];
  readonly flags: readonly FlagSpec[];
  /** The flag whose value may also be given as the one word without a flag. */
  readonly word?: string;
  /** What exit code 0 says here. */
  readonly okMeaning: string;
  readonly exits: readonly ExitName[];
  /** True where an agent inside a pass must not call it. */
  readonly refusedInsidePass: boolean;
  readonly showsPhases: boolean;
}

/** What a command's body gets. */
export interface CommandContext {
  readonly flags: FlagValues;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly home: string;
  readonly verbose: boolean;
  now(): Date;
  /** One event of the story, on stderr at once. Nothing under --quiet. */
  tell(line: string): void;
  /** The line that stands at the bottom of a terminal until the next one takes its place, or null clears it. */
  show(line: string | null): void;
  /** True where `show` shows something. */
  readonly live: boolean;
  /** Resolves after this long, or as soon as the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a command's body gives back; it prints nothing itself. */
export interface CommandResult {
  readonly exitName: ExitName;
  /** Keys of the JSON object, beside command, exit_code, exit_name and findings. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Lines for people, on stderr. */
  readonly story: readonly string[];
  /** The answer, on stdout; not with --json. */
  readonly answer: readonly string[];
  readonly findings: readonly Finding[];
  /** What goes to stderr; `all` without it. Less is for a call that came to nothing, as cron makes every few minutes. */
  readonly tells?: "all" | "errors" | "nothing";
  /** Findings that stderr has already. */
  readonly told?: readonly Finding[];
}

export type RunCommand = (context: CommandContext) => Promise<CommandResult>;
