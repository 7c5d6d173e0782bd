/** The last bytes of a stream, in memory that does not grow. */
export interface ByteRing {
  push(bytes: Uint8Array): void;
  /** A copy of what is kept, oldest first. */
  bytes(): Buffer;
  /** Bytes that were pushed out. */
  dropped(): number;
}

export function createByteRing(capacity: number): ByteRing {
  // Made at the first byte: most streams never need theirs.
  let memory: Buffer | null = null;
  let pushed = 0;

  const push = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    memory ??= Buffer.allocUnsafe(capacity);
    const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
    const from = (pushed + bytes.length - kept.length) % Math.max(1, capacity);
    const first = kept.subarray(0, capacity - from);
    memory.set(first, from);
    memory.set(kept.subarray(first.length), 0);
    pushed += bytes.length;
  };
  const bytes = (): Buffer => {
    if (memory === null) return Buffer.alloc(0);
    if (pushed <= capacity) return Buffer.from(memory.subarray(0, pushed));
    const start = pushed % capacity;
    return Buffer.concat([memory.subarray(start), memory.subarray(0, start)]);
  };
  return { push, bytes, dropped: () => Math.max(0, pushed - capacity) };
}
