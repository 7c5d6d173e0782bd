import { rmSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { putFile } from "../store/put-file.ts";
import { readJsonOr } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";

/**
 * What one machine knows of its claim, outside of the working tree, where no agent looks for it: after a crash it says
 * what the working tree was for, and what of it may not be pushed yet.
 */
const noteShape = v.object({
  version: v.literal(1),
  task: v.string(),
  /** Its branch, a full name. */
  ref: v.string(),
  task_dir: v.string(),
  repo: v.string(),
  attempt: v.string(),
  pass: v.number(),
  /** That of the machine's start: what git checked out before may be torn. */
  boot: v.string(),
  /** What the branch of the remote was when this was last known; null: it was not there. */
  tip: v.nullable(v.string()),
  /** The commit that was about to be pushed on top of it; the tip itself once it is known to be there. */
  commit: v.nullable(v.string()),
  kind: v.nullable(v.picklist(["claim", "verdict"])),
  /** Untracked or changed before the pass began: what `prepare` left, which no commit takes. */
  leftovers: v.array(v.string()),
  /** Null: the code is in the repository of the tasks. */
  code: v.optional(
    v.nullable(
      v.object({
        url: v.string(),
        /** The task's branch there, a full name. */
        ref: v.string(),
        /** What was checked out before anything ran. */
        begin: v.string(),
        /** What the task's last step before the pass names; null: nothing. */
        named: v.nullable(v.string()),
        top: v.string(),
        tasks: v.string(),
        leftovers: v.array(v.string()),
      }),
    ),
    null,
  ),
});

export type ClaimNote = v.InferOutput<typeof noteShape>;

/** Durably. Throws TP_DISK. */
export function writeNote(file: string, note: ClaimNote): void {
  putFile(file, `${JSON.stringify(note)}\n`, { mode: 0o600 });
}

/** Null if there is none, or none that a run wrote. */
export function readNote(file: string): ClaimNote | null {
  return readJsonOr(file, noteShape, 16 * 1024 * 1024, null);
}

/** More than one of them has a claim open only if the git of each outlived it. */
const maxEnded = 8;

/** Records that the run of that attempt is over, whatever its claim becomes. Durably. Throws TP_DISK. */
export function recordEnded(file: string, attempt: string): void {
  const known = readEnded(file);
  if (known.includes(attempt)) return;
  openPrivateFolder(dirname(file));
  putFile(file, `${JSON.stringify([...known, attempt].slice(-maxEnded))}\n`, { mode: 0o600 });
}

/** The attempts of runs of this machine that are over. */
export function readEnded(file: string): readonly string[] {
  return readJsonOr(file, v.array(v.string()), 64 * 1024, []);
}

export function removeNote(file: string): void {
  rmSync(file, { force: true });
}
