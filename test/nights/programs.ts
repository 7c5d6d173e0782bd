import { writeFileSync } from "node:fs";
import type { BoundedEnd, BoundedHow, BoundedSpec } from "../../lib/process/bounded-spec.ts";

/** What a program of the night did: its output, and how it ended. */
export interface ProgramEnd {
  readonly stdout?: string;
  readonly stderr?: string;
  /** Null: its time was up. */
  readonly exitCode: number | null;
  readonly signal?: string;
}

export type Programs = (spec: BoundedSpec) => Promise<ProgramEnd>;

let programs: Programs | null = null;

/** What runs instead of every program from now on. */
export function setPrograms(those: Programs): void {
  programs = those;
}

/** Stands in for `runBounded`: the same files and facts, of a function. */
export async function runBounded(spec: BoundedSpec): Promise<BoundedEnd> {
  if (programs === null) throw new Error("the night has no programs yet");
  spec.onStart?.({ pid: noPid, startTime: "1", bootId: "of no machine", command: spec.argv[0] ?? "" });
  const { stdout = "", stderr = "", exitCode, signal = null } = await programs(spec);
  const isLate = exitCode === null && signal === null;
  const how: BoundedHow = { kind: isLate ? "timed_out" : "exited", exitCode, signal, problem: null };
  spec.onOutput?.(Buffer.from(stdout));
  spec.onErrorOutput?.(Buffer.from(stderr));
  const together = spec.stdoutPath === spec.stderrPath;
  const out = spec.redactor.redact(together ? stdout + stderr : stdout);
  const error = together ? "" : spec.redactor.redact(stderr);
  writeFileSync(spec.stdoutPath, `${spec.heading ?? ""}${out}${spec.closing?.(how) ?? ""}`, { mode: 0o600 });
  if (!together) writeFileSync(spec.stderrPath, error, { mode: 0o600 });
  const size = (text: string) => ({ bytes: Buffer.byteLength(text), keptBytes: Buffer.byteLength(text), cut: false });
  return {
    ...how,
    durationMs: 5,
    ...{ stdout: size(out), stderr: size(error), stdoutTail: out, stderrTail: error },
    ended: [],
  };
}

/** Above every pid that Linux gives. */
const noPid = 2 ** 22 + 1;
