import type { LoopKeys } from "../rules/shapes/reports/run.ts";
import { emptyRun } from "../task/request.ts";
import { type ExitName, exitCodes } from "../text/exit-codes.ts";
import type { Finding } from "../text/finding.ts";
import type { CommandResult, Listing } from "./command.ts";
import type { Words } from "./flag-values.ts";
import type { Io, OutputStream } from "./io.ts";
import { type Line, renderLine } from "./paint.ts";
import { findingLine, wantsColor, writeLines } from "./write-lines.ts";

/** stdout gets the answer, stderr the story. Quiet: errors, or the story of a bad end that has no error of its own. */
export async function reportResult(result: CommandResult, words: Words, io: Io): Promise<void> {
  const color = wantsColor(io.stderr, io.env, words.noColor);
  const errors = result.findings.filter((finding) => finding.severity === "error");
  if (result.tells === "nothing") {
    // Said by the exit code alone, and by the JSON object.
  } else if (result.tells === "errors") {
    writeLines(io.stderr, errors.map(findingLine), color);
  } else if (!words.quiet) {
    writeLines(io.stderr, [...untold(result).map(findingLine), ...(result.story ?? [])], color);
  } else if (result.exitName !== "ok" && result.exitName !== "locked") {
    writeLines(io.stderr, errors.map(findingLine), color);
    if (errors.length === 0) writeLines(io.stderr, result.story ?? [], color);
  }
  if (words.json) {
    const envelope = makeEnvelope(words.command, result.exitName, result.findings, result.json);
    await writePieces(io.stdout, jsonPieces(envelope, await openListings(envelope)));
  } else if (!words.quiet) {
    const { answer } = result;
    const lines = typeof answer === "function" ? await answer() : answer;
    await writePieces(io.stdout, renderLines(lines, wantsColor(io.stdout, io.env, words.noColor)));
  }
}

type Json = Readonly<Record<string, unknown>>;

async function openListings(json: Json): Promise<ReadonlyMap<string, Iterable<unknown>>> {
  const opened = new Map<string, Iterable<unknown>>();
  for (const [key, value] of Object.entries(json)) if (isListing(value)) opened.set(key, await value());
  return opened;
}

function isListing(value: unknown): value is Listing<unknown> {
  return typeof value === "function";
}

/** As JSON.stringify writes the object, with a newline. */
function* jsonPieces(json: Json, listings: ReadonlyMap<string, Iterable<unknown>>): Generator<string, void> {
  let before = "{";
  for (const [key, value] of Object.entries(json)) {
    const items = listings.get(key);
    if (items === undefined && value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (items === undefined) yield JSON.stringify(value);
    else yield* listPieces(items);
  }
  yield before === "{" ? "{}\n" : "}\n";
}

function* listPieces(items: Iterable<unknown>): Generator<string, void> {
  let before = "[";
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function* renderLines(lines: Iterable<Line>, color: boolean): Generator<string, void> {
  for (const line of lines) yield `${renderLine(line, color)}\n`;
}

function untold({ findings, told = [] }: CommandResult): readonly Finding[] {
  const known = new Set(told.map((finding) => JSON.stringify(finding)));
  return findings.filter((finding) => !known.has(JSON.stringify(finding)));
}

/** Characters per write, enough to be worth a system call. */
const mostAtOnce = 64 * 1024;

/** Writes pieces as they are made, and no faster than they are taken. Ends early if the reader has gone. */
export async function writePieces(stream: OutputStream, pieces: Iterable<string>): Promise<void> {
  let waiting = "";
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < mostAtOnce) continue;
    const isTaken = await put(stream, waiting);
    if (!isTaken) return;
    waiting = "";
  }
  if (waiting !== "") stream.write(waiting);
}

/** Resolves when the stream takes more: false if it never will. The end of the process reports the error. */
async function put(stream: OutputStream, text: string): Promise<boolean> {
  const { once, off } = stream;
  if (stream.write(text) !== false || once === undefined || off === undefined) return true;
  return await new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      for (const [name, listener] of listeners) off.call(stream, name, listener);
      resolve(isTaken);
    };
    const listeners = [
      ["drain", () => end(true)],
      ["error", () => end(false)],
      ["close", () => end(false)],
    ] as const;
    for (const [name, listener] of listeners) once.call(stream, name, listener);
  });
}

/** The one JSON object of a call. `facts` are the command's own keys; they never replace the exit and the findings. */
export function makeEnvelope(
  command: string | null,
  exitName: ExitName,
  findings: readonly Finding[],
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const end = { exit_code: exitCodes[exitName], exit_name: exitName, findings };
  if (command === "run") return { ...emptyRun(exitName, findings), ...facts, ...end };
  if (command === "loop") return { ...emptyRun(exitName, findings), ...emptyLoop, ...facts, ...end };
  return { command, ...end, ...facts, ...end };
}

/** The keys that `loop --json` prints besides those of its last pass. */
const emptyLoop: Omit<LoopKeys, "next_eligible_at"> = {
  run_id: null,
  iteration: 0,
  passes: [],
  spent_usd: null,
  report: null,
};
