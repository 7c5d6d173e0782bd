import { rmSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import type { GitPlace } from "../git/place.ts";
import { runGit } from "../git/run-git.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonFile } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { sha256 } from "../text/sha256.ts";

/** A journal by its beginning: enough to know whether another one continues it, without any object of git. */
const markShape = v.object({ events: v.number(), bytes: v.number(), sha256: v.string() });

/**
 * The furthest that this machine knows a task's branch to have been. It is not in the mirror, whose refs follow whatever
 * the remote says, nor in the note, which ends with its pass.
 */
const seenShape = v.object({
  version: v.literal(1),
  /** A full name. */
  ref: v.string(),
  commit: v.string(),
  journal: markShape,
  /** The last attempt of this machine whose claim was pushed; null: there was none. */
  attempt: v.nullable(v.string()),
});

type JournalMark = v.InferOutput<typeof markShape>;
export type SeenBranch = v.InferOutput<typeof seenShape>;

/** Null if there is none, or none that a run wrote. */
export function readSeen(file: string): SeenBranch | null {
  const read = readJsonFile(file, seenShape, 64 * 1024);
  return read.kind === "read" ? read.value : null;
}

/** Durably. Throws TP_DISK. */
export function writeSeen(file: string, seen: SeenBranch): void {
  openPrivateFolder(dirname(file));
  putFile(file, `${JSON.stringify(seen)}\n`, { mode: 0o600 });
}

export function removeSeen(file: string): void {
  rmSync(file, { force: true });
}

const newline = 0x0a;

/** The journal at `path` of a commit; that of a commit without one is empty. */
export async function markJournal(
  git: GitPlace,
  commit: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<JournalMark> {
  const args = ["cat-file", "blob", `${commit}:${path}`];
  const { exitCode, stdout } = await runGit(git, args, { cwd: git.top, env, accept: [0, 128] });
  const bytes = exitCode === 0 ? stdout : Buffer.alloc(0);
  return { events: bytes.filter((byte) => byte === newline).length, bytes: bytes.length, sha256: sha256(bytes) };
}
