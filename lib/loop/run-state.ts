import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import { findRunner, recordRunner } from "../anchor/records.ts";
import { placeOf } from "../anchor/task-place.ts";
import {
  lastModelName,
  putRuntimeFile,
  type RuntimeFiles,
  readRuntimeBytes,
  runsFolder,
  runtimeFilesOf,
} from "../models/select/runtime-files.ts";
import { formatRun, readLastModel } from "../models/select/select-model.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { changeNotes } from "../rotation/runtime-place.ts";
import { removeAll } from "../store/folder.ts";
import { markCutOff } from "./run-report.ts";

type StatePorts = Pick<PassPorts, "env" | "home" | "now">;

/** A call of the loop, as `.task-phase/state.json` shows it. */
export interface ShownRun {
  readonly id: string;
  readonly tasksRoot: string;
}

/** Notes in the state folder that this process is that call, so that a later one knows whether it was killed. */
export function recordLoop({ id, tasksRoot }: ShownRun, ports: StatePorts): { forget(): void } {
  const folder = liveFolder(runtimeFilesOf(tasksRoot, ports.env, ports.home), id);
  const note = recordRunner(folder);
  return {
    forget() {
      note.forget();
      removeAll(folder);
    },
  };
}

/**
 * Writes what the loop says of itself; `exitName` is null while it runs. The report of a call that was killed before
 * gets the words for that. Throws a locked error if another runner keeps writing there, or TP_DISK.
 */
export function putRunState(
  { id, tasksRoot }: ShownRun,
  iteration: number,
  exitName: ExitName | null,
  ports: StatePorts,
): void {
  // The folder of a task is asked for; which one does not matter.
  changeNotes(placeOf(join(tasksRoot, "any")), ports, (files) => {
    const before = readRuntimeBytes(files.own, lastModelName);
    closeKilled(files, readLastModel(before).run, id);
    const status = exitName === null ? "running" : "ended";
    const updated_at = ports.now().toISOString();
    const run = { run_id: id, iteration, status, exit_name: exitName, updated_at } as const;
    putRuntimeFile(files, lastModelName, formatRun(run, before));
  });
}

function closeKilled(files: RuntimeFiles, run: ReturnType<typeof readLastModel>["run"], id: string): void {
  if (run?.run_id === undefined || run.status !== "running" || run.run_id === id) return;
  // A name from a file that a person may edit.
  if (!/^[0-9A-Za-z-]+$/.test(run.run_id) || findRunner(liveFolder(files, run.run_id)) !== null) return;
  removeAll(liveFolder(files, run.run_id));
  const name = join(runsFolder, `${run.run_id}.md`);
  const report = readRuntimeBytes(files.own, name)?.toString("utf8");
  if (report !== undefined) putRuntimeFile(files, name, markCutOff(report));
}

function liveFolder({ own }: RuntimeFiles, id: string): string {
  return join(own, "loops", id);
}
