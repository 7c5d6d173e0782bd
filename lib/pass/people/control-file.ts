import { type ControlRead, type OpenCommand, unreadableControl } from "../../documents/control.ts";
import { abortItem, addAbort, type ControlMark, markControl } from "../../documents/edit-control.ts";
import { taskFiles } from "../../documents/read-task-file.ts";
import { createFile, putOver } from "../../store/put-file.ts";
import { type ReadResult, readRegularFile } from "../../store/read-file.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";

/** A file that is saved again and again is given up after these tries; the next read finds it. */
const tries = 5;

type ControlPlace = Pick<TaskPlace, "control">;

/** The commands of CONTROL.md; null if there is no such file. Never throws, whatever is in its place. */
export function readControlFile(place: ControlPlace): ControlRead | null {
  return judge(readBytes(place), place.control);
}

/**
 * Marks each open command of which `say` knows something to say. The file is read again, so that what a person saved
 * meanwhile stays: it is compared right before it is replaced. False if it changed under every try. Throws TP_DISK.
 */
export function markOpen(place: ControlPlace, say: (item: OpenCommand) => Omit<ControlMark, "item"> | null): boolean {
  return edit(place, (read) => {
    const marks = read.open.flatMap((item) => {
      const said = say(item);
      return said === null ? [] : [{ item, ...said }];
    });
    return marks.length === 0 ? null : markControl(read, marks);
  });
}

/** Asks for ABORT, in a file of its own if there is none. False if the file could not be given one. Throws TP_DISK. */
export function askForAbort(place: ControlPlace, note: string): boolean {
  if (createFile(place.control, `# Control\n\n${abortItem(note)}`)) return true;
  let written = true;
  const kept = edit(place, (read) => {
    const bytes = addAbort(read, note);
    written = bytes !== null;
    return bytes;
  });
  return kept && written && readControlFile(place)?.kind === "control";
}

/** The edit must be a pure function of the file. Null: nothing is to be changed. */
function edit(
  place: ControlPlace,
  change: (read: Extract<ControlRead, { kind: "control" }>) => Buffer | null,
): boolean {
  const path = place.control;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const before = readBytes(place);
    const read = judge(before, path);
    if (read?.kind !== "control" || before.kind !== "file") return true;
    const after = change(read);
    if (after === null || after.equals(before.bytes)) return true;
    // An agent in a sandbox may not write CONTROL.md, held there as a mount of its own; the rename ends that hold. What
    // it then writes is a command like any other, and RETRY is refused.
    if (putOver(path, after, (there) => there?.equals(before.bytes) === true)) return true;
  }
  return false;
}

function readBytes(place: ControlPlace): ReadResult {
  return readRegularFile(place.control, taskFiles.control.maxBytes);
}

const kinds: Readonly<Record<Exclude<ReadResult["kind"], "file" | "missing">, string>> = {
  link: "found a symbolic link; expected a regular file",
  folder: "found a folder; expected a regular file",
  special: "found a FIFO, socket or device; expected a regular file",
  too_big: `the file is larger than ${taskFiles.control.maxBytes / 1024} KiB`,
  unreadable: "the file cannot be read",
};

function judge(read: ReadResult, path: string): ControlRead | null {
  if (read.kind === "missing") return null;
  return read.kind === "file" ? taskFiles.control.read(read.bytes, path) : unreadableControl(path, kinds[read.kind]);
}

/** True if this command of a person waits to be obeyed. Changes nothing. */
export function waitsIn(place: TaskPlace, wanted: "RETRY" | "ABORT"): boolean {
  const read = readControlFile(place);
  return read?.kind === "control" && read.open.some(({ command }) => command === wanted);
}

/**
 * Why CONTROL.md keeps any pass from beginning; null if one may begin. Read-only: nothing is marked. An ABORT does not
 * count, since the next run obeys and ticks it.
 */
export function holdsBack(place: Pick<TaskPlace, "control">): string | null {
  const read = readControlFile(place);
  if (read?.kind === "unreadable") {
    const why = read.findings[0]?.message ?? "it is not text";
    return `CONTROL.md cannot be read: ${why}; correct, move or remove it to continue`;
  }
  const item = read?.open.find(({ command }) => command === "PAUSE");
  return item === undefined ? null : pausedBy(item);
}

export function pausedBy(pause: OpenCommand): string {
  return `${placeOfCommand(pause)}; tick or remove it to continue`;
}

/** For example `line 3 of CONTROL.md says PAUSE`. */
export function placeOfCommand({ command, line }: OpenCommand): string {
  return `line ${line} of CONTROL.md says ${command}`;
}
