import { posix } from "node:path";
import { quoteWord } from "./shell-words.ts";

const mark = /^<{7}(?: .*)?$/m;
/** All that the runner writes while a task works, which belongs together. */
const recordFiles = "STATE.md EVIDENCE.md log.txt progress.txt last_error.txt artifacts";
const fence = /^ {0,3}(?:```|~~~)/gm;

/** What git left in a file that it could not merge; null if there is none. A fenced block is text. `line`: from 1. */
export function findMergeMark(text: string, file: string): { line: number; message: string; fix: string } | null {
  const found = text.includes("<<<<<<<") ? mark.exec(text.replaceAll("\r", "")) : null;
  if (found === null) return null;
  const before = found.input.slice(0, found.index);
  if ((before.match(fence)?.length ?? 0) % 2 === 1) return null;
  const line = before.split("\n").length;
  const record = /^(.*?)(?:STATE\.md|EVIDENCE\.md|artifacts\/journal\.jsonl)$/s.exec(file);
  const folder = quoteWord(posix.join(record?.[1] ?? "", "."));
  const fix =
    record === null
      ? "finish the merge: keep what is right, and remove the lines of marks; or undo it: git merge --abort"
      : `finish the merge with the record of one side: git -C ${folder} checkout --ours ${recordFiles} (or --theirs; without artifacts if no pass has run yet); or undo it: git merge --abort`;
  return { line, message: `the file contains an unfinished merge (line ${line}: <<<<<<<)`, fix };
}
