/** The same text alone: what is cut out of a longer one keeps all of that in memory. It must be one that UTF-8 can hold. */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
