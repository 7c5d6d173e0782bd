import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { removeTemporaryFolders } from "../../process/temporary-folder.ts";
import { removeTree } from "../../store/remove-tree.ts";

/** For a pass's keepalive, prompt and usage file; named after its anchor, so that a killed run's is found. */
export function makeWorkFolder(anchorFolder: string): string {
  removeWorkFolders(anchorFolder);
  return mkdtempSync(join(tmpdir(), workPrefix(anchorFolder)));
}

/** Requires the task's lock, whose holder alone makes and removes them: none is in use. */
export function removeWorkFolders(anchorFolder: string): void {
  removeReviewCopies(anchorFolder);
  for (const folder of [proofFolder(anchorFolder), gitFolder(anchorFolder)]) removeTree(folder);
  removeTemporaryFolders((name) => name.startsWith(workPrefix(anchorFolder)));
}

/** For the proof's clean copies, one after the other. */
export function proofFolder(anchorFolder: string): string {
  return join(anchorFolder, "proof");
}

/** For what git needs beside the repository while a pass is committed or pushed. */
export function gitFolder(anchorFolder: string): string {
  return join(anchorFolder, "git-work");
}

function workPrefix(anchorFolder: string): string {
  return `task-phase-${basename(anchorFolder).slice(0, 16)}-`;
}

export function reviewFolder(anchorFolder: string, pass: number): string {
  return join(anchorFolder, `review-${pass}`);
}

/** Removes what earlier, killed rounds left. Returns the folders that could not be removed. */
export function removeReviewCopies(anchorFolder: string): string[] {
  return readdirSync(anchorFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("review-"))
    .map((entry) => join(anchorFolder, entry.name))
    .filter((folder) => !removeTree(folder));
}
