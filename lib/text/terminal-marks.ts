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

/**
 * Separates text and marks independently of how the input is cut. Marks are terminal sequences, invisible to a reader:
 * colours and cursor moves (`ESC [ … m`), links (`ESC ] … BEL`), character sets (`ESC ( B`), and the first of them as JSON
 * prints them (`\u001b[1m`). `grep --color` puts them inside words. U+009B, the one-byte `ESC [`, is none: in text read
 * byte by byte it is part of ordinary letters.
 */
export function createMarkSplitter(onText: (text: string) => void, onMark: (mark: string) => void) {
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
    /** A mark that may continue waits, at most 2,100 characters. */
    push(piece: string): void {
      waiting = take(waiting + piece, anyMark);
    },
    /** What waits is text. */
    end(): void {
      take(waiting, wholeMark);
      waiting = "";
    },
  };
}

/** False proves that there is none. */
export function mayHoldMarks(text: string): boolean {
  return text.includes("\x1b") || text.includes("\\");
}

export function withoutMarks(text: string): string {
  return text.replace(wholeMark, "");
}

/** Matches this row of parts and every beginning of it. */
function prefixes(parts: readonly string[]): string {
  return parts.reduceRight((rest, part) => `(?:${part}${rest})?`, "");
}
