import type { CliName } from "../../config/adapter-names.ts";

/** What one call of a CLI is given. Paths are absolute. */
export interface CliCall {
  readonly repo: string;
  readonly taskDir: string;
  /** Private, mode 0700, for this run alone; not in the repo. */
  readonly workFolder: string;
  /** A new UUID, for a CLI that lets its caller name the session. */
  readonly sessionId: string;
  /** The configuration's `args`, those of the tier included. They come behind the adapter's own. */
  readonly args: readonly string[];
  /** The runner's own sandbox is around the CLI, so that the CLI's own would only be in the way. */
  readonly sandboxed: boolean;
  /** The runner runs as root: some CLIs refuse flags then. */
  readonly root: boolean;
}

/** The error with which a CLI says that it ended, from its final error field; never from prose or tool output. */
export interface CliError {
  readonly message: string;
  /** HTTP status; null if the CLI does not give one as a field. */
  readonly status: number | null;
  /** The provider's or the CLI's word for it, such as `rate_limit_error`; null if there is none. */
  readonly type: string | null;
  /** When the model can be called again, epoch milliseconds; null if nothing said so. */
  readonly resetAt: number | null;
}

/** What a CLI said of its own run. */
export interface CliReport {
  /**
   * The final answer alone: never the prompt's echo, earlier turns, thoughts or tool output. Empty if there is none.
   */
  readonly finalText: string;
  /** The CLI itself reported the end of its work, by its result event: not merely that its process ended. */
  readonly ended: boolean;
  /** The model itself said or did something: a CLI that only waits for its provider prints events of its own. */
  readonly worked: boolean;
  /** Null if it ended without one, even if it had errors on the way and recovered. */
  readonly error: CliError | null;
  /**
   * Null if it is not known; never 0 for that. Of a cut off run: up to the last finished call, if the CLI says it.
   */
  readonly costUsd: number | null;
  /** As the CLI counts them. */
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  /** Model calls; null if not known. */
  readonly turns: number | null;
  readonly sessionId: string | null;
  /** How often the CLI tried a call again by itself. */
  readonly retries: number;
  /** What else a person should know and no verdict depends on. */
  readonly note?: string | null;
}

/** How the process ended, for the few CLIs that say their last word by it. */
export interface CliExit {
  readonly exitCode: number | null;
  /** The end of standard error, at most 64 KiB. */
  readonly stderrTail: string;
  /** Epoch milliseconds: what "in 20 s" is counted from. */
  readonly now: number;
  /** The runner ended it, since it was only waiting for its provider: see `errorLine`. */
  readonly waited?: boolean;
}

/** Reads standard output as it comes. Keeps only what the report needs: memory must not grow with the output. */
export interface CliReader {
  /** One JSON object of standard output. Lines that hold none never come here; of one past 8 MiB only its `type`. */
  event(value: Readonly<Record<string, unknown>>): void;
  /**
   * A line of standard error, or of its `errorLog`, as it comes, of a CLI that tells there alone that its provider
   * refused a call. For how many milliseconds it may then be silent before it is ended, and the refusal is its error;
   * null if the line says nothing.
   */
  errorLine?(line: string, now: number): number | null;
  /** An event that tells of the same: every other one means that the CLI does more than wait. */
  isRetry?(value: Readonly<Record<string, unknown>>): boolean;
  report(exit: CliExit): CliReport;
}

/** The free question whether someone is logged in. Nothing is charged for it. */
export interface LoginCheck {
  readonly argv: readonly string[];
  /** Null: the output does not tell. */
  readonly loggedIn: (output: { readonly exitCode: number | null; readonly stdout: string }) => boolean | null;
}

/** Everything that the runner knows of one agent CLI. */
export interface CliAdapter {
  readonly name: CliName;
  /** The program, looked for on PATH. */
  readonly program: string;
  /** Its package on the npm registry. */
  readonly npmPackage: string;
  /** Variables that its users set: keys, base URLs, its own folders. `init` names those that are set under `env`. */
  readonly knownEnv: readonly string[];
  /** Set in every call. */
  readonly env: Readonly<Record<string, string>>;
  /** It leaves what it was told in its folder for temporary files: the run gives it one, which is removed. */
  readonly leavesTemporary?: true;
  /** The words behind the program. The prompt comes on standard input, which ends. */
  readonly argv: (call: CliCall) => readonly string[];
  /** A quick and cheap model, as words in place of `args`' own. */
  readonly cheapArgs: readonly string[];
  readonly reportsCost: boolean;
  /** Sent first when time is up, so that the CLI still says what it spent; SIGTERM follows. */
  readonly stopSignal: "SIGINT" | "SIGTERM";
  readonly openReader: () => CliReader;
  /** How lines of its output begin that no report needs and that repeat much: they are never parsed. */
  readonly skippedLines?: readonly string[];
  /** Own text of a limit, beside the usual ones; matched against the final error only. */
  readonly limitPatterns: readonly RegExp[];
  readonly login: LoginCheck | null;
  /** The file that it keeps of a session as it runs, where that tells what standard error does not. */
  readonly errorLog?: (sessionId: string, env: Readonly<NodeJS.ProcessEnv>, home: string) => string;
  /** What a session leaves behind, of a CLI that has no flag against it. */
  readonly sessionPaths?: (sessionId: string, env: Readonly<NodeJS.ProcessEnv>, home: string) => readonly string[];
  /**
   * Folders and files outside the repo that the CLI must be able to write, below the home folder or where its variables
   * say.
   */
  readonly ownPaths: (env: Readonly<NodeJS.ProcessEnv>, home: string) => readonly string[];
}
