import { join } from "node:path";
import * as v from "valibot";
import { diskError } from "../report/errors.ts";
import type { PathChange } from "../store/compare-manifest.ts";
import { lookAt, removeAll, syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonFile } from "../store/read-json.ts";
import { sha256 } from "../text/sha256.ts";
import { recordOf } from "../text/shape.ts";
import type { TaskPlace } from "./task-place.ts";

/** The digests of what the runner itself may have put at a path since the pass began. */
type OwnWrites = Readonly<Record<string, readonly string[]>>;

/** Folder of the anchor, where the digests are recorded. */
interface NotedIn {
  readonly folder: string;
}

const schema = recordOf(v.array(v.string()));
const name = "own-writes.json";

/**
 * Writes a file of the runner's under artifacts/ while a pass is running, such as checkpoint.json. The guard compares
 * these files too: the anchor holds the digest before the file has it, so that neither this pass nor a run that
 * recovers it takes the write for an agent's. In a sandbox the file is held by a mount of its own; the rename ends that
 * hold, and what an agent writes there afterwards is found as any other change. Throws TP_DISK.
 */
export function putOwnFile(place: TaskPlace, anchor: NotedIn, path: string, text: string): void {
  const folder = lookAt(place.artifacts);
  // An agent may have put a link there, which would lead the write elsewhere.
  if (folder?.isDirectory() !== true) {
    throw diskError("TP_DISK", `cannot write ${path}: artifacts/ is not a folder`, { file: place.artifacts });
  }
  const digest = sha256(text);
  const known = readOwnWrites(anchor);
  recordOwnWrites(anchor, { ...known, [path]: [...(known[path] ?? []).slice(-1), digest] });
  putFile(path, text);
  recordOwnWrites(anchor, { ...known, [path]: [digest] });
}

/** True if what is there is exactly what the runner wrote last. */
export function isOwnWrite(anchor: NotedIn, { path, now }: PathChange): boolean {
  if (now?.type !== "file" || now.sha256 === undefined) return false;
  return readOwnWrites(anchor)[path]?.includes(now.sha256) === true;
}

/** Before the next pass is noted: from then on the files are what they are. */
export function forgetOwnWrites(anchor: NotedIn): void {
  if (lookAt(join(anchor.folder, name)) === null) return;
  removeAll(join(anchor.folder, name));
  syncFolder(anchor.folder);
}

/** One that cannot be read names nothing: then the runner's own write is restored as any other change. */
function readOwnWrites(anchor: NotedIn): OwnWrites {
  const notes = readJsonFile(join(anchor.folder, name), schema, 1024 * 1024);
  return notes.kind === "read" ? notes.value : {};
}

function recordOwnWrites(anchor: NotedIn, writes: OwnWrites): void {
  putFile(join(anchor.folder, name), JSON.stringify(writes), { mode: 0o600 });
}
