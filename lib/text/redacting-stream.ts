import { placeholderOf, type SecretMatch, type SecretSearch } from "./secret-search.ts";
import { createMarkSplitter } from "./terminal-marks.ts";

export interface RedactingStream {
  /** Returns what is safe to write by now; holds back less than 64 Ki characters. */
  push(text: string): string;
  /** Returns the rest. Ends the stream. */
  end(): string;
}

/** `offset` is the secret's start in the input. */
export type OnSecret = (shape: string, offset: number) => void;

/** A terminal mark at this offset of the text without marks. */
interface Mark {
  readonly at: number;
  readonly text: string;
  readonly length: number;
}

/** Bounds every match and lookahead; see token-shapes.ts. */
const holdBack = 32 * 1024;
const batch = 16 * 1024;
/** Bounds every lookbehind. */
const lookBack = 512;
/** Further marks between two characters count as text, to bound memory. */
const longestMarks = 1024;

/** Searches without terminal marks, which may split a secret; those inside a secret follow its replacement. */
export function openRedactingStream(openSearch: () => SecretSearch, onSecret: OnSecret): RedactingStream {
  const search = openSearch();
  /** Without marks: what was released, for looking back, up to `from`, and the rest. */
  let text = "";
  let from = 0;
  let base = 0;
  /** In order; those from `nextMark` on are not released yet. */
  let marks: Mark[] = [];
  let nextMark = 0;
  let marksIn = 0;
  let marksOut = 0;
  /** Drops the rest of a token beyond its pattern's bound. */
  let tail: RegExp | null = null;
  /** Characters of marks at the present end. */
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

  /** A link has a text of its own. */
  function cleanMark(mark: string): string {
    if (!mark.startsWith("\x1b]")) return mark;
    const offset = base + text.length + marksIn + 2;
    const inner = openRedactingStream(openSearch, (shape, at) => onSecret(shape, offset + at));
    const ending = mark.endsWith("\x07") ? 1 : 2;
    return `\x1b]${inner.push(mark.slice(2, -ending))}${inner.end()}${mark.slice(-ending)}`;
  }

  function letMarks(index: number, through = false): void {
    const end = base + index + (through ? 1 : 0);
    for (let mark = marks[nextMark]; mark !== undefined && mark.at < end; mark = marks[nextMark]) {
      out.push(mark.text);
      marksOut += mark.length;
      nextMark += 1;
    }
  }

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
    // A token may start at a mark behind another word.
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
      // Later text cannot change a match that starts before `limit`.
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
      // Replaced text is no context for what follows: it is gone when the result is redacted again.
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

/** The greatest index that splits no surrogate pair. */
function wholeCharacters(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}
