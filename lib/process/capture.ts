import { closeSync, constants, openSync, rmSync, writeFileSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { diskError } from "../text/errors.ts";
import type { Redactor } from "../text/redact.ts";

export interface CapturedStream {
  /** Written by the process. */
  readonly bytes: number;
  /** In the file, after redaction. */
  readonly keptBytes: number;
  readonly cut: boolean;
}

/** Redacts raw output into a file, and cuts the middle if it is too long. */
export interface Capture {
  write(chunk: Uint8Array): void;
  /** A line of the runner's before or after all output; not counted, never cut. */
  remark(text: string): void;
  failed(): boolean;
  end(): CapturedStream;
  /** The end of the output, redacted, at most 64 KiB, from memory that no other process can change. After `end`. */
  tail(): string;
  /** After `end`. Throws the first error of the disk. */
  close(): void;
}

const tailBytes = 64 * 1024;
/** Dropped at the seam, which may leave a secret's end: longer than any secret that a stream holds back. */
const seamBytes = 80 * 1024;
const pieceBytes = 64 * 1024;

/** Writes the first half of `capBytes` at once, the last half at the end. */
export function openCapture(path: string, capBytes: number, redactor: Redactor): Capture {
  const file = openLogFile(path);
  const endBytes = Math.ceil(capBytes / 2);
  let headLeft = Math.max(0, capBytes - endBytes);
  let decoder = new StringDecoder("utf8");
  let redaction = redactor.stream();
  const ending = createByteRing(endBytes);
  const newest = createByteRing(tailBytes);
  // Output beyond the cap is mostly discarded: keep it raw, and redact at the end.
  const raw = createByteRing(endBytes + seamBytes);
  let bytes = 0;
  let writtenBytes = 0;
  /** Bytes of output left out. */
  let skipped = 0;

  const emit = (text: string): void => {
    const whole = Buffer.from(text, "utf8");
    const output = whole.subarray(skipped);
    skipped = Math.max(0, skipped - whole.length);
    newest.push(output);
    const head = output.subarray(0, wholeCharacters(output, headLeft));
    headLeft = head.length < output.length ? 0 : headLeft - head.length;
    file.write(head);
    writtenBytes += head.length;
    ending.push(output.subarray(head.length));
  };
  const write = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (ending.dropped() > 0) raw.push(chunk);
    else emit(redaction.push(decoder.write(chunk)));
  };
  const end = (): CapturedStream => {
    const gap = raw.dropped() > 0;
    if (gap) {
      decoder = new StringDecoder("utf8");
      redaction = redactor.stream();
      ending.clear();
      newest.clear();
      skipped = seamBytes;
    }
    // In pieces: megabytes at once would be held four times.
    for (const piece of raw.views().flatMap(cutPieces)) emit(redaction.push(decoder.write(piece)));
    emit(redaction.push(decoder.end()) + redaction.end());
    const cut = gap || ending.dropped() > 0;
    const last = fromWholeCharacter(ending.views(), cut);
    const keptBytes = writtenBytes + last.reduce((sum, view) => sum + view.length, 0);
    if (cut) file.write(Buffer.from(`\n[task-phase: ${Math.max(1, bytes - keptBytes)} bytes cut here]\n`));
    for (const view of last) file.write(view);
    return { bytes, keptBytes, cut };
  };
  return {
    write,
    remark: (text) => file.write(Buffer.from(redactor.redact(text), "utf8")),
    failed: file.failed,
    end,
    tail: () => Buffer.concat(fromWholeCharacter(newest.views(), newest.dropped() > 0)).toString("utf8"),
    close: file.close,
  };
}

function cutPieces(view: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(view.length / pieceBytes) }, (_, index) =>
    view.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
}

/** The longest prefix of at most `limit` bytes that splits no character. */
function wholeCharacters(text: Buffer, limit: number): number {
  if (text.length <= limit) return text.length;
  let end = limit;
  while (end > 0 && isContinuation(text[end])) end -= 1;
  return end;
}

function fromWholeCharacter(views: readonly Buffer[], cut: boolean): readonly Buffer[] {
  const [first, ...rest] = views;
  if (!cut || first === undefined) return views;
  let start = 0;
  while (start < first.length && isContinuation(first[start])) start += 1;
  return start < first.length ? [first.subarray(start), ...rest] : fromWholeCharacter(rest, cut);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The last bytes of a stream in fixed memory. */
interface ByteRing {
  push(bytes: Uint8Array): void;
  /** Oldest first: views of the ring, valid until the next call. */
  views(): Buffer[];
  dropped(): number;
  clear(): void;
}

export function createByteRing(capacity: number): ByteRing {
  // Allocated at the first byte: most streams need none.
  let memory: Buffer | null = null;
  let pushed = 0;

  const push = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    memory ??= Buffer.allocUnsafeSlow(capacity);
    const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
    const from = (pushed + bytes.length - kept.length) % Math.max(1, capacity);
    const first = kept.subarray(0, capacity - from);
    memory.set(first, from);
    memory.set(kept.subarray(first.length), 0);
    pushed += bytes.length;
  };
  const views = (): Buffer[] => {
    if (memory === null) return [];
    if (pushed <= capacity) return [memory.subarray(0, pushed)];
    const start = pushed % capacity;
    return [memory.subarray(start), memory.subarray(0, start)];
  };
  const clear = (): void => {
    pushed = 0;
  };
  return { push, views, dropped: () => Math.max(0, pushed - capacity), clear };
}

/**
 * A new file in the place of what is at the path, which may be a link or a FIFO by now. Not durable; `close` throws the
 * first error of the disk.
 */
function openLogFile(path: string): { write(bytes: Uint8Array): void; failed(): boolean; close(): void } {
  let failure: unknown = null;
  const attempt = (work: () => void): void => {
    if (failure !== null) return;
    try {
      work();
    } catch (error) {
      failure = error;
    }
  };
  let descriptor = -1;
  attempt(() => {
    rmSync(path, { force: true });
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  });
  return {
    write: (bytes) => attempt(() => writeFileSync(descriptor, bytes)),
    failed: () => failure !== null,
    close: () => {
      if (descriptor >= 0) closeSync(descriptor);
      descriptor = -1;
      if (failure === null) return;
      const fix = "free some space, or give this user permission to write there, then run it again";
      const message = `cannot keep the output of a program: ${(failure as Error).message}`;
      throw diskError("TP_DISK", message, { file: path, fix }, failure);
    },
  };
}
