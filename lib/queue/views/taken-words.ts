import { dirname, join } from "node:path";
import * as v from "valibot";
import { holdsBack, waitsIn } from "../../pass/people/control-file.ts";
import { controlFile } from "../../rules/guarded-files.ts";
import { putFile } from "../../store/put-file.ts";
import { readJsonOr, readText } from "../../store/read-file.ts";
import { openPrivateFolder } from "../../store/state-home.ts";
import { placeIn, stands } from "../../task/records/task-place.ts";
import { sha256 } from "../../text/sha256.ts";
import { quoteWord } from "../../text/shell-words.ts";
import type { IndexedRow } from "../listing/listed-files.ts";

/** Larger files, and those that are no text, are not a person's words about a task. */
export const mostWordBytes = 1024 * 1024;

const takenShape = v.object({
  version: v.literal(1),
  /** By the path in the task folder: the text as it was taken from the working tree. */
  files: v.record(v.string(), v.string()),
  /** What was last refused, since the branch has changed the same lines; missing: nothing was. */
  refused: v.exactOptional(v.record(v.string(), v.string())),
});

/** What a person wrote about a task in their working tree, as it was last taken along to the branch of the task. */
export type Taken = v.InferOutput<typeof takenShape>;

/** `repository`: the folder of git that its working trees share. */
export function takenPlace(cache: string, repository: string, task: string): string {
  return join(cache, "taken", sha256(repository).slice(0, 16), `${task}.json`);
}

/** Null: nothing was taken yet, or the note is gone. */
export function readTaken(file: string): Taken | null {
  return readJsonOr(file, takenShape, 64 * mostWordBytes, null);
}

/** Durably, once the branch has it. */
export function writeTaken(file: string, taken: Taken): void {
  openPrivateFolder(dirname(file));
  putFile(file, `${JSON.stringify(taken)}\n`, { mode: 0o600 });
}

/** What no file says, since one with this character is never taken. */
export const unsure = "\0";

/**
 * Notes that the branch may get another CONTROL.md than `taken`, or may not. Until it is known, that of the working tree is
 * taken as new whatever it says: one as it was long ago may be how a person takes back what a killed pass has taken along.
 */
export function doubtControl(file: string, taken: Taken): void {
  writeTaken(file, { ...taken, files: { ...taken.files, [controlFile]: unsure } });
}

/**
 * The row of a branch, with what the next pass will take along of CONTROL.md in the working tree, and with the file there
 * that it will refuse as the last one did. `note`: as `takenPlace`.
 */
export function withWords<Task extends ReadTask>(read: Task, tasksRoot: string, note: string): Task {
  const place = placeIn(tasksRoot, read.name);
  const { files: taken, refused } = readTaken(note) ?? {};
  const row = withRefused(read, place.taskDir, refused ?? {});
  const { files } = row;
  const said = { paused: holdsBack(place), retry: waitsIn(place, "RETRY") };
  if ((said.paused === null) === (files.paused === null) && said.retry === files.retry) return row;
  if (taken === undefined) return row;
  const text = readText(place.control, mostWordBytes);
  const isRemoved = text === null && taken[controlFile] !== undefined && stands(place.readme);
  return isRemoved || (text !== null && text !== taken[controlFile]) ? { ...row, files: { ...files, ...said } } : row;
}

type ReadTask = Pick<IndexedRow, "name" | "files">;

function withRefused<Task extends ReadTask>(row: Task, taskDir: string, refused: Record<string, string>): Task {
  const texts = Object.entries(refused);
  const [path] = texts.find(([name, text]) => readText(join(taskDir, name), mostWordBytes) === text) ?? [];
  if (path === undefined) return row;
  const hindered = { why: renderConflict(path), until: null, mend: `task-phase run ${quoteWord(row.files.brief.id)}` };
  return { ...row, files: { ...row.files, hindered } };
}

export function renderConflict(path: string): string {
  return `${path} was changed here and on the branch of the task, in the same lines`;
}
