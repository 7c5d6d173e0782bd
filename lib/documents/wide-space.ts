const wide = /[\u00a0\u202f\u3000]/g;
const marks = /^[ \t]*(?:#{1,6}|(?:[-*+]|\d{1,9}[.)])(?:[ \u00a0\u202f\u3000]\[[ xX]\])?)[\u00a0\u202f\u3000]/gm;

/**
 * A text in which the wide space behind the mark of an item, its check box or a heading is a plain one: Alt with the space
 * bar makes it on many keyboards, people see a space, and Markdown does not. Each is one unit of a string, so no offset moves.
 */
export function withPlainSpaces(text: string): string {
  return text.replace(marks, (mark) => mark.replace(wide, " "));
}
