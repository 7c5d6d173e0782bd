/** The last bytes of a stream, in memory that does not grow. */
export interface ByteRing {
  push(bytes: Uint8Array): void;
  /** What is kept, oldest first: views of the ring's own memory, which hold until the next call. */
  views(): Buffer[];
  /** Bytes that were pushed out. */
  dropped(): number;
  /** Begins anew, in the same memory. */
  clear(): void;
}

export function createByteRing(capacity: number): ByteRing {
  // Made at the first byte: most streams never need theirs.
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
