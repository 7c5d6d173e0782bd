/** East Asian wide and full-width characters, and pictures, fill two cells; in doubt two. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Extended_Pictographic}/u;
const none = /[\p{Mn}\p{Me}]/u;

export function cellsOf(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + widthOf(character), 0);
}

/** The text, or its beginning with `…` if it is longer than `most` (at least one). */
export function fitCells(text: string, most: number): string {
  if (text.length * 2 <= most || cellsOf(text) <= most) return text;
  let left = most - 1;
  let kept = "";
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

function widthOf(character: string): number {
  if (character >= " " && character <= "~") return 1;
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Pictures and their modifiers. Arrows, digits, `#` and `*` have meaning and stay. */
const emoji =
  /(?![\d#*➡⬅⬆⬇↔↪↩])\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}]|[\u{1F1E6}-\u{1F1FF}]|\u200d|\ufe0e|\ufe0f|\u20e3|[✓✗✘]/gu;

/** Replaces emoji, ticks, crosses and shortcodes such as `:mag:` by spaces. */
export function withoutEmoji(text: string): string {
  return text.replace(/:[a-z0-9_+-]+:/gi, " ").replace(emoji, " ");
}
