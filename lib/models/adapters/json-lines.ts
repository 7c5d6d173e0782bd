import { type JsonObject, parseObject } from "../../text/json-object.ts";

/** A line may contain a whole file that the agent read; what is longer is not kept, so that memory does not grow. */
const longestLine = 8 * 1024 * 1024;
/** So much of a line tells what it is: every beginning that is asked for is shorter. */
const headBytes = 128;
const lineEnd = 0x0a;

export interface JsonLines {
  write(chunk: Uint8Array): void;
  /** The last line may lack its line end. */
  end(): void;
}

/**
 * Hands over each line that is a JSON object, in order, however the chunks cut it. Everything else is passed over: CLIs
 * also print plain text. Lines that begin with one of `skips` are passed over unread. Of a line that is too long to be
 * kept only its `type` is told, if it begins with that.
 */
export function readJsonLines(take: (value: JsonObject) => void, skips: readonly string[] = []): JsonLines {
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
    const value = !wanted ? null : length <= longestLine ? parseObject(wholeText(parts)) : typeOnly(head);
    startLine();
    if (value !== null) take(value);
  };
  return {
    write(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, start)) {
        add(chunk.subarray(start, at));
        finishLine();
        start = at + 1;
      }
      // Copied: the chunk is its owner's again when this returns.
      if (start < chunk.length) add(Buffer.from(chunk.subarray(start)));
    },
    end: finishLine,
  };
}

/** Decoded as a whole: a chunk may end within a character. */
function wholeText(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString("utf8");
}

function typeOnly(head: string): JsonObject | null {
  const type = /^\{"type":\s?"([\w./-]+)"/.exec(head)?.[1];
  return type === undefined ? null : { type };
}

/** A finite number of 0 or more; null for everything else. */
export function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Null only if both are. */
export function addAmounts(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : one + other;
}

/** A name such as a session's; null for what no CLI makes up: too long, or with other characters than names have. */
export function idOf(value: unknown): string | null {
  return typeof value === "string" && /^[\w.:-]{1,128}$/.test(value) ? value : null;
}
