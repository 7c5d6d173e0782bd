import * as v from "valibot";
import { orElse } from "../text/attempt.ts";
import { sha256 } from "../text/sha256.ts";
import { about, judgeShape } from "../text/shape.ts";
import { shorten } from "../text/shorten.ts";

const filled = v.pipe(
  v.string(),
  v.check((value) => value !== "", "text"),
);

export const chainShape = v.looseObject({
  seq: about(v.number(), "from 1, without a gap"),
  prev: about(v.nullable(v.string()), "SHA-256, in hex, of the line before without its newline; null in the first"),
  at: about(filled, "a time"),
  type: about(filled, "see below"),
});

type JournalEvent = v.InferOutput<typeof chainShape>;

export type Journal =
  | {
      readonly kind: "journal";
      readonly events: JournalEvent[];
      readonly head: string | null;
      /** Text after the last newline, cut off by a crash and ignored. */
      readonly torn: string | null;
    }
  | { readonly kind: "broken"; readonly line: number; readonly problem: string };

const newline = 0x0a;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A known beginning: its bytes, lines, and last digest. */
interface JournalStart {
  readonly bytes: Pick<Buffer, "length">;
  readonly seq: number;
  readonly head: string | null;
}

const nothingKnown: JournalStart = { bytes: { length: 0 }, seq: 0, head: null };

/**
 * Reads a journal behind its known beginning and checks the chain: a changed, removed, added or moved line breaks it.
 */
export function parseJournal(bytes: Buffer, known: JournalStart = nothingKnown): Journal {
  const events: JournalEvent[] = [];
  let { head } = known;
  let at = known.bytes.length;
  for (let end = bytes.indexOf(newline, at); end >= 0; end = bytes.indexOf(newline, at)) {
    const line = bytes.subarray(at, end);
    const seq = known.seq + events.length + 1;
    const read = readLine(line, seq, head);
    if (typeof read === "string") return { kind: "broken", line: seq, problem: read };
    events.push(read);
    head = sha256(line);
    at = end + 1;
  }
  return { kind: "journal", events, head, torn: at < bytes.length ? bytes.toString("utf8", at) : null };
}

/** Without a newline, and its digest. Overrides the event's own `seq` and `prev`; drops undefined values. */
export function formatEvent(
  head: string | null,
  seq: number,
  event: { readonly at: string; readonly type: string; readonly [key: string]: unknown },
): { line: string; head: string } {
  const { at, type, seq: _seq, prev: _prev, ...rest } = event;
  const line = JSON.stringify({ seq, prev: head, at, type, ...rest });
  return { line, head: sha256(line) };
}

function readLine(line: Buffer, seq: number, head: string | null): JournalEvent | string {
  const value: unknown = orElse(() => JSON.parse(decoder.decode(line)), undefined);
  if (value === undefined)
    return `expected a JSON object, found ${shorten(line.toString("utf8", 0, 200)) || "an empty line"}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "expected a JSON object";
  const event: { readonly seq?: unknown; readonly prev?: unknown } = value;
  if (event.seq !== seq) return `expected seq ${seq}, found ${shown(event.seq)}`;
  if (event.prev !== head) {
    return `the chain is broken: expected prev ${shown(head)}, the SHA-256 of the line before, found ${shown(event.prev)}`;
  }
  const read = judgeShape(chainShape, value);
  // valibot drops keys such as `constructor`, which an event of a later version may have.
  return read.kind === "read" ? { ...value, ...read.value } : read.problem;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : shorten(JSON.stringify(value), 80);
}
