import { setImmediate as nextTurn } from "node:timers/promises";
import * as v from "valibot";
import { passMachineFault } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { joinBytes } from "../../store/path-key.ts";
import { removeTree } from "../../store/remove-tree.ts";
import { listFolder } from "../../store/walk.ts";
import { hasTicked, stampOf } from "./copy-stamps.ts";

/**
 * What `lstat` said of each entry of a copied folder, and of what it was copied from, when nothing but the runner had written
 * to the copy. By path below the folder, empty for itself; the Latin-1 text of its bytes.
 */
export type TreeNote = Readonly<Record<string, readonly [copy: string, origin: string]>>;
export const treeNote = v.record(v.string(), v.pipe(v.tuple([v.string(), v.string()]), v.readonly()));
/** Enough for some hundred thousand files. */
export const mostNoteBytes = 256 * 1024 * 1024;

export interface KeptTree {
  readonly copy: string;
  /** Null: it was copied from nothing. */
  readonly origin: string | null;
}

/** Changed so shortly before, an original may have changed again since it was copied, within the same tick of its clock. */
const settledMs = 3_000;

/**
 * Removes all from a copy that is not as it was noted, or whose original is not, by the reasoning of `KeptCopy`. Gives what of
 * the note is still true; null if the copy is of no use.
 */
export async function sweepTree(tree: KeptTree, note: TreeNote): Promise<TreeNote | null> {
  const held: Record<string, TreeNote[string]> = Object.create(null);
  try {
    for await (const { path, bytes, copy, statOrigin } of walkBoth(tree)) {
      const noted = Object.hasOwn(note, path) ? note[path] : undefined;
      if (noted?.[0] === copy && noted[1] === statOrigin().seen) held[path] = noted;
      else if (path === "" || !removeTree(bytes)) return null;
    }
  } catch (error) {
    // Something changes it meanwhile.
    passMachineFault(error);
    return null;
  }
  return held;
}

/** Notes the contents of a copy that began to be made at `since`. Null if the file system's clock does not advance. */
export async function recordTree(
  tree: KeptTree,
  held: TreeNote,
  since: number,
  clock: string,
): Promise<TreeNote | null> {
  const note: Record<string, TreeNote[string]> = Object.create(null);
  let newest = 0;
  for await (const { path, copy, changedMs, statOrigin } of walkBoth(tree)) {
    newest = Math.max(newest, changedMs);
    const known = Object.hasOwn(held, path) ? held[path] : undefined;
    if (known !== undefined) note[path] = known;
    else {
      const { seen, changedMs: originMs } = statOrigin();
      note[path] = [copy, originMs < since - settledMs ? seen : ""];
    }
  }
  return (await hasTicked(clock, newest)) ? note : null;
}

/** Each entry before what is in it; a folder that was removed meanwhile is not gone into. */
async function* walkBoth({ copy, origin }: KeptTree) {
  const [copies, origins] = [Buffer.from(copy), origin === null ? null : Buffer.from(origin)];
  const open: Buffer[] = [Buffer.alloc(0)];
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    count += 1;
    if (count % 512 === 0) await nextTurn();
    const bytes = at.length === 0 ? copies : joinBytes(copies, at);
    const stats = statEntry(bytes);
    if (stats === null) continue;
    const isFolder = stats.isDirectory();
    const statOrigin = () => {
      const from = origins === null ? null : statEntry(at.length === 0 ? origins : joinBytes(origins, at));
      // The time of a folder says nothing of what is in it, which is looked at by itself.
      const changedMs = from?.isDirectory() === false ? from.ctimeMs : 0;
      return { seen: from === null || from.isDirectory() !== isFolder ? "gone" : stampOf(from), changedMs };
    };
    yield { path: at.toString("latin1"), bytes, copy: stampOf(stats), changedMs: stats.ctimeMs, statOrigin };
    if (!isFolder || statEntry(bytes)?.isDirectory() !== true) continue;
    for (const { name } of listFolder(bytes)) open.push(at.length === 0 ? name : joinBytes(at, name));
  }
}
