import { createHash } from "node:crypto";

/** The SHA-256 of the bytes, or of the text as UTF-8, as 64 lower-case hex digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
