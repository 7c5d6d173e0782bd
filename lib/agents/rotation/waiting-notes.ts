import * as v from "valibot";
import { removeAll, syncFolder } from "../../store/folder.ts";
import { readJsonFile } from "../../store/read-file.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import { notesPath, readCommit } from "../../task/records/records.ts";
import { parseObject } from "../../text/json-object.ts";
import { whole } from "../../text/shape.ts";
import type { Cooldown } from "../select/cooldowns.ts";

/**
 * What a pass says of its model, to be written under `.task-phase/` once its verdict is accepted. The record of the
 * verdict holds it, and model-notes.json if it cannot be written then, so that a run that is killed is finished by the
 * next one.
 */
export interface WaitingNote {
  readonly model: string;
  readonly pass: number;
  /** The entry holds for the verdict with this record, and for no other. */
  readonly record_sha256: string;
  readonly entry: string;
  /** Applies whatever the verdict; null if the pass met no limit. */
  readonly cooldown: Cooldown | null;
  /** The pass produced something, so the cooldowns of its model no longer double; missing if it did not. */
  readonly came_to_something?: true;
}

const noteSchema = whole<WaitingNote>()({
  model: v.string(),
  pass: v.number(),
  record_sha256: v.string(),
  entry: v.string(),
  cooldown: v.nullable(
    whole<Cooldown>()({
      model: v.string(),
      until: v.number(),
      observedAt: v.number(),
      reason: v.string(),
      repeats: v.exactOptional(v.number()),
    }),
  ),
  came_to_something: v.exactOptional(v.literal(true)),
});

/** One that cannot be read is lost: no verdict depends on it. */
export function readNotes(anchor: Anchor): WaitingNote[] {
  const notes = readJsonFile(notesPath(anchor), v.array(noteSchema), 16 * 1024 * 1024);
  return notes.kind === "read" ? notes.value : [];
}

export function forgetNotes(anchor: Anchor): void {
  removeAll(notesPath(anchor));
  syncFolder(anchor.folder);
}

/** The note of an event that was accepted and is not carried out yet; null if there is none. */
export function readPendingNote({ folder }: Anchor): WaitingNote | null {
  const note = readCommit(folder)?.note;
  const read = v.safeParse(noteSchema, note === undefined ? null : parseObject(note));
  return read.success ? read.output : null;
}
