import type { CliError } from "./adapter.ts";
import { readMeaning, readWait } from "./limits.ts";

/** A wait that is as long is no pause between two tries: its own are shorter until it has failed seven times. */
const longestWaitMs = 60_000;
/** Events that follow at once mean that the line was not about a wait, such as one that a tool printed. */
const settleMs = 2_000;

export interface QwenLog {
  /** As `CliReader.errorLine`. */
  takeLine(line: string, now: number): number | null;
  /** The provider's last refusal; null if it refused nothing. */
  readonly refused: CliError | null;
}

/**
 * Qwen Code's debug log, seen as 0.24.4: the one place that tells of a call that is tried again. An entry names the
 * status and the wait, and the lines below it the provider's words:
 *
 *     2026-11-23T06:12:32.231Z [WARN] [RETRY] Attempt 1 failed with status 429. Retrying after explicit delay of 600000ms... {
 *     } Error: 429 Rate limit reached for requests. Please try again in 600s.
 *
 * When these tries are used up, another layer goes on for an hour: `[QWEN_CODE_CHAT] Rate limit retry scheduled {`, with
 * its wait as `retryDelayMs: 60000,` below.
 */
export function readQwenLog(): QwenLog {
  let refused: CliError | null = null;
  let entry: { readonly status: number | null; readonly waitMs: number } | null = null;
  let scheduled = false;
  const refuse = (words: string, now: number): number | null => {
    if (entry === null) return null;
    const { status, waitMs } = entry;
    entry = null;
    const resetAt = waitMs >= longestWaitMs ? now + waitMs : readWait(words, now);
    const error = { message: words, status, type: null, resetAt };
    const meaning = readMeaning(error, []);
    if (meaning !== "quota" && meaning !== "rate_limit" && meaning !== "overloaded") return null;
    refused = error;
    return meaning === "quota" || (resetAt ?? now) - now >= longestWaitMs ? settleMs : null;
  };
  return {
    get refused() {
      return refused;
    },
    takeLine(line, now) {
      const head = /^\d{4}-\S+Z \[\w+\] \[(\w+)\](?: \[trace_id=[^\]]*\])? (.*)/.exec(line.slice(0, 2_000));
      if (head !== null) {
        const [, tag, text = ""] = head;
        entry = tag === "RETRY" ? readRetry(text) : null;
        scheduled = tag === "QWEN_CODE_CHAT" && text.startsWith("Rate limit retry scheduled");
        return null;
      }
      const words = /^\} (?:\w*Error): (.+)/.exec(line)?.[1];
      if (words !== undefined) return refuse(words, now);
      const waitMs = scheduled ? /^ {2}retryDelayMs: (\d{1,12})\b/.exec(line)?.[1] : undefined;
      return waitMs !== undefined && Number(waitMs) >= longestWaitMs && refused !== null ? settleMs : null;
    },
  };
}

function readRetry(text: string): { readonly status: number | null; readonly waitMs: number } | null {
  const failed = /^Attempt \d+ failed(?: with status (\d{3}))?\. Retrying (.*)/.exec(text);
  if (failed === null) return null;
  const explicit = /^after explicit delay of (\d{1,12})ms\b/.exec(failed[2] ?? "")?.[1];
  return { status: failed[1] === undefined ? null : Number(failed[1]), waitMs: Number(explicit ?? 0) };
}
