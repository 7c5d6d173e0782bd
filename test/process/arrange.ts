import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { runBounded } from "../../lib/process/bounded.ts";
import type { BoundedEnd, BoundedSpec } from "../../lib/process/bounded-spec.ts";
import { createMark } from "../../lib/process/mark.ts";
import { readRow } from "../../lib/process/proc-table.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { patienceMs } from "../patience.ts";

/** A folder of its own for one test, gone afterwards. */
export function makeFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-test-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same, and from now on until the test ends the temporary files of this process lie in it. */
export function makeTemporaryPlace(test: TestContext): string {
  const common = process.env.TMPDIR;
  const folder = makeFolder(test);
  process.env.TMPDIR = folder;
  test.after(() => {
    if (common === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = common;
  });
  return folder;
}

export const plainEnv = { PATH: process.env.PATH ?? "/usr/bin:/bin" };

export function boundedSpec(folder: string, argv: readonly string[], changes: Partial<BoundedSpec> = {}): BoundedSpec {
  return {
    argv,
    cwd: folder,
    env: plainEnv,
    stdin: null,
    timeoutMs: 10_000,
    graceMs: 150,
    stdoutPath: join(folder, "stdout.log"),
    stderrPath: join(folder, "stderr.log"),
    capBytes: 1024 * 1024,
    redactor: createRedactor({}),
    mark: createMark(folder),
    abort: null,
    ...changes,
  };
}

export interface Ran {
  readonly end: BoundedEnd;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(folder: string, argv: readonly string[], changes: Partial<BoundedSpec> = {}): Promise<Ran> {
  const spec = boundedSpec(folder, argv, changes);
  const end = await runBounded(spec);
  return { end, stdout: readFileSync(spec.stdoutPath, "utf8"), stderr: readFileSync(spec.stderrPath, "utf8") };
}

/** Whether a process with this number can still do anything. One that ends cannot, though it is no zombie yet. */
export function lives(pid: number): boolean {
  return readRow(pid)?.ended === false;
}

/** Holds this process up: nothing of it happens meanwhile, and no timer fires. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The same until it is so. In `onStart` it lets the time of a process begin to count when that is ready. */
export function blockUntil(isSo: () => boolean): void {
  for (let waited = 0; !isSo() && waited < patienceMs; waited += 5) block(5);
}

/** The number that a fake program wrote to a file. */
export function pidIn(path: string): number {
  return Number(readFileSync(path, "utf8"));
}
