/**
 * What a terminal takes as an order and a reader does not see: colours and cursor moves (`ESC [ … m`), links
 * (`ESC ] … BEL`), character sets (`ESC ( B`); and the first of them as JSON and programs print them (`\u001b[1m`).
 * `grep --color` and their like set them in the middle of words. The one-byte form of `ESC [` (U+009B) is none here:
 * in text that is read byte by byte it is a part of ordinary letters.
 */
export interface MarkSplitter {
  /** Takes the next piece; a mark that may continue in the next one waits, at most 2,100 characters. */
  push(piece: string): void;
  /** No more comes: what waited is text. */
  end(): void;
}

const introduced = String.raw`\[[0-?]{0,64}[ -/]{0,4}`;
const linked = String.raw`\][^\x07\x1b\n]{0,2048}`;
const whole = [
  String.raw`\x1b(?:${introduced}[@-~]|${linked}(?:\x07|\x1b\\)|[()][0-9A-Z])`,
  String.raw`\\{1,8}(?:u001[bB]|x1[bB]|033)${introduced}[@-~]`,
].join("|");
const unfinished = [
  String.raw`\x1b(?:${introduced}|${linked}\x1b?|[()])?$`,
  String.raw`\\{1,8}(?:${prefixes(["u", "0", "0", "1", "[bB]", introduced])}|${prefixes(["x", "1", "[bB]", introduced])}|${prefixes(["0", "3", "3", introduced])})$`,
].join("|");
const wholeMark = new RegExp(whole, "g");
const anyMark = new RegExp(`(?:${whole})|(${unfinished})`, "g");

/** Tells text and marks apart in what comes in pieces: however it is cut, both come out the same and in order. */
export function createMarkSplitter(onText: (text: string) => void, onMark: (mark: string) => void): MarkSplitter {
  let waiting = "";

  function take(text: string, pattern: RegExp): string {
    let done = 0;
    for (const match of text.matchAll(pattern)) {
      if (match.index > done) onText(text.slice(done, match.index));
      if (match[1] !== undefined) return match[1];
      onMark(match[0]);
      done = match.index + match[0].length;
    }
    if (done < text.length) onText(text.slice(done));
    return "";
  }

  return {
    push(piece) {
      waiting = take(waiting + piece, anyMark);
    },
    end() {
      take(waiting, wholeMark);
      waiting = "";
    },
  };
}

/** False if there is no mark in the text. */
export function mayHoldMarks(text: string): boolean {
  return text.includes("\x1b") || text.includes("\\");
}

/** The text without its marks. */
export function withoutMarks(text: string): string {
  return text.replace(wholeMark, "");
}

/** The source of a pattern for this row of parts, and for every beginning of it. */
function prefixes(parts: readonly string[]): string {
  return parts.reduceRight((rest, part) => `(?:${part}${rest})?`, "");
}
