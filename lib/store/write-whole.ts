import { fstatSync, writeSync } from "node:fs";

/**
 * Writes all bytes at the descriptor's position and checks the size that the file then has. On a disk that fills up
 * a write takes a part and reports no error.
 */
export function writeWhole(descriptor: number, data: string | Uint8Array): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const sizeBefore = fstatSync(descriptor).size;
  let written = 0;
  while (written < bytes.length) {
    const count = writeSync(descriptor, bytes, written, bytes.length - written, null);
    if (count === 0) throw new Error("the system wrote nothing");
    written += count;
  }
  const size = fstatSync(descriptor).size;
  if (size !== sizeBefore + bytes.length) {
    throw new Error(`expected ${sizeBefore + bytes.length} bytes after writing, found ${size}`);
  }
}
