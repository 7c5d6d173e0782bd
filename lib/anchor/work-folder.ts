import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { removeTemporaryFolders } from "../process/temporary-folder.ts";
import { removeTree } from "../proof/remove-tree.ts";

/**
 * A private folder for the tether, the prompt and the usage file of one pass. Its name says whose anchor it belongs
 * to, so that one that was left behind is found although the run was killed before it noted it anywhere.
 */
export function makeWorkFolder(anchorFolder: string): string {
  removeWorkFolders(anchorFolder);
  return mkdtempSync(join(tmpdir(), workPrefix(anchorFolder)));
}

/** Only the holder of the task's lock makes or removes them, so none of them can be in use. */
export function removeWorkFolders(anchorFolder: string): void {
  removeReviewCopies(anchorFolder);
  removeTree(proofFolder(anchorFolder));
  removeTemporaryFolders((name) => name.startsWith(workPrefix(anchorFolder)));
}

/** Where the clean copies of the proof square are made, one after the other. */
export function proofFolder(anchorFolder: string): string {
  return join(anchorFolder, "proof");
}

function workPrefix(anchorFolder: string): string {
  return `task-phase-${basename(anchorFolder).slice(0, 16)}-`;
}

/** The folder of the copies of one round of reviews; see `removeReviewCopies`. */
export function reviewFolder(anchorFolder: string, pass: number): string {
  return join(anchorFolder, `review-${pass}`);
}

/** Removes what earlier rounds left, as those that were killed. Gives the folders that could not be removed. */
export function removeReviewCopies(anchorFolder: string): string[] {
  return readdirSync(anchorFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("review-"))
    .map((entry) => join(anchorFolder, entry.name))
    .filter((folder) => !removeTree(folder));
}
