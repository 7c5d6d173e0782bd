import { listArtifacts } from "../evidence/artifacts.ts";
import { readEvidence } from "../task-folder/evidence-file.ts";
import { readTaskFile } from "./look.ts";
import type { TaskPlace } from "./task-place.ts";

export interface ListedFile {
  readonly path: string;
  readonly sha256: string;
}

/** The files under artifacts/ that the runner did not write. */
export function listAgentFiles(place: TaskPlace): ListedFile[] {
  return listArtifacts(place.taskDir)
    .filter((row) => row.kind === "agent")
    .map(({ path, sha256 }) => ({ path, sha256 }));
}

/** Paths that are new or have other contents. */
export function gainedFiles(before: readonly ListedFile[], after: readonly ListedFile[]): string[] {
  const known = new Map(before.map((file) => [file.path, file.sha256]));
  return after.filter((file) => known.get(file.path) !== file.sha256).map((file) => file.path);
}

/** The rows and items in the agent's part of EVIDENCE.md; none where it cannot be read. */
export function readEvidenceRows(place: TaskPlace): readonly string[] {
  try {
    const bytes = readTaskFile(place.evidence);
    const read = bytes === null ? null : readEvidence(bytes, place.evidence);
    return read?.kind === "evidence" ? read.agentRows : [];
  } catch {
    // A link or a folder in its place is dealt with by the guard; here it only means that there are no rows.
    return [];
  }
}

export function gainedRows(before: readonly string[], after: readonly string[]): string[] {
  const rest = [...before];
  return after.filter((row) => {
    const at = rest.indexOf(row);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
