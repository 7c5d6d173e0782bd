import { closeSync, openSync, readSync, statSync } from "node:fs";
import { orElse } from "../text/attempt.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { shorten } from "../text/shorten.ts";
import type { BoundedSpec } from "./bounded-spec.ts";
import { startInGroup } from "./control-group.ts";
import { findExecutable } from "./find-executable.ts";
import { identifyPid, type ProcessIdentity } from "./identity.ts";
import { markVariable } from "./mark.ts";
import { machineError } from "./no-room.ts";
import { type Output, readStream } from "./output.ts";
import { openPlumbing } from "./plumbing.ts";
import { spawnChild } from "./spawn-child.ts";

interface StartRequest extends Pick<BoundedSpec, "argv" | "cwd" | "env" | "stdin" | "mark"> {
  readonly together: boolean;
}

export interface StartedProcess {
  readonly kind: "started";
  readonly head: ProcessIdentity;
  /** Standard output and error; the same object twice if together. */
  readonly outputs: readonly [Output, Output];
  /** When the process itself ends, whatever its children do. */
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>;
}

export interface NotStarted {
  readonly kind: "not_started";
  readonly problem: string;
}

/** A program that cannot start is a fact; throws TP_MACHINE if the machine can start none, and TP_DISK. */
export async function startProcess(request: StartRequest): Promise<StartedProcess | NotStarted> {
  const [program, ...words] = request.argv;
  if (program === undefined || program === "") return { kind: "not_started", problem: "the command is empty" };
  if (request.argv.some((word) => word.includes("\0")))
    return {
      kind: "not_started",
      problem: `the command ${shorten(program)} contains a null byte, which no system passes on`,
    };
  const plumbing = openPlumbing(request.mark, request.stdin, request.together);
  try {
    const env = { ...request.env, [markVariable]: request.mark.id };
    const child = startInGroup(request.mark, () =>
      spawnChild({ argv: [program, ...words], cwd: request.cwd, env }, plumbing.stdio),
    );
    const failed = new Promise<unknown>((resolve) => child.once("error", resolve));
    if (child.pid === undefined) {
      plumbing.abandon();
      const failure = await failed;
      refuseFullMachine(request, failure);
      return { kind: "not_started", problem: explain(failure, request) };
    }
    const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const outputs = plumbing.outputs ?? ownPipes(child);
    return { kind: "started", head: identifyPid(child.pid, program), outputs, exited };
  } catch (failure) {
    // Node or the system rejects the arguments.
    plumbing.abandon();
    if (failure instanceof TaskPhaseError) throw failure;
    refuseFullMachine(request, failure);
    return { kind: "not_started", problem: explain(failure, request) };
  } finally {
    plumbing.handOver();
  }
}

function ownPipes({ stdout, stderr }: ReturnType<typeof spawnChild>): readonly [Output, Output] {
  if (stdout === null || stderr === null) throw new Error("the outputs of the process were not opened");
  return [readStream(stdout), readStream(stderr)];
}

/** Blaming the program would put a healthy model aside. */
function refuseFullMachine({ argv }: StartRequest, failure: unknown): void {
  const error = machineError(`${shorten(argv[0] ?? "")} could not be started`, failure);
  if (error !== null) throw error;
}

function explain(failure: unknown, request: StartRequest): string {
  const program = shorten(request.argv[0] ?? "");
  const code = failure instanceof Error && "code" in failure ? failure.code : undefined;
  const message = shorten(failure instanceof Error ? failure.message : "unknown reason", 200);
  // The system reports a missing program and a missing folder alike.
  if (!orElse(() => statSync(request.cwd).isDirectory(), false))
    return `its working directory ${request.cwd} does not exist`;
  if (code === "ENOENT") return explainMissing(program, request);
  if (code === "EACCES") return `${program} may not be executed`;
  if (code === "E2BIG") return `its arguments and environment are too long for the system (${code})`;
  return `${program} could not be started (${message})`;
}

/** The system reports a missing program and a missing interpreter alike. */
function explainMissing(program: string, { argv, cwd, env }: StartRequest): string {
  const found = findExecutable(argv[0] ?? "", cwd, env.PATH ?? "");
  if (found === null) return `${program} was not found`;
  const start = firstBytes(found);
  if (/^#![^\n]*\r\n/.test(start))
    return `${shorten(found, 200)} cannot start: its first line ends as on Windows, with a carriage return`;
  const needed = start.startsWith("\x7fELF")
    ? "the loader that it was built for"
    : "the interpreter that its first line names";
  return `${shorten(found, 200)} exists, but ${needed} does not`;
}

/** Empty if it cannot be read: most agents are scripts. */
function firstBytes(path: string): string {
  const start = Buffer.alloc(256);
  return orElse(() => {
    const file = openSync(path, "r");
    try {
      return start.toString("latin1", 0, readSync(file, start, 0, start.length, 0));
    } finally {
      closeSync(file);
    }
  }, "");
}
