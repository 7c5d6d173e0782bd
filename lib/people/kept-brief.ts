import { join } from "node:path";
import type { CommitFile } from "../task/commit-event.ts";
import type { TaskSession } from "../task/session.ts";
import { briefChanges } from "../task-folder/brief-changes.ts";
import { readOptionalFile } from "../task-folder/task-files.ts";

/** The brief as it is, kept beside the passes, so that a reader sees later on what a person changed in it. */
export function keptBrief({ place }: TaskSession, sha256: string): CommitFile[] {
  const bytes = readOptionalFile(place.readme);
  return bytes === null ? [] : [{ path: pathOf(sha256), text: bytes.toString("utf8"), append: false }];
}

/** The differences from the brief with this digest; null if there is no copy of it. */
export function changedKeys({ place, ports }: TaskSession, was: string | null): readonly string[] | null {
  const before = was === null ? null : readOptionalFile(join(place.taskDir, pathOf(was)));
  const after = readOptionalFile(place.readme);
  if (before === null || after === null) return null;
  return briefChanges(before, Buffer.from(ports.redactor.redact(after.toString("utf8"))));
}

function pathOf(sha256: string): string {
  return `artifacts/passes/briefs/${sha256.slice(0, 16)}.md`;
}
