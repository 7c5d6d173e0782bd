import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { removeTemporaryFolders } from "../process/temporary-folder.ts";
import { removeTree } from "../proof/remove-tree.ts";
import { removeReviewCopies } from "./review-copy.ts";

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
