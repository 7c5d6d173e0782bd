import { rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { diskError } from "../report/errors.ts";
import { lookAt, syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { PathChange } from "../store/snapshot.ts";
import { readShape, recordOf } from "../text/read-shape.ts";
import { sha256 } from "../text/sha256.ts";
import type { Anchor } from "./anchor.ts";
import type { TaskPlace } from "./task-place.ts";

/** The digests of what the runner itself may have put at a path since the pass began. */
type OwnWrites = Readonly<Record<string, readonly string[]>>;

const schema = recordOf(v.array(v.string()));
const name = "own-writes.json";

/**
 * Writes a file of the runner's under artifacts/ while a pass is under way, such as checkpoint.json. The guard compares
 * these files too: the anchor holds the digest before the file has it, so that neither this pass nor a run that
 * recovers it takes the write for an agent's. In a sandbox the file is held by a mount of its own; the rename ends that
 * hold, and what an agent writes there afterwards is found as any other change. Throws TP_DISK.
 */
export function putOwnFile(place: TaskPlace, anchor: Anchor, path: string, text: string): void {
  const folder = lookAt(place.artifacts);
  // An agent may have put a link there, which would lead the write elsewhere.
  if (folder?.isDirectory() !== true) {
    throw diskError("TP_DISK", `cannot write ${path}: artifacts/ is no folder`, { file: place.artifacts });
  }
  const digest = sha256(text);
  const known = readOwnWrites(anchor);
  noteOwnWrites(anchor, { ...known, [path]: [...(known[path] ?? []).slice(-1), digest] });
  putFile(path, text);
  noteOwnWrites(anchor, { ...known, [path]: [digest] });
}

/** True where what stands there is exactly what the runner wrote last. */
export function isOwnWrite(anchor: Anchor, { path, now }: PathChange): boolean {
  if (now?.type !== "file" || now.sha256 === undefined) return false;
  return readOwnWrites(anchor)[path]?.includes(now.sha256) === true;
}

/** Before the next pass is noted: from then on the files are what they are. */
export function forgetOwnWrites(anchor: Pick<Anchor, "folder">): void {
  if (lookAt(join(anchor.folder, name)) === null) return;
  rmSync(join(anchor.folder, name), { force: true });
  syncFolder(anchor.folder);
}

/** One that cannot be read names nothing: then the runner's own write is put back as any other change. */
function readOwnWrites(anchor: Anchor): OwnWrites {
  const read = readRegularFile(join(anchor.folder, name), 1024 * 1024);
  if (read.kind !== "file") return {};
  const notes = readShape(schema, read.bytes);
  return notes.kind === "read" ? notes.value : {};
}

function noteOwnWrites(anchor: Anchor, writes: OwnWrites): void {
  putFile(join(anchor.folder, name), JSON.stringify(writes), { mode: 0o600 });
}
