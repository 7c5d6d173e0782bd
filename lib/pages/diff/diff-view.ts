import { plural } from "../../rules/wording.ts";
import { cutLong, htmlBytes } from "../page/page-budget.ts";
import { type DiffFile, type DiffLine, type DiffLineKind, parseDiff } from "./diff-parse.ts";

/** The largest share of one file, so that a generated one cannot hide all others. */
const oneFile = 120_000;
const longestLine = 1000;
/** Markup around a file, and around a block. */
const aroundFile = 450;
const aroundBlock = 30;
const listedFiles = 400;
/** Lines that are open at first; a reader opens the rest. */
const openLines = 160;

/**
 * The files of patches one after the other, until a share of the page's bytes is used up; what is left out is counted.
 */
export function openDiffView(share: number) {
  let left = share;
  let listed = 0;
  let open = openLines;
  return (patch: string) => {
    const { files, notes } = parseDiff(patch);
    const shown = [];
    for (const file of files) {
      const cost = aroundFile + 2 * htmlBytes(cutLong(file.name, 400)) + htmlBytes(file.was ?? "");
      if (listed >= listedFiles || left < cost) break;
      listed += 1;
      left -= cost;
      const { blocks, bytes, lines } = takeBlocks(file.lines, Math.min(left, oneFile));
      left -= bytes;
      open -= lines;
      shown.push({ ...headOf(file), blocks, more: leftOut(file, lines), open: open >= 0 && lines > 0 });
    }
    const total = (key: "added" | "removed") => files.reduce((sum, file) => sum + file[key], 0);
    return {
      files: shown,
      moreFiles: files.length - shown.length,
      summary: `${plural(files.length, "file")}, ${plural(total("added"), "line")} added, ${total("removed")} removed`,
      notes: notes.slice(0, 30).map((note) => cutLong(note, 300)),
      bytes: share - left,
    };
  };
}

function headOf(file: DiffFile) {
  const { change, added, removed } = file;
  return { name: cutLong(file.name, 400), was: cutLong(file.was ?? "", 400), change, added, removed };
}

/** Whole lines, those of one kind put together. */
function takeBlocks(lines: readonly DiffLine[], share: number) {
  const blocks: { kind: DiffLineKind; texts: string[] }[] = [];
  let bytes = 0;
  let taken = 0;
  for (const line of lines) {
    // A carriage return at the end is a change that would not be seen; git shows it as ^M.
    const marked = line.kind === "same" ? line.text.replace(/\r$/, "") : line.text.replace(/\r$/, "\\x0d");
    const text = cutLong(marked, longestLine);
    const last = blocks.at(-1);
    const cost = htmlBytes(text) + 1 + (last?.kind === line.kind ? 0 : aroundBlock);
    if (bytes + cost > share) break;
    bytes += cost;
    taken += 1;
    if (last?.kind === line.kind) last.texts.push(text);
    else blocks.push({ kind: line.kind, texts: [text] });
  }
  return { blocks: blocks.map(({ kind, texts }) => ({ kind, text: `${texts.join("\n")}\n` })), bytes, lines: taken };
}

function leftOut(file: DiffFile, taken: number): string {
  const rest = file.lines.slice(taken);
  if (rest.length === 0) return "";
  const count = (kind: DiffLineKind) => rest.filter((line) => line.kind === kind).length;
  return `${plural(rest.length, "more line")}, ${count("added")} added and ${count("removed")} removed`;
}
