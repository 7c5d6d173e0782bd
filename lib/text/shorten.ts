/**
 * What a terminal obeys or a reader does not see: C0 but newline and tab, DEL, C1, soft hyphen, Arabic letter mark,
 * zero-width and direction marks, line and paragraph separator, byte-order mark, annotation, tag and other format
 * characters, and lone surrogates. `util.stripVTControlCharacters` leaves many of these.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}\u{d800}-\u{dfff}]/gu;

/** Escapes control, direction and invisible characters as `\xNN` or `\u{NNNN}`. Newline and tab stay. */
export function escapeForTerminal(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex.padStart(4, "0")}}`;
  });
}

/** One safe line of at most `max` characters: control characters are escaped, and a cut is marked with `…`. */
export function shorten(text: string, max = 60): string {
  // Escaping only lengthens, so text far past the cut does not matter.
  const line = escapeForTerminal(text.slice(0, max * 2 + 2))
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t");
  const characters = Array.from(line);
  if (characters.length <= max) return line;
  return max < 1 ? "" : `${characters.slice(0, max - 1).join("")}…`;
}

/** The first names, up to `most`, for example `a, b and 2 more`; each shortened to `max` characters if that is given. */
export function nameSome(names: readonly string[], most: number, max?: number): string {
  const shown = names.slice(0, most).map((name) => (max === undefined ? name : shorten(name, max)));
  return `${shown.join(", ")}${names.length > most ? ` and ${names.length - most} more` : ""}`;
}
