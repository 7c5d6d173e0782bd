/** True if ASSUMPTIONS.md has no text yet, so that its head is due. */
export function isFirstAssumption(before: string | null): boolean {
  return (before ?? "").replace(/^\uFEFF/, "").trim() === "";
}

/**
 * `text` as it is added at the end of ASSUMPTIONS.md: behind one blank line, and with the line endings of what is
 * there, which keeps every byte. `before` is null if there is no file.
 */
export function addToAssumptions(before: string | null, text: string): string {
  const there = before ?? "";
  const gap = isFirstAssumption(before) ? "" : /\n\r?\n$/.test(there) ? "" : there.endsWith("\n") ? "\n" : "\n\n";
  return `${gap}${text.trim()}\n`.replaceAll("\n", there.includes("\r\n") ? "\r\n" : "\n");
}
