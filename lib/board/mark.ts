/**
 * The mark that both templates put on their files in the first or second line, with the time that ages are counted to.
 */
const mark = /^<!-- task-phase:board (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) -->$/;

/** The time that the ages of a board are counted to; null if the text is not a board of ours. */
export function readBoardMark(text: string): string | null {
  const lines = text
    .slice(0, 500)
    .replace(/^\ufeff/, "")
    .split(/\r?\n/, 2);
  return lines.map((line) => mark.exec(line)?.[1]).find((at) => at !== undefined) ?? null;
}
