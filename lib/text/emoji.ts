/** Pictures and what joins or colours them; arrows mean something and stay, and so do digits, `#` and `*`. */
const emoji =
  /(?![\d#*➡⬅⬆⬇↔↪↩])\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}]|[\u{1F1E6}-\u{1F1FF}]|\u200d|\ufe0e|\ufe0f|\u20e3|[✓✗✘]/gu;

/** A text with a space in place of each emoji, ticks and crosses and shortcodes such as `:mag:` among them. */
export function withoutEmoji(text: string): string {
  return text.replace(/:[a-z0-9_+-]+:/gi, " ").replace(emoji, " ");
}
