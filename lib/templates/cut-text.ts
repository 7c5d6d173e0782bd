export interface CutText {
  readonly text: string;
  /** Something was left out at the end. */
  readonly cut: boolean;
}

/** The beginning of a text, at most so many UTF-16 code units of it: whole lines if the last one allows that. */
export function cutText(text: string, most: number): CutText {
  if (text.length <= most) return { text, cut: false };
  // Half of a pair would be no character.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  const lineEnd = kept.lastIndexOf("\n");
  return { text: `${lineEnd > most / 2 ? kept.slice(0, lineEnd) : kept}\n…`, cut: true };
}
