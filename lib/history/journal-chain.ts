import { addEvent } from "../rules/add-event.ts";
import type { TaskEvent } from "../rules/events.ts";
import { emptyHistory, type TaskHistory } from "../rules/history.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";

/** Throws a data error that names the line. */
export type ParseJournal = (bytes: Buffer, path: string) => { readonly events: readonly TaskEvent[] };

/** A journal, read once however many commits hold a beginning of it. */
export interface Chain {
  readonly bytes: Buffer;
  readonly events: readonly TaskEvent[];
  readonly ends: readonly number[];
  /** The history after that many events, from 0 on. */
  readonly histories: readonly TaskHistory[];
  /** Digest of each line, which covers all lines before it. */
  readonly heads: readonly string[];
  readonly broken: { readonly line: number; readonly problem: string } | null;
}

/** The part of a chain in one commit. */
export interface JournalVersion {
  readonly chain: Chain;
  readonly length: number;
  readonly count: number;
  readonly problem: { readonly line: number; readonly text: string } | null;
}

export function readChain(bytes: Buffer, path: string, parse: ParseJournal): Chain {
  const parsed = readAsFarAs(bytes, path, parse);
  const events: TaskEvent[] = [];
  const histories: TaskHistory[] = [emptyHistory];
  let { broken } = parsed;
  for (const event of parsed.events) {
    try {
      histories.push(addEvent(histories.at(-1) ?? emptyHistory, event));
      events.push(event);
    } catch (error) {
      // A foreign journal may hold any value below the keys that reading checks.
      broken = { line: events.length + 1, problem: `the event is inconsistent: ${(error as Error).message}` };
      break;
    }
  }
  const ends = lineEnds(bytes, events.length);
  const heads = ends.map((end, index) => sha256(bytes.subarray(ends[index - 1] ?? 0, end - 1)));
  return { bytes, events, ends, histories, heads, broken };
}

export function versionOf(chain: Chain, length: number): JournalVersion {
  const count = upTo(chain.ends, length);
  const end = count === 0 ? 0 : (chain.ends[count - 1] ?? 0);
  const problem =
    length === 0
      ? { line: 1, text: "the journal is empty" }
      : end === length
        ? null
        : chain.broken !== null && count === chain.events.length
          ? { line: chain.broken.line, text: chain.broken.problem }
          : { line: count + 1, text: "the last line of the journal is incomplete" };
  return { chain, length, count, problem };
}

export function isPrefix(start: JournalVersion, whole: JournalVersion): boolean {
  if (start.length > whole.length) return false;
  if (start.chain === whole.chain) return true;
  return start.chain.bytes.subarray(0, start.length).equals(whole.chain.bytes.subarray(0, start.length));
}

export function sharedEvents(a: JournalVersion, b: JournalVersion): number {
  const most = Math.min(a.count, b.count);
  let count = 0;
  while (count < most && a.chain.heads[count] === b.chain.heads[count]) count++;
  return count;
}

function readAsFarAs(
  bytes: Buffer,
  path: string,
  parse: ParseJournal,
): { events: readonly TaskEvent[]; broken: Chain["broken"] } {
  let broken: Chain["broken"] = null;
  for (let part = bytes; part.length > 0; ) {
    try {
      return { events: parse(part, path).events, broken };
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      const [finding] = error.findings;
      broken = { line: finding?.line ?? 1, problem: finding?.message ?? error.message };
      const shorter = lineEnds(part, broken.line - 1).at(-1) ?? 0;
      // Each turn drops at least the wrong line.
      part = part.subarray(0, Math.min(shorter, part.length - 1));
    }
  }
  return { events: [], broken };
}

function lineEnds(bytes: Buffer, count: number): number[] {
  const ends: number[] = [];
  let at = 0;
  while (ends.length < count) {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) break;
    at = end + 1;
    ends.push(at);
  }
  return ends;
}

function upTo(ends: readonly number[], length: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= length) low = middle + 1;
    else high = middle;
  }
  return low;
}
