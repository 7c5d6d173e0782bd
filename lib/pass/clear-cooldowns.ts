import { formatCooldowns, readCooldowns } from "../models/cooldowns.ts";
import { cooldownsName, putRuntimeFile, readRuntimeBytes } from "../models/runtime-files.ts";
import { underRuntimeLock } from "./runtime-place.ts";
import type { TaskSession } from "./session.ts";

/**
 * Ends the cooldowns of these models in the tasks root, for every task of it. Gives the names of those that cooled
 * down. Throws a locked error where another runner keeps writing there, or TP_DISK.
 */
export function clearCooldowns({ place, ports }: TaskSession, models: readonly string[]): readonly string[] {
  return underRuntimeLock(place, ports, (files, believed) => {
    const { active } = readCooldowns(readRuntimeBytes(believed, cooldownsName), ports.now());
    const ended = active.filter(({ model }) => models.includes(model));
    if (ended.length > 0) {
      putRuntimeFile(files, cooldownsName, formatCooldowns(active.filter((entry) => !ended.includes(entry))));
    }
    return ended.map(({ model }) => model);
  });
}
