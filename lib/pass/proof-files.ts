import { type ArtifactRow, listArtifacts } from "../pages/files/list-artifacts.ts";
import type { TaskPlace } from "../task/records/task-place.ts";

export type ListedFile = Readonly<ReturnType<typeof listAgentFiles>[number]>;

/** The non-empty files among these, which the runner did not write. */
export function listAgentFiles(place: TaskPlace, rows: readonly ArtifactRow[] = listArtifacts(place.taskDir, "agent")) {
  return rows.filter((row) => row.size > 0).map(({ path, sha256 }) => ({ path, sha256 }));
}

/** The digests of what the runner keeps of earlier passes. */
export function listRunnerDigests(place: TaskPlace): string[] {
  return listArtifacts(place.taskDir)
    .filter((row) => row.kind === "runner")
    .map((row) => row.sha256);
}

/**
 * Paths whose bytes were nowhere under artifacts/ before: a copy under another name shows nothing new, be it of an
 * earlier file or of what the runner wrote, and of two new files with the same bytes only the first counts.
 */
export function gainedFiles(
  before: readonly ListedFile[],
  after: readonly ListedFile[],
  runners: () => readonly string[],
): string[] {
  const known = new Set(before.map((file) => file.sha256));
  const gained = after.filter((file) => {
    if (known.has(file.sha256)) return false;
    known.add(file.sha256);
    return true;
  });
  if (gained.length === 0) return [];
  const own = new Set(runners());
  return gained.filter((file) => !own.has(file.sha256)).map((file) => file.path);
}

export function gainedRows(before: readonly string[], after: readonly string[]): string[] {
  const rest = [...before];
  return after.filter((row) => {
    const at = rest.indexOf(row);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
