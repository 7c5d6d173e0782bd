import { join } from "node:path";
import * as v from "valibot";
import type { PathChange } from "../../store/compare-manifest.ts";
import { removeAll, statEntry, syncFolder } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { readJsonOr } from "../../store/read-file.ts";
import { diskError } from "../../text/errors.ts";
import { sha256 } from "../../text/sha256.ts";
import { recordOf } from "../../text/shape.ts";
import type { RecordsIn } from "./records.ts";
import type { TaskPlace } from "./task-place.ts";

type OwnWrites = Readonly<Record<string, readonly string[]>>;

const schema = recordOf(v.array(v.string()));
const name = "own-writes.json";

/**
 * Writes a file of the runner's under artifacts/ during a pass, such as checkpoint.json. The anchor records the digest
 * first, so that the guard of this pass or of its recovery does not blame the agent. In a sandbox the rename ends the
 * file's mount, and later writes by an agent are found like any other. Throws TP_DISK.
 */
export function putOwnFile(place: TaskPlace, anchor: RecordsIn, path: string, text: string): void {
  const folder = statEntry(place.artifacts);
  // An agent's link there would redirect the write.
  if (folder?.isDirectory() !== true) {
    throw diskError("TP_DISK", `cannot write ${path}: artifacts/ is not a folder`, { file: place.artifacts });
  }
  const digest = sha256(text);
  const known = readOwnWrites(anchor);
  recordOwnWrites(anchor, { ...known, [path]: [...(known[path] ?? []).slice(-1), digest] });
  putFile(path, text);
  recordOwnWrites(anchor, { ...known, [path]: [digest] });
}

/** Whether the change is exactly the runner's last write. */
export function isOwnWrite(anchor: RecordsIn, { path, now }: PathChange): boolean {
  if (now?.type !== "file" || now.sha256 === undefined) return false;
  return readOwnWrites(anchor)[path]?.includes(now.sha256) === true;
}

/** Before the next pass is recorded. */
export function forgetOwnWrites(anchor: RecordsIn): void {
  if (statEntry(join(anchor.folder, name)) === null) return;
  removeAll(join(anchor.folder, name));
  syncFolder(anchor.folder);
}

/** If unreadable, the runner's own write is restored like any other change. */
function readOwnWrites(anchor: RecordsIn): OwnWrites {
  return readJsonOr(join(anchor.folder, name), schema, 1024 * 1024, {});
}

function recordOwnWrites(anchor: RecordsIn, writes: OwnWrites): void {
  putFile(join(anchor.folder, name), JSON.stringify(writes), { mode: 0o600 });
}
