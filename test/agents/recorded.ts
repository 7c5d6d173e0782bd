import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CliAdapter, CliExit, CliReport } from "../../lib/agents/adapters/adapter.ts";
import { readJsonLines } from "../../lib/agents/adapters/json-lines.ts";
import { type ErrorMeaning, readMeaning } from "../../lib/agents/adapters/limits.ts";

/**
 * What a CLI really printed once: fixtures/<cli>/<name>.jsonl, or what it kept in its log, with `ending` "log". Fixtures
 * are not compiled, so they are searched upward.
 */
export function recordedPath(cli: string, name: string, ending = "jsonl"): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "test/agents/fixtures", cli, `${name}.${ending}`);
    if (existsSync(path)) return path;
  }
  throw new Error(`there is no fixture ${cli}/${name}.jsonl`);
}

export const recordedCall = {
  ...{ repo: "/repo", taskDir: "/tasks/T-1", sessionId: "s-1" },
  ...{ args: [], sandboxed: false },
};

/** What most tests look at; the signs of work have tests of their own. */
export type RecordedReport = Omit<CliReport, "worked">;
export type WithoutId = Omit<RecordedReport, "sessionId">;

/** Of a CLI that said nothing. */
export const emptyReport: WithoutId = {
  finalText: "",
  ended: false,
  error: null,
  costUsd: null,
  tokens: { input: null, output: null },
  turns: null,
  retries: 0,
};

/** What each CLI says at the end of its recording `wrote`. */
export const wroteHello = { finalText: "Wrote hello.txt.\n\n<promise>COMPLETE</promise>", ended: true };

export function jsonLines(...events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

/** What the adapter reads in a recording, in chunks that fit no line. */
export function reportOf(adapter: CliAdapter, name: string, exit: Partial<CliExit> = {}): RecordedReport {
  return reportOfOutput(adapter, readFileSync(recordedPath(adapter.name, name)), exit);
}

export function reportOfOutput(
  adapter: CliAdapter,
  output: Buffer | string,
  exit: Partial<CliExit> = {},
): RecordedReport {
  const { worked: _, ...report } = wholeReportOf(adapter, output, exit);
  return report;
}

/** Whether the model gave a sign of work in a recording. */
export function workedIn(adapter: CliAdapter, name: string): boolean {
  return wholeReportOf(adapter, readFileSync(recordedPath(adapter.name, name)), {}).worked;
}

function wholeReportOf(adapter: CliAdapter, output: Buffer | string, exit: Partial<CliExit>): CliReport {
  const reader = adapter.openReader();
  const lines = readJsonLines((value) => reader.event(value), adapter.skippedLines);
  const bytes = Buffer.from(output);
  for (let at = 0; at < bytes.length; at += 997) lines.write(bytes.subarray(at, at + 997));
  lines.end();
  return reader.report({ exitCode: 0, stderrTail: "", now: 1_000_000, ...exit });
}

/** The meaning of a report's error without patterns of a configuration; null where there is no error. */
export function meaningOf(report: RecordedReport): ErrorMeaning | null {
  return report.error === null ? null : readMeaning(report.error, []);
}
