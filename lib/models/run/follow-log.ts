import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** How long a line may lie there unread. */
const pollMs = 500;
/** Read at a time: a log that grows faster is read later, and memory does not grow with it. */
const chunkBytes = 256 * 1024;

/**
 * Hands over what is appended to a file, which may appear late, while a CLI runs. It is the CLI's own, so a link or a
 * special file in its place is passed over. Gives what ends it.
 */
export function followLog(path: string, take: (chunk: Uint8Array) => void): () => void {
  let offset = 0;
  const timer = setInterval(() => {
    const chunk = readFrom(path, offset);
    offset += chunk.length;
    if (chunk.length > 0) take(chunk);
  }, pollMs);
  return () => clearInterval(timer);
}

/** Nothing, if the file cannot be read: its CLI then tells as little as one without a log. */
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
