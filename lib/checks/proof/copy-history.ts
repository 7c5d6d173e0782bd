import { placeHistory } from "../../git/history-below.ts";
import type { TreeEntry } from "../../git/list-tree.ts";
import type { CellGround } from "./cell.ts";
import type { CopyContents } from "./clean-copy.ts";

/**
 * Makes a copy the repository that a colleague would have, with the work staged: `git diff HEAD` and `git status` tell
 * what it is, and a check that generates files and then asks `git diff --exit-code` finds them as they are. Throws
 * TP_DISK.
 */
export function addHistory({ history }: Pick<CellGround, "history">, contents: CopyContents, copy: string): void {
  if (history === null) return;
  const blobs = new Map<string, TreeEntry>(history.submodules);
  const texts = new Map<string, string>();
  for (const [path, { blob, text }] of contents) {
    if (blob !== undefined && blob !== null) blobs.set(path, blob);
    if (text !== undefined) texts.set(path, text);
  }
  placeHistory(copy, history, blobs, texts);
}
