import { closeSync, openSync, readSync } from "node:fs";
import type { Readable } from "node:stream";
import { shorten } from "../text/shorten.ts";
import { findExecutable } from "./find-executable.ts";
import type { ProcessIdentity } from "./identity.ts";
import { startLimited } from "./limit-mark.ts";
import { markVariable, type ProcessMark } from "./mark.ts";
import { openPlumbing } from "./plumbing.ts";
import { identifyPid } from "./proc-table.ts";

export interface StartRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  readonly mark: ProcessMark;
  /** Both outputs through one pipe. */
  readonly together: boolean;
}

export interface StartedProcess {
  readonly kind: "started";
  readonly head: ProcessIdentity;
  /** Standard output and standard error; the same stream twice where they are together. */
  readonly outputs: readonly [Readable, Readable];
  /** Resolves when the process itself ended, whatever its children do. */
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>;
}

export interface NotStarted {
  readonly kind: "not_started";
  readonly problem: string;
}

/** Starts it in a session and process group of its own, marked. A program that cannot be started is a fact, not an error. */
export async function startProcess(request: StartRequest): Promise<StartedProcess | NotStarted> {
  const [program, ...words] = request.argv;
  if (program === undefined || program === "") return { kind: "not_started", problem: "the command is empty" };
  // 100 ms to import, so only where a process is started.
  const { execa } = await import("execa");
  const plumbing = openPlumbing(request.mark, request.stdin, request.together);
  try {
    const subprocess = startLimited(request.mark, () =>
      execa(program, words, {
        cwd: request.cwd,
        env: { ...request.env, [markVariable]: request.mark.id },
        extendEnv: false,
        // Its types know only 0, 1 and 2; any descriptor works.
        stdio: plumbing.stdio as unknown as ["pipe", "pipe", "pipe", "pipe"],
        detached: true,
        buffer: false,
        reject: false,
      }),
    );
    if (subprocess.pid === undefined) {
      plumbing.abandon();
      const result = await subprocess;
      return { kind: "not_started", problem: explain(result.code, result.originalMessage, request) };
    }
    const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
      subprocess.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const outputs = plumbing.outputs ?? [subprocess.stdout as Readable, subprocess.stderr as Readable];
    return { kind: "started", head: identifyPid(subprocess.pid, program), outputs, exited };
  } catch (failure) {
    // execa throws at once for what no system takes, such as a null byte in an argument.
    plumbing.abandon();
    return { kind: "not_started", problem: explain(undefined, (failure as Error).message, request) };
  } finally {
    plumbing.handOver();
  }
}

function explain(code: string | undefined, text: string | undefined, request: StartRequest): string {
  const program = shorten(request.argv[0] ?? "");
  const message = shorten(text ?? "unknown reason", 200);
  if (message.includes('"cwd" option')) return `the folder ${request.cwd} to start it in is not there`;
  if (code === "ENOENT") return explainMissing(program, request);
  if (code === "EACCES") return `${program} may not be executed`;
  if (code === "E2BIG") return `its arguments and environment are too long for the system (${code})`;
  return `${program} could not be started (${message})`;
}

/** The system says the same of a program that is not there and of one whose interpreter is not. */
function explainMissing(program: string, { argv, cwd, env }: StartRequest): string {
  const found = findExecutable(argv[0] ?? "", cwd, env.PATH ?? "");
  if (found === null) return `${program} was not found`;
  const needed = isBinary(found) ? "the loader that it was built for" : "what its first line names to run it";
  return `${shorten(found, 200)} is there, but ${needed} is not`;
}

/** One that may not be read counts as a script, which most agents are. */
function isBinary(path: string): boolean {
  const start = Buffer.alloc(4);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, start, 0, start.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return start.toString("latin1") === "\x7fELF";
}
