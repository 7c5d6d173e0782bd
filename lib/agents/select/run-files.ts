import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { statEntry } from "../../store/folder.ts";
import { putRuntimeFile, type RuntimeFiles, runsFolder, underRuntimeLock } from "../../task/runtime-files.ts";

/** Reports kept in the tasks root; names sort by time. */
const keptReports = 200;
/** Kept in the state folder, which proves to a running pass that a runner wrote them. */
const keptTruths = 20;

/** Returns the path. Throws a locked error if another runner keeps writing, or TP_DISK. */
export function putRunReport(files: RuntimeFiles, run: string, text: string): string {
  const name = join(runsFolder, `${run}.md`);
  underRuntimeLock(files, () => {
    putRuntimeFile(files, name, text);
    prune(join(files.own, runsFolder), keptTruths);
    prune(join(files.folder, runsFolder), keptReports);
  });
  return join(files.folder, name);
}

function prune(folder: string, kept: number): void {
  if (statEntry(folder)?.isDirectory() !== true) return;
  const reports = readdirSync(folder).filter((name) => name.endsWith(".md"));
  for (const name of reports.sort().slice(0, -kept)) rmSync(join(folder, name), { force: true });
}
