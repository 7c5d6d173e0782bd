import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { CommandResult } from "./command.ts";
import { makeEnvelope } from "./envelope.ts";
import type { Io } from "./io.ts";
import type { Words } from "./read-words.ts";
import { findingLine, wantsColor, writeLines } from "./render.ts";

/** stdout gets the answer, stderr the story. Quiet: errors, or the story of a bad end that has no error of its own. */
export function reportResult(result: CommandResult, words: Words, io: Io): void {
  const color = wantsColor(io.stderr, io.env, words.noColor);
  const errors = result.findings.filter((finding) => finding.severity === "error");
  if (result.tells === "nothing") {
    // Said by the exit code alone, and by the JSON object.
  } else if (result.tells === "errors") {
    writeLines(io.stderr, errors.map(findingLine), color);
  } else if (!words.quiet) {
    writeLines(io.stderr, [...untold(result).map(findingLine), ...result.story], color);
  } else if (!isQuietEnd(result.exitName)) {
    writeLines(io.stderr, errors.map(findingLine), color);
    if (errors.length === 0) writeLines(io.stderr, result.story, color);
  }
  if (words.json) {
    const envelope = makeEnvelope(words.command, result.exitName, result.findings, result.json);
    io.stdout.write(`${JSON.stringify(envelope)}\n`);
  } else if (!words.quiet) writeLines(io.stdout, result.answer, wantsColor(io.stdout, io.env, words.noColor));
}

function isQuietEnd(exitName: ExitName): boolean {
  return exitName === "ok" || exitName === "locked";
}

function untold({ findings, told = [] }: CommandResult): readonly Finding[] {
  const known = new Set(told.map((finding) => JSON.stringify(finding)));
  return findings.filter((finding) => !known.has(JSON.stringify(finding)));
}
