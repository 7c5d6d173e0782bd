import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { JsonObject } from "../../text/json-object.ts";
import type { CliReader } from "../adapters/adapter.ts";
import type { ModelRun } from "./model-run.ts";

/** Ends a CLI that reported a refusal and is then silent longer than its reader allows. */
export function watchWaiting(reader: Pick<CliReader, "errorLine">, { abort, now }: Pick<ModelRun, "abort" | "now">) {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const goesOn = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const takeLine = (line: string): void => {
    const silentMs = reader.errorLine?.(line, now().getTime()) ?? null;
    if (silentMs === null) return;
    goesOn();
    timer = setTimeout(() => stop.abort(), silentMs);
  };
  const errors = readTextLines(takeLine);
  return {
    /** Aborts the run if the call was aborted, or if the CLI only waits for its provider. */
    abort: abort === null ? stop.signal : AbortSignal.any([abort, stop.signal]),
    /** Output means more than waiting. */
    goesOn,
    takeError(chunk: Uint8Array) {
      goesOn();
      errors(chunk);
    },
    /** The log continues during a wait. */
    takeLog: readTextLines(takeLine),
    end() {
      goesOn();
      return stop.signal.aborted && abort?.aborted !== true;
    },
  };
}

/** Kept of a line, to bound memory. */
const longestLine = 64 * 1024;

/** Hands over each whole line, in order, however the chunks cut it; of a long one its beginning. */
export function readTextLines(take: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    rest = (rest + first).slice(0, longestLine);
    for (const line of others) {
      take(rest);
      rest = line.slice(0, longestLine);
    }
  };
}

const pollMs = 500;
/** Bounds memory for a fast-growing log. */
const chunkBytes = 256 * 1024;

/** The file may appear late. Skips links and special files. Returns a function that ends it. */
export function followLog(path: string, take: (chunk: Uint8Array) => void): () => void {
  let offset = 0;
  const timer = setInterval(() => {
    const chunk = readFrom(path, offset);
    offset += chunk.length;
    if (chunk.length > 0) take(chunk);
  }, pollMs);
  return () => clearInterval(timer);
}

/** Empty if the file cannot be read, as if there were no log. */
function readFrom(path: string, offset: number): Uint8Array {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) return new Uint8Array();
    const buffer = Buffer.alloc(chunkBytes);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, chunkBytes, offset));
  } catch {
    return new Uint8Array();
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

const telling = new Set([
  "text",
  "content",
  "result",
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "url",
]);
const others = /^(?:user|system|tool|tool_result|function_call_output|tool_execution_end)$/;

/** The last words or action of the agent in an event. For the live status line only: no verdict depends on it. */
export function saidIn(value: unknown, depth = 7): string | null {
  if (depth === 0 || typeof value !== "object" || value === null) return null;
  const { type, role } = value as JsonObject;
  if ([type, role].some((word) => typeof word === "string" && others.test(word))) return null;
  for (const [key, inner] of Object.entries(value).reverse()) {
    const said =
      typeof inner === "string" ? (telling.has(key) && inner.trim() !== "" ? inner : null) : saidIn(inner, depth - 1);
    if (said !== null) return said;
  }
  return null;
}
