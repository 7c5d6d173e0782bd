import type { CliName } from "../../documents/config/adapter-names.ts";

interface CliCall {
  readonly repo: string;
  readonly taskDir: string;
  /** A new UUID, for a CLI whose caller names the session. */
  readonly sessionId: string;
  /** The configuration's `args` and the tier's, behind the adapter's own. */
  readonly args: readonly string[];
  /** The CLI runs in the runner's sandbox, where its own would be in the way. */
  readonly sandboxed: boolean;
}

/** From the CLI's final error field; never from prose or tool output. */
export interface CliError {
  readonly message: string;
  /** HTTP status, if the CLI gives one as a field. */
  readonly status: number | null;
  /** The provider's or the CLI's name for it, such as `rate_limit_error`. */
  readonly type: string | null;
  /** Epoch milliseconds at which the model can be called again. */
  readonly resetAt: number | null;
}

export interface CliReport {
  /** The final answer alone, without prompt, earlier turns, thoughts and tool output. Empty if there is none. */
  readonly finalText: string;
  /** The CLI reported the end by its result event; an exit alone does not count. */
  readonly ended: boolean;
  /** The model itself said or did something: a CLI that waits for its provider prints events too. */
  readonly worked: boolean;
  /** Null if it ended without one, even after recovered errors. */
  readonly error: CliError | null;
  /** Null if unknown, never 0 for that. Of an interrupted run: up to the last finished call, if reported. */
  readonly costUsd: number | null;
  /** As the CLI counts them. */
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly turns: number | null;
  readonly sessionId: string | null;
  readonly retries: number;
  /** For people; no verdict depends on it. */
  readonly note?: string | null;
}

/** For the few CLIs whose exit is their last word. */
export interface CliExit {
  readonly exitCode: number | null;
  readonly stderrTail: string;
  /** Epoch milliseconds; the base of "in 20 s". */
  readonly now: number;
  /** The runner ended it while it only waited for its provider: see `errorLine`. */
  readonly waited?: boolean;
}

/** Keeps only what the report needs, in bounded memory. */
export interface CliReader {
  /** A line of standard output that is a JSON object; beyond 8 MiB only its `type`. */
  event(value: Readonly<Record<string, unknown>>): void;
  /**
   * A line of standard error or `errorLog`, of a CLI that reports a refused call only there. Returns the milliseconds
   * it may then be silent before it is ended with the refusal as its error; null for other lines.
   */
  errorLine?(line: string, now: number): number | null;
  /** An event that belongs to a refused call; every other one is work. */
  isRetry?(value: Readonly<Record<string, unknown>>): boolean;
  report(exit: CliExit): CliReport;
}

/** Whether someone is logged in, asked without a charge. */
interface LoginCheck {
  readonly argv: readonly string[];
  /** Null: the output does not tell. */
  readonly loggedIn: (output: { readonly exitCode: number | null; readonly stdout: string }) => boolean | null;
}

export interface CliAdapter {
  readonly name: CliName;
  readonly program: string;
  readonly npmPackage: string;
  /** Its users' variables: keys, base URLs, folders. `init` names those that are set under `env`. */
  readonly knownEnv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** It leaves the prompt in its temporary folder: the run gives it one and removes it. */
  readonly leavesTemporary?: true;
  /** Without the program. The prompt comes on standard input, which ends. */
  readonly argv: (call: CliCall) => readonly string[];
  /** A quick and cheap model; replaces the same flags of `args`. */
  readonly cheapArgs: readonly string[];
  readonly reportsCost: boolean;
  /** Sent before SIGTERM when time is up, so that the CLI reports its cost. */
  readonly stopSignal: "SIGINT" | "SIGTERM";
  readonly openReader: () => CliReader;
  /** Beginnings of long, useless lines, which are never parsed. */
  readonly skippedLines?: readonly string[];
  readonly login: LoginCheck | null;
  /** The session's log file, if it reports what standard error does not. */
  readonly errorLog?: (sessionId: string, env: Readonly<NodeJS.ProcessEnv>, home: string) => string;
  /** What a session leaves behind, if no flag prevents it. */
  readonly sessionPaths?: (sessionId: string, env: Readonly<NodeJS.ProcessEnv>, home: string) => readonly string[];
  /** What the CLI must be able to write outside the repo, below home or where its variables say. */
  readonly ownPaths: (env: Readonly<NodeJS.ProcessEnv>, home: string) => readonly string[];
}
