import { placeholderOf, type SecretMatch, type SecretSearch } from "./secret-search.ts";
import { createMarkSplitter } from "./terminal-marks.ts";

export interface RedactingStream {
  /** Takes the next piece and gives what is safe to write by now; holds back less than 64 Ki characters of text. */
  push(text: string): string;
  /** Gives the rest. The stream must not be used afterwards. */
  end(): string;
}

/** Called for each secret with the offset of its start in what came in. */
export type OnSecret = (shape: string, offset: number) => void;

/** A mark of the terminal, at this offset of the text without marks. */
interface Mark {
  readonly at: number;
  readonly text: string;
  /** As it came in. */
  readonly length: number;
}

/** No match is longer than this, and none looks further ahead. See token-shapes.ts for the bounds. */
const holdBack = 32 * 1024;
/** How much is gathered before it is searched. */
const batch = 16 * 1024;
/** No pattern looks further back. */
const lookBack = 512;
/** The most characters of marks between two characters; further ones count as text, since memory must not grow. */
const longestMarks = 1024;

/**
 * Redacts a text that comes in pieces. It is searched as a reader sees it, without the marks of the terminal, which
 * may part a secret; they stay, those from within a secret behind its replacement.
 */
export function openRedactingStream(openSearch: () => SecretSearch, onSecret: OnSecret): RedactingStream {
  const search = openSearch();
  /** Text without marks: what was let through already, for looking back, up to `from`; and what was not, after it. */
  let text = "";
  let from = 0;
  /** Offset of `text` in the whole without marks. */
  let base = 0;
  /** In order; those from `nextMark` on were not let through yet. */
  let marks: Mark[] = [];
  let nextMark = 0;
  /** Characters of marks that came in, and of those that were let through. */
  let marksIn = 0;
  let marksOut = 0;
  /** The rest of a token that is longer than its pattern's bound is dropped. */
  let tail: RegExp | null = null;
  /** The marks that are where the text ends by now, in characters. */
  let marksAtEnd = 0;
  let out: string[] = [];

  const splitter = createMarkSplitter(addText, addMark);

  function addText(piece: string): void {
    text += piece;
    marksAtEnd = 0;
  }

  function addMark(mark: string): void {
    const isFirst = marksAtEnd === 0;
    marksAtEnd += mark.length;
    if (marksAtEnd > longestMarks && !isFirst) {
      text += mark;
      return;
    }
    marks.push({ at: base + text.length, text: cleanMark(mark), length: mark.length });
    marksIn += mark.length;
  }

  /** A link holds a text of its own. */
  function cleanMark(mark: string): string {
    if (!mark.startsWith("\x1b]")) return mark;
    const offset = base + text.length + marksIn + 2;
    const inner = openRedactingStream(openSearch, (shape, at) => onSecret(shape, offset + at));
    const ending = mark.endsWith("\x07") ? 1 : 2;
    return `\x1b]${inner.push(mark.slice(2, -ending))}${inner.end()}${mark.slice(-ending)}`;
  }

  /** Lets the marks before this index through, or up to it. */
  function letMarks(index: number, through = false): void {
    const end = base + index + (through ? 1 : 0);
    for (let mark = marks[nextMark]; mark !== undefined && mark.at < end; mark = marks[nextMark]) {
      out.push(mark.text);
      marksOut += mark.length;
      nextMark += 1;
    }
  }

  /** Lets text up to this index through, with the marks in it. */
  function letText(to: number): void {
    for (let mark = marks[nextMark]; mark !== undefined && mark.at < base + to; mark = marks[nextMark]) {
      const index = mark.at - base;
      out.push(text.slice(from, index));
      from = index;
      letMarks(index, true);
    }
    out.push(text.slice(from, to));
    from = to;
  }

  function dropUntil(index: number): void {
    base += index;
    text = text.slice(index);
    from = 0;
  }

  function find(limit: number): SecretMatch | null {
    const found = search.find(text, from);
    const end = Math.min(found?.index ?? text.length, limit);
    // A token may also start at a mark: what is before it may be another word.
    for (let next = nextMark; next < marks.length; next += 1) {
      const index = (marks[next]?.at ?? 0) - base;
      if (index >= end) break;
      if (!/[A-Za-z0-9]/.test(text.charAt(index - 1))) continue;
      const match = search.findAtStart(text.slice(index));
      if (match !== null) return { ...match, index };
    }
    return found;
  }

  function drain(last: boolean): void {
    search.look(text, base);
    marks = marks.slice(nextMark);
    nextMark = 0;
    for (;;) {
      if (tail !== null) {
        tail.lastIndex = from;
        const end = from + (tail.exec(text)?.[0].length ?? 0);
        letMarks(end);
        dropUntil(end);
        if (text === "" && !last) return;
        tail = null;
      }
      // A match that starts before `limit` is settled: nothing that comes later can change it.
      const limit = last ? text.length : wholeCharacters(text, text.length - holdBack);
      const match = find(limit);
      if (match === null || (!last && match.index >= limit)) {
        const to = Math.max(from, limit);
        letText(to);
        if (last) letMarks(to, true);
        const kept = Math.min(to, lookBack);
        dropUntil(to - kept);
        from = kept;
        return;
      }
      letText(match.index);
      letMarks(match.index, true);
      if (match.shape !== null) onSecret(match.shape, base + match.index + marksOut);
      out.push(placeholderOf(match));
      // Replaced text is not context for what follows, since it will not be there when the result is redacted again.
      const end = match.index + match.text.length;
      letMarks(end);
      dropUntil(end);
      tail = match.tail;
    }
  }

  function taken(): string {
    const text = out.join("");
    out = [];
    return text;
  }

  return {
    push(piece) {
      splitter.push(piece);
      if (text.length - from < holdBack + batch) return "";
      drain(false);
      return taken();
    },
    end() {
      splitter.end();
      drain(true);
      return taken();
    },
  };
}

/** The greatest index up to the given one that does not cut a surrogate pair, which no encoder could put together. */
function wholeCharacters(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}
