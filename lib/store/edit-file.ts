import { storeError } from "./error-code.ts";
import type { FolderSyncs } from "./folder.ts";
import { putOver } from "./put-file.ts";

/** Someone who saves the file again and again is let be after so many tries. */
const tries = 20;

/**
 * Puts in place what `change` makes of a file that others may be writing, as durably as `putFile`. If it changed
 * meanwhile, it is read and changed again, so that nothing of theirs is lost. Throws TP_DISK, also if that never ends.
 */
export function editFile(
  path: string,
  read: () => Buffer | null,
  change: (before: Buffer | null) => string | Uint8Array,
  options: { readonly syncs?: FolderSyncs } = {},
): void {
  for (let done = 0; done < tries; done += 1) {
    const before = read();
    if (putOver(path, change(before), (there) => isSame(before, there), options)) return;
  }
  throw storeError("write", path, new Error("it changes while it is being written"));
}

function isSame(before: Buffer | null, there: Buffer | null): boolean {
  return before === null || there === null ? before === there : before.equals(there);
}
