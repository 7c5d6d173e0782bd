import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lookAt } from "../../store/folder.ts";
import { putRuntimeFile, type RuntimeFiles, runsFolder, underRuntimeLock } from "./runtime-files.ts";

/** As many reports of runs stay in the tasks root; the names sort by time. */
const keptReports = 200;
/** And in the state folder, where a pass that is running finds that a runner wrote them. */
const keptTruths = 20;

/** Writes the report of a run and gives its path. Throws a locked error if another runner keeps writing, or TP_DISK. */
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
  if (lookAt(folder)?.isDirectory() !== true) return;
  const reports = readdirSync(folder).filter((name) => name.endsWith(".md"));
  for (const name of reports.sort().slice(0, -kept)) rmSync(join(folder, name), { force: true });
}
