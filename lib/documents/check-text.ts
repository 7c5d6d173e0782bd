import { isUtf8 } from "node:buffer";
import { errorFinding, type Finding } from "../text/finding.ts";
import { findMergeMark } from "../text/merge-marks.ts";
import { placeOf } from "../text/redact.ts";
import { findCostlyMarkdown, type TextProblem } from "./markdown-cost.ts";
import { withPlainSpaces } from "./wide-space.ts";

export interface TextLimits {
  /** Of the file on disk. */
  readonly maxBytes: number;
  /** In UTF-16 code units. */
  readonly maxLineLength: number;
  readonly maxLines: number;
}

/** STATE.md, README.md, TASKS.md and DECISIONS.md. */
export const taskFileLimits: TextLimits = { maxBytes: 64 * 1024, maxLineLength: 4_000, maxLines: 4_000 };

/** EVIDENCE.md holds tables that grow with each pass. */
export const evidenceLimits: TextLimits = { ...taskFileLimits, maxBytes: 256 * 1024 };

export type CheckedText =
  | { readonly kind: "text"; readonly text: string; readonly bom: boolean; readonly findings: readonly [] }
  | { readonly kind: "bad"; readonly findings: readonly Finding[] };

/**
 * Judges bytes before any parser sees them. A text that passes is valid UTF-8 without a byte-order mark (`bom` says
 * whether one was there), has no character that programs read in different ways, and costs the Markdown parser less
 * than a second: several constructs take it quadratic time, so their number is bounded here.
 */
export function checkText(bytes: Buffer, file: string, limits: TextLimits = taskFileLimits): CheckedText {
  if (bytes.length > limits.maxBytes) {
    const size = `${Math.ceil(bytes.length / 1024)} KiB`;
    const most = `${Math.floor(limits.maxBytes / 1024)} KiB`;
    const fix = "move the long parts to files under artifacts/ and link them";
    return bad("TP_TEXT_TOO_BIG", `the file has ${size}; the limit is ${most}`, { file, fix });
  }
  if (!isUtf8(bytes)) return notUtf8(bytes, file);
  const decoded = bytes.toString("utf8");
  const bom = decoded.startsWith("\uFEFF");
  const text = bom ? decoded.slice(1) : decoded;
  const merge = findMergeMark(text, file);
  if (merge !== null) return bad("TP_MERGE", merge.message, { file, line: merge.line, column: 1, fix: merge.fix });
  const problem = findOddCharacter(text) ?? findLongText(text, limits) ?? findCostlyMarkdown(withPlainSpaces(text));
  if (problem === null) return { kind: "text", text, bom, findings: [] };
  const { line, column } = placeOf(text, problem.offset);
  return bad(problem.code, problem.message, { file, line, column, fix: problem.fix });
}

function bad(code: string, message: string, place: Parameters<typeof errorFinding>[2]): CheckedText {
  return { kind: "bad", findings: [errorFinding(code, message, place)] };
}

function notUtf8(bytes: Buffer, file: string): CheckedText {
  const fix = "save the file as UTF-8";
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return bad("TP_TEXT_ENCODING", "the file is UTF-16; UTF-8 is expected", { file, line: 1, column: 1, fix });
  }
  const decoded = bytes.toString("utf8");
  // The first byte that is not UTF-8 decodes to U+FFFD; a U+FFFD that was in the file encodes to itself.
  let at = decoded.indexOf("\uFFFD");
  while (at !== -1 && startsWithReplacement(bytes, Buffer.byteLength(decoded.slice(0, at)))) {
    at = decoded.indexOf("\uFFFD", at + 1);
  }
  const place = placeOf(decoded, Math.max(at, 0));
  return bad("TP_TEXT_ENCODING", "the file is not valid UTF-8 from here on", { file, ...place, fix });
}

function startsWithReplacement(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}

/** NUL and second line-break characters: editors, git and parsers disagree on where a line with them ends. */
function findOddCharacter(text: string): TextProblem | null {
  const match = /\0|\r(?!\n)|\u2028|\u2029/.exec(text);
  if (match === null) return null;
  const names: Record<string, string> = { "\0": "a NUL character", "\r": "a carriage return without a newline" };
  const code = `U+${(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const name = names[match[0]] ?? `the line separator ${code}`;
  const message = `${name} is used here, which programs read in different ways`;
  const fix = match[0] === "\r" ? "end each line with a newline" : "remove the character";
  return { code: "TP_TEXT_CHARACTER", message, offset: match.index, fix };
}

function findLongText(text: string, limits: TextLimits): TextProblem | null {
  let lines = 0;
  for (let start = 0; start <= text.length; ) {
    lines++;
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (end - start > limits.maxLineLength) {
      const message = `the line has ${end - start} characters; the limit is ${limits.maxLineLength}`;
      return { code: "TP_TEXT_LONG_LINE", message, offset: start, fix: "break the line" };
    }
    if (lines > limits.maxLines) {
      const message = `the file has more than ${limits.maxLines} lines`;
      const fix = "move the long parts to files under artifacts/";
      return { code: "TP_TEXT_MANY_LINES", message, offset: start, fix };
    }
    start = end + 1;
  }
  return null;
}
