import { waitsForRecovery } from "../anchor/anchor.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { parsers } from "../listing/parsers.ts";
import { readRow } from "../listing/read-row.ts";
import { isLocked } from "../store/lock.ts";
import { listOnce } from "../task/dependencies.ts";
import { taskLockPath } from "../task/task-lock.ts";
import { inspectCooldowns } from "./inspect-cooldowns.ts";
import { type InspectedTask, type InspectPorts, inspectFiles, inspectUnread } from "./inspect-task.ts";

/** One task, every file of it read now. */
export function inspectTask(place: TaskPlace, configFlag: string | null, ports: InspectPorts): InspectedTask {
  const waits = (task: TaskPlace) => waitsForRecovery(task, ports);
  let config: LoadedConfig | null = null;
  try {
    config = loadConfig({ ...ports, configFlag, taskDir: place.taskDir });
    return inspectFiles(place, readRow(place, config.defaults, parsers).files, {
      config,
      models: inspectCooldowns(place, config, ports),
      isLocked: (task) => isLocked(taskLockPath(task)),
      waitsForRecovery: waits,
      listed: listOnce(place.tasksRoot),
      now: () => ports.now(),
    });
  } catch (error) {
    const told = config === null ? null : parsers.readTold(place, config.defaults);
    return inspectUnread(place, error, told, { waitsForRecovery: waits });
  }
}
