import { type OpenCommand, type ReadControl, readControl } from "./control.ts";
import { applySplices, type Splice, withBom } from "./splice.ts";
import { item, list, source, writeMarkdown } from "./templates/markdown-nodes.ts";

/** The runner's note on one item. */
export interface ControlMark {
  readonly item: OpenCommand;
  readonly tick: boolean;
  /** Stands in brackets behind the item's text, as `done 2026-11-21T10:00:00.000Z`. */
  readonly note: string;
}

/** The whole file with these marks on it; every other byte stays. */
export function markControl(read: ReadControl, marks: readonly ControlMark[]): Buffer {
  const splices = marks.flatMap(({ item, tick, note }): Splice[] => {
    const { start, end, before, after } = item.box;
    const box = { start, end, text: `${before}${tick ? "x" : " "}${after}` };
    return [...(tick || item.boxless ? [box] : []), { start: item.textEnd, end: item.textEnd, text: ` (${note})` }];
  });
  return Buffer.from(withBom(read, applySplices(read.text, splices)));
}

/**
 * The whole file with an open ABORT behind all that is there, or before it if the end is inside a block that
 * would swallow it. The same bytes if one is open already; null if neither place makes a command of it.
 */
export function addAbort(read: ReadControl, note: string): Buffer | null {
  if (isAsked(read)) return Buffer.from(withBom(read, read.text));
  const newline = read.text.includes("\r\n") ? "\r\n" : "\n";
  const asked = abortItem(note).replaceAll("\n", newline);
  const gap = read.text === "" || read.text.endsWith("\n") ? "" : newline;
  const candidates = [`${read.text}${gap}${asked}`, `${asked}${newline}${read.text}`];
  for (const text of candidates) {
    const again = readControl(Buffer.from(text), "CONTROL.md");
    if (again.kind === "control" && isAsked(again)) return Buffer.from(withBom(read, text));
  }
  return null;
}

/** An open ABORT as an item of a list, with its line's end. */
export function abortItem(note: string): string {
  return writeMarkdown(list([item(source(`ABORT (${note})`), undefined, false)]));
}

function isAsked(read: ReadControl): boolean {
  return read.open.some(({ command }) => command === "ABORT");
}
