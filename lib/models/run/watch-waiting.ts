import type { CliReader } from "../adapters/adapter.ts";
import { readTextLines } from "../adapters/text-lines.ts";
import type { ModelRun } from "./model-run.ts";

export interface Waiting {
  /** Aborts the run if the call was aborted, or if the CLI does nothing but wait for its provider. */
  readonly abort: AbortSignal | null;
  /** It said something: it does more than wait. */
  goesOn(): void;
  takeError(chunk: Uint8Array): void;
  /** Of its log, which goes on while it only waits. */
  takeLog(chunk: Uint8Array): void;
  /** True if the CLI was ended because it only waited. */
  end(): boolean;
}

/** Ends a CLI that was refused, by its own words, and is silent for as long as its reader lets it. */
export function watchWaiting(
  reader: Pick<CliReader, "errorLine">,
  { abort, now }: Pick<ModelRun, "abort" | "now">,
): Waiting {
  if (reader.errorLine === undefined) return { abort, goesOn() {}, takeError() {}, takeLog() {}, end: () => false };
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
    abort: abort === null ? stop.signal : AbortSignal.any([abort, stop.signal]),
    goesOn,
    takeError(chunk) {
      goesOn();
      errors(chunk);
    },
    takeLog: readTextLines(takeLine),
    end() {
      goesOn();
      return stop.signal.aborted && abort?.aborted !== true;
    },
  };
}
