import type { TaskPlace } from "../anchor/task-place.ts";
import type { OpenCommand } from "../task-folder/control.ts";
import { readControlFile } from "./control-file.ts";

/** True if a person's RETRY waits to be obeyed. For whoever only looks. */
export function asksRetry(place: TaskPlace): boolean {
  const read = readControlFile(place);
  return read?.kind === "control" && read.open.some(({ command }) => command === "RETRY");
}

/**
 * Why no pass begins by CONTROL.md as long as it is; null if one may. For whoever only looks: nothing is
 * marked. An ABORT holds nothing back, since the next run obeys and ticks it.
 */
export function holdsBack(place: TaskPlace): string | null {
  const read = readControlFile(place);
  if (read?.kind === "unreadable") return `CONTROL.md cannot be read: ${read.findings[0]?.message ?? "it is not text"}`;
  const item = read?.open.find(({ command }) => command === "PAUSE");
  return item === undefined ? null : placeOfCommand(item);
}

/** For example `line 3 of CONTROL.md says PAUSE`. */
export function placeOfCommand({ command, line }: OpenCommand): string {
  return `line ${line} of CONTROL.md says ${command}`;
}
