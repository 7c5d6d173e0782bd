/** In a class of a regular expression: spaces that people see as one and Markdown does not. */
export const wideSpaces = "\\u00a0\\u2002\\u2003\\u202f\\u3000";
const wide = new RegExp(`[${wideSpaces}]`, "g");
const item = `(?:[-*+]|\\d{1,9}[.)])(?:[ ${wideSpaces}]\\[[ xX]\\])?`;
const marks = new RegExp(`^[ \\t]*(?:#{1,6}|${item})[${wideSpaces}]`, "gm");

/**
 * A text in which the wide space behind the mark of an item, its check box or a heading is a plain one: Alt with the space
 * bar makes it on many keyboards. Each is one unit of a string, so no offset moves.
 */
export function withPlainSpaces(text: string): string {
  return text.replace(marks, (mark) => mark.replace(wide, " "));
}
