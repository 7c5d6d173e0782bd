import { type JsonObject, parseObject } from "../../text/json-object.ts";
import type { CliError, CliReport } from "./adapter.ts";

/** A line may contain a whole file; longer ones are dropped to bound memory. */
const longestLine = 8 * 1024 * 1024;
/** Longer than every beginning asked for. */
const headBytes = 128;
const lineEnd = 0x0a;

/**
 * Hands over each line that is a JSON object, in order, however the chunks cut it. Skips other text, and unread those
 * that begin with one of `skips`. Of an oversized line, hands over only a leading `type`.
 */
export function readJsonLines(take: (value: JsonObject) => void, skips: readonly string[] = []) {
  let parts: Uint8Array[] = [];
  let length = 0;
  let head = "";
  let wanted = true;
  const startLine = (): void => {
    parts = [];
    length = 0;
    head = "";
    wanted = true;
  };
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (head.length < headBytes) {
      head += Buffer.from(piece.subarray(0, headBytes - head.length)).toString("latin1");
      if (head !== "" && !head.startsWith("{")) wanted = false;
      if (skips.some((beginning) => head.startsWith(beginning))) wanted = false;
    }
    if (wanted && length <= longestLine) parts.push(piece);
    else parts = [];
  };
  const finishLine = (): void => {
    // Decoded as a whole, since a chunk may end within a character.
    const whole = length <= longestLine ? Buffer.concat(parts).toString("utf8") : null;
    const value = !wanted ? null : whole === null ? typeOnly(head) : parseObject(whole);
    startLine();
    if (value !== null) take(value);
  };
  return {
    write(chunk: Uint8Array): void {
      let start = 0;
      for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, start)) {
        add(chunk.subarray(start, at));
        finishLine();
        start = at + 1;
      }
      // Copied: the caller reuses the chunk.
      if (start < chunk.length) add(Buffer.from(chunk.subarray(start)));
    },
    /** The last line may lack its line end. */
    end: finishLine,
  };
}

function typeOnly(head: string): JsonObject | null {
  const type = /^\{"type":\s?"([\w./-]+)"/.exec(head)?.[1];
  return type === undefined ? null : { type };
}

/** No call uses more dollars or tokens, and sums of such amounts stay finite. */
export const mostUsed = 1e12;

/** A number from 0 to `mostUsed`. */
export function amountOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= mostUsed ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function addAmounts(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : one + other;
}

export const unknownTokens: CliReport["tokens"] = { input: null, output: null };

/** The report of a CLI that has said nothing yet, for its reader to fill in. */
export function startReport(): { -readonly [Key in keyof CliReport]: CliReport[Key] } {
  return {
    ...{ finalText: "", ended: false, worked: false, error: null, costUsd: null, tokens: unknownTokens },
    ...{ turns: null, sessionId: null, retries: 0 },
  };
}

export function addTokens(sum: CliReport["tokens"], input: unknown, output: unknown): CliReport["tokens"] {
  return { input: addAmounts(sum.input, amountOf(input)), output: addAmounts(sum.output, amountOf(output)) };
}

/** Of an object with the keys that most CLIs use. */
export function tokensIn(usage: JsonObject | null): CliReport["tokens"] {
  return { input: amountOf(usage?.input_tokens), output: amountOf(usage?.output_tokens) };
}

/** All zeros is no count, unless the provider refused the call. */
export function tokensUnlessCut(tokens: CliReport["tokens"], error: CliError | null): CliReport["tokens"] {
  const uncounted = tokens.input === 0 && tokens.output === 0 && error?.status === null;
  return uncounted ? unknownTokens : tokens;
}

/** The HTTP status with which an error's message begins. */
export function statusOf(message: string): number | null {
  const status = /^([45]\d\d)\b/.exec(message)?.[1];
  return status === undefined ? null : Number(status);
}

/** It reported a mistake by its exit, and no signal ended it. */
export function failedStart(exitCode: number | null): boolean {
  return exitCode !== null && exitCode !== 0 && exitCode <= 128;
}

/** A name such as a session's; null if it is too long or has other characters than CLIs use. */
export function idOf(value: unknown): string | null {
  return typeof value === "string" && /^[\w.:-]{1,128}$/.test(value) ? value : null;
}

/** At least twice what is shown, so that a cut here is never visible. */
const keptLength = 128 * 1024;

/** Bounds the memory for an answer that comes in parts. */
export function answerEnd(answer: string): string {
  return answer.length > 2 * keptLength ? answer.slice(-keptLength) : answer;
}
