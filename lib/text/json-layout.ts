import { sha256 } from "./sha256.ts";

/**
 * Whether JSON is the text with a digest, or that text as a formatter laid it out: with other space between the tokens,
 * and no other token. `rewrite`: the text as the runner writes what is in `bytes`.
 */
export function isSameButLayout(bytes: Buffer, digest: string, rewrite: () => string): boolean {
  if (sha256(bytes) === digest) return true;
  const text = rewrite();
  // Since the values are the same, space inside of them is, too.
  return sha256(text) === digest && withoutSpace(text) === withoutSpace(bytes.toString("utf8"));
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}
