import { spawn } from "node:child_process";
import { untilQuiet } from "../../lib/process/output.ts";

export interface ProgramEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Runs it to its end, or kills it after the timeout; a program that cannot start has no code. */
export function runProgram(argv: readonly string[], place: ProgramPlace): Promise<ProgramEnd> {
  const [program = "", ...args] = argv;
  return new Promise((resolve) => {
    const { cwd, env, timeoutMs = 180_000 } = place;
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    }
    child.once("error", (error) => resolve({ code: null, ...said, stderr: said.stderr + error.message }));
    const heard = () => said.stdout.length + said.stderr.length;
    // Not on close: a program that was left running may hold the streams for as long as it likes.
    child.once("exit", (code) => void untilQuiet(heard).then(() => resolve({ code, ...said })));
  });
}
