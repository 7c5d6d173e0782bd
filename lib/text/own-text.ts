/** Copies a string, so that a slice no longer retains its parent. Input must be well-formed. */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
