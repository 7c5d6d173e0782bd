import { join } from "node:path";
import { makeFolder } from "../store/put-file.ts";
import { briefChanges } from "../task-folder/brief-changes.ts";
import type { CommitFile } from "./commit-event.ts";
import { readTaskFile } from "./look.ts";
import type { TaskSession } from "./session.ts";

/** The brief as it stands, kept beside the passes, so that a reader sees later on what a person changed in it. */
export function keptBrief({ place, anchor }: TaskSession, sha256: string): CommitFile[] {
  const bytes = readTaskFile(place.readme);
  if (bytes === null || anchor === null) return [];
  makeFolder(join(place.passes, "briefs"));
  return [{ path: pathOf(sha256), text: bytes.toString("utf8"), append: false }];
}

/** What differs from the brief with this digest; null where no copy of that one is there. */
export function changedKeys({ place, ports }: TaskSession, was: string | null): readonly string[] | null {
  const before = was === null ? null : readTaskFile(join(place.taskDir, pathOf(was)));
  const after = readTaskFile(place.readme);
  if (before === null || after === null) return null;
  return briefChanges(before, Buffer.from(ports.redactor.redact(after.toString("utf8"))));
}

function pathOf(sha256: string): string {
  return `artifacts/passes/briefs/${sha256.slice(0, 16)}.md`;
}
