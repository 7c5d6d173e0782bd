import { join } from "node:path";
import { type CopyContents, contentsOf } from "../checks/proof/clean-copy.ts";
import { keepCopy } from "../checks/proof/kept-copy.ts";
import { takeWatch, type WatchInput, type WatchRecord } from "../checks/watch/watch.ts";
import type { Change } from "./read-change.ts";

export interface PlacedChange {
  /** What tests and checks were at the base. */
  readonly record: WatchRecord;
  /** The same place with the present files. */
  readonly input: WatchInput;
}

/**
 * Compares tests and what the checks run in one place, which has the base's files first and then the present ones: so
 * nothing differs but by the change. Null after a signal. A reason if the files cannot be put there. Throws TP_DISK.
 */
export async function watchChange(
  change: Change,
  { folder, blobs, signal }: { readonly folder: string; readonly blobs: string; readonly signal: AbortSignal },
  settings: Pick<WatchInput, "checks" | "globs" | "searchPath" | "home" | "redact">,
): Promise<PlacedChange | string | null> {
  const kept = keepCopy(join(folder, "watched"));
  const { repo, origin, delivery, noCode } = change;
  const target = join(kept.folder, "code");
  const place = async (contents: CopyContents) => {
    const made = await kept.update({ ...{ repo, origin, blobs, contents, target, signal } }, []);
    if (made.kind === "made") await kept.note(new Map());
    return made;
  };
  const before = contentsOf(origin.entries, "origin", noCode);
  const made = await place(before);
  if (made.kind !== "made") return made.kind === "refused" ? made.reason : null;
  const blank = { ...settings, repo: target, leaveOut: [] };
  const record = takeWatch({ ...blank, entries: origin.entries });
  const present = await place(delivery.now);
  if (present.kind !== "made") return present.kind === "refused" ? present.reason : null;
  return { record, input: { ...blank, entries: change.now.entries } };
}
