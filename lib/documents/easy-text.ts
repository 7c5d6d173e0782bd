import { isUtf8 } from "node:buffer";

/** The longest file that is judged here, in bytes; columns of space before list markers then need no count. */
const mostBytes = 12_000;

/** Kinds of bytes: 1 is refused, 2 ends a line, 3 is a mark, 4 opens a bracket, 5 may begin a scan, 6 counts twice. */
const kinds = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) kinds[byte] = 1;
kinds[0x7f] = 1;
kinds[0x0a] = 2;
for (const mark of "])|&\\@*_~") kinds[mark.charCodeAt(0)] = 3;
for (const mark of "[(") kinds[mark.charCodeAt(0)] = 4;
for (const mark of "<`") kinds[mark.charCodeAt(0)] = 5;
kinds[0x3a] = 6;

/** Bytes that the markers of quotes and lists at the start of a line consist of: 1 may end one, 2 is beside one. */
const starts = new Uint8Array(256);
for (const byte of ">-*+.)[") starts[byte.charCodeAt(0)] = 1;
for (const byte of " 0123456789") starts[byte.charCodeAt(0)] = 2;

/** No control character, no mark of the order of bytes, nothing that programs take for a line break. */
const odd = /[^\n\x20-\x7e\u00a1-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u21ff]/;

/**
 * The text of a short task file that the guard is sure to pass, also as `times` copies in a row; null: undecided, ask
 * the guard. Every count is an upper bound of the guard's own.
 */
export function easyText(bytes: Buffer, times = 1): string | null {
  const { length } = bytes;
  if (length * times > mostBytes) return null;
  let [lines, marks, opening, scans, nested] = [1, 0, 0, 0, 0];
  let lineStart = 0;
  let inStart = true;
  let markers = 0;
  let isPlain = true;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) isPlain = false;
    const kind = kinds[byte];
    if (kind === 2) {
      if (at - lineStart > 4_000) return null;
      if (markers > 1) nested += markers - 1;
      lines++;
      lineStart = at + 1;
      inStart = true;
      markers = 0;
      continue;
    }
    if (kind === 1) return null;
    if (kind !== 0) {
      marks += kind === 6 ? 2 : 1;
      if (kind === 4) opening++;
      if (kind === 5) scans++;
    }
    if (!inStart) continue;
    const start = starts[byte];
    if (start === 0) inStart = false;
    else if (start === 1) {
      // A footnote's marker holds any text, and what follows it may be a marker again.
      if (byte === 0x5b && bytes[at + 1] === 0x5e) return null;
      if (++markers > 12) return null;
    }
  }
  if (markers > 1) nested += markers - 1;
  if (length - lineStart > 4_000 || lines * times > 1_400 || nested * times > 300 || opening > 100) return null;
  if (marks * marks * times > 590_000 || scans * length * times > 1_900_000) return null;
  if (!isPlain && !isUtf8(bytes)) return null;
  const text = isPlain ? bytes.toString("latin1") : bytes.toString("utf8");
  // An address counts as a mark without having one of the bytes above.
  return text.includes("www.") || text.includes("<<<<<<<") || (!isPlain && odd.test(text)) ? null : text;
}
