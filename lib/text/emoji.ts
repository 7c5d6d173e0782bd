/** Pictures and their modifiers. Arrows, digits, `#` and `*` have meaning and stay. */
const emoji =
  /(?![\d#*➡⬅⬆⬇↔↪↩])\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}]|[\u{1F1E6}-\u{1F1FF}]|\u200d|\ufe0e|\ufe0f|\u20e3|[✓✗✘]/gu;

/** Replaces emoji, ticks, crosses and shortcodes such as `:mag:` by spaces. */
export function withoutEmoji(text: string): string {
  return text.replace(/:[a-z0-9_+-]+:/gi, " ").replace(emoji, " ");
}
