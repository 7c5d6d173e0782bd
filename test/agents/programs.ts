import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Asking } from "../../lib/agents/inspect/ask-program.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { makeFolder } from "../process/arrange.ts";

/** Writes programs into a folder for a PATH of its own: shell lines by the program's name. Returns the folder. */
export function writePrograms(folder: string, programs: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(programs)) writeProgram(join(folder, name), lines);
  return folder;
}

/** A program of these shell lines. It finds the usual tools, whatever PATH its caller gives it. */
export function writeProgram(path: string, lines: string): void {
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${lines}\n`);
  chmodSync(path, 0o755);
}

/** What a program says for each first word of its command line; for any other it fails. */
export function answers(byWord: Readonly<Record<string, string>>): string {
  const cases = Object.entries(byWord).map(([word, lines]) => `${word})\n${lines}\n;;`);
  return `case "$1" in\n${cases.join("\n")}\n*) echo "error: unknown words: $*" >&2; exit 2;;\nesac`;
}

/** `claude` as it ends a call: standard input is read, then these objects are printed. */
export function printsEvents(...events: readonly object[]): string {
  return `cat > /dev/null\n${events.map((event) => `cat <<'END'\n${JSON.stringify(event)}\nEND`).join("\n")}`;
}

/** The end of a good run of claude. */
export const goodResult = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "ready",
  num_turns: 1,
  session_id: "s-1",
  total_cost_usd: 0.0021,
  modelUsage: { "claude-haiku": { inputTokens: 30, outputTokens: 4 } },
};

/** The end of a run of claude that the API refused. */
export function failedResult(status: number, result: string): object {
  return { ...goodResult, is_error: true, api_error_status: status, result, total_cost_usd: 0, modelUsage: {} };
}

export function makeAsking(t: TestContext, changes: Partial<Asking> = {}): Asking {
  return { scratch: makeFolder(t), redactor: createRedactor({}), abort: null, ...changes };
}
