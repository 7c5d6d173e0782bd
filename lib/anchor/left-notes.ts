import { join } from "node:path";
import * as v from "valibot";
import { putFile } from "../store/put-file.ts";
import { readJsonFile } from "../store/read-json.ts";

interface NotesIn {
  readonly folder: string;
}

/** What waits to be written about models, as a list. */
export function notesPath({ folder }: NotesIn): string {
  return join(folder, "model-notes.json");
}

/** Adds a note, which is JSON, durably. Once, however often it is called. A list that cannot be read is lost. */
export function addNote(anchor: NotesIn, note: string): void {
  const read = readJsonFile(notesPath(anchor), v.array(v.unknown()), 16 * 1024 * 1024);
  const notes = (read.kind === "read" ? read.value : []).map((one) => JSON.stringify(one));
  if (!notes.includes(note)) putFile(notesPath(anchor), `[${[...notes, note].join(",")}]`, { mode: 0o600 });
}
